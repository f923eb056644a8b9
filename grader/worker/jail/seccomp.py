"""Filter the system calls of a worker: an allow-list, chosen from what torch and Python need.

A call that no honest submission makes ends the process; any other that is not listed fails with
EPERM, so that Python raises an ordinary exception. A call that a later C library starts to make
thus costs an exception and not a kill.
"""

from __future__ import annotations

import ctypes
import errno
import signal
import struct
from collections.abc import Callable

from . import bpf
from .bpf import Instruction
from .kernel import architecture, named
from .numbers import AUDIT_ARCHITECTURES, NUMBERS

_ALLOWED = """
    mmap mprotect munmap mremap madvise msync brk
    read write pread64 pwrite64 readv writev preadv pwritev open openat close close_range lseek
    stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
    getdents getdents64 getcwd chdir fchdir dup dup2 dup3 pipe pipe2 flock fsync fdatasync
    truncate ftruncate fallocate fadvise64 mkdir mkdirat rmdir rename renameat renameat2
    unlink unlinkat utimensat umask statfs fstatfs sendfile copy_file_range
    poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2
    nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday times
    sendto recvfrom sendmsg recvmsg shutdown getsockname getpeername
    futex set_robust_list set_tid_address rseq gettid sched_yield sched_getaffinity
    sched_getparam sched_getscheduler membarrier getcpu get_mempolicy restart_syscall
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait sigaltstack
    getitimer setitimer alarm pause
    exit exit_group getpid getppid getpgrp getpgid getsid getuid geteuid getgid getegid
    getresuid getresgid getgroups getrlimit getrusage getpriority sysinfo uname getrandom wait4
"""
_KILLED = """
    ptrace process_vm_readv process_vm_writev bpf keyctl add_key request_key io_uring_setup
    perf_event_open userfaultfd mount umount2 pivot_root chroot unshare setns kexec_load
    init_module finit_module reboot open_by_handle_at pidfd_getfd pidfd_send_signal acct swapon
    settimeofday clock_settime iopl ioperm move_pages migrate_pages
"""
_ON_PATHS = """
    truncate mkdir mkdirat rmdir rename renameat renameat2 unlink unlinkat utimensat
"""
ALLOWED, KILLED = tuple(_ALLOWED.split()), tuple(_KILLED.split())
ON_PATHS = tuple(_ON_PATHS.split())
"""Calls that are allowed only with a scratch folder: Landlock does not cover the times of files,
and its first two versions do not cover their length."""
_O_TRUNC = 0o1000

_X32_BIT = 0x40000000
_DENIED = bpf.fail(errno.EPERM)
# The flags of pthread_create in glibc and in musl, to the bit: no process, no namespace.
_THREAD_FLAGS = (0x003D0F00, 0x007D0F00)
# Duplicates, descriptor and status flags, locks. Not the ones that send signals to other
# processes (F_SETOWN, F_SETSIG), that resize pipes, or leases.
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030, 36, 37, 38)
# Is it a terminal, its size, bytes to read, close-on-exec, non-blocking. Not TIOCSTI.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451, 0x5421)
_PR_SET_NAME, _PR_GET_NAME, _PR_SET_VMA = 15, 16, 0x53564D41
_SOL_SOCKET, _AF_UNIX = 1, 1
# Error, type, protocol and domain: what `socket.socket(fileno=)` asks. Not SO_PEERPIDFD.
_SOCKET_OPTIONS = (4, 3, 38, 39)

_SET_MODE_FILTER = 1
_PLACEHOLDER_PID = 0x7FFFFFFF


def supported() -> bool:
    """Tell whether this machine's system call numbers are known."""
    return architecture() in NUMBERS


def program_for(machine: str, *, scratch: bool = True, may_truncate: bool = True) -> bytes:
    """Build the filter for an architecture, to be completed by `with_pid`. Raises KeyError.

    `scratch`: whether there is a folder to change files in. `may_truncate`: whether `open` may
    empty a file. Only a later Landlock refuses that; the filter must if nothing else does.
    """
    numbers = NUMBERS[machine]
    program: list[Instruction] = [
        *bpf.load(bpf.ARCHITECTURE),
        *bpf.unless_equal(AUDIT_ARCHITECTURES[machine], bpf.give(bpf.KILL)),
        *bpf.load(bpf.NUMBER),
    ]
    if machine == "x86_64":  # the same kernel entry under numbers of another convention
        program += bpf.when_at_least(_X32_BIT, bpf.give(bpf.KILL))
    bodies = {
        **{name: bpf.give(bpf.ALLOW) for name in ALLOWED},
        **{name: body() for name, body in _CONDITIONS.items()},
        **{name: bpf.give(bpf.KILL) for name in KILLED},
        **({} if scratch else {name: bpf.give(_DENIED) for name in ON_PATHS}),
        **({} if may_truncate else {"open": _unless_emptied(1), "openat": _unless_emptied(2)}),
    }
    for name, body in bodies.items():
        if name in numbers:
            program += bpf.when_equal(numbers[name], body)
    return bpf.encode([*program, *bpf.give(_DENIED)])


def with_pid(program: bytes, pid: int) -> bytes:
    """Complete a filter for one process: signals and limits are then allowed for itself alone."""
    return program.replace(struct.pack("=I", _PLACEHOLDER_PID), struct.pack("=I", pid))


def install(program: bytes) -> None:
    """Apply the filter for good to this thread and all that it starts. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    header = _Header(len(program) // 8, ctypes.addressof(code))
    named("seccomp", _SET_MODE_FILTER, 0, ctypes.addressof(header))


class _Header(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _to_itself(signal_argument: int) -> list[Instruction]:
    # The first process of a PID namespace can't be killed from inside: the filter does it.
    return [
        *bpf.load(bpf.argument(0)),
        *bpf.unless_equal(_PLACEHOLDER_PID, bpf.give(_DENIED)),
        *bpf.load(bpf.argument(signal_argument)),
        *bpf.when_equal(signal.SIGKILL, bpf.give(bpf.KILL)),
        *bpf.give(bpf.ALLOW),
    ]


def _unless_emptied(flags_argument: int) -> list[Instruction]:
    refused = bpf.when_any_bit(_O_TRUNC, bpf.give(_DENIED))
    return [*bpf.load(bpf.argument(flags_argument)), *refused, *bpf.give(bpf.ALLOW)]


def _socket_options() -> list[Instruction]:
    return [
        *bpf.load(bpf.argument(1)),
        *bpf.unless_equal(_SOL_SOCKET, bpf.give(_DENIED)),
        *bpf.only(bpf.argument(2), _SOCKET_OPTIONS, _DENIED),
    ]


_CONDITIONS: dict[str, Callable[[], list[Instruction]]] = {
    "clone3": lambda: bpf.give(bpf.fail(errno.ENOSYS)),  # its flags lie where no filter can look
    "clone": lambda: bpf.only(bpf.argument(0), _THREAD_FLAGS, _DENIED),
    "kill": lambda: _to_itself(1),
    "tgkill": lambda: _to_itself(2),
    "prlimit64": lambda: bpf.only(bpf.argument(0), (0, _PLACEHOLDER_PID), _DENIED),
    "prctl": lambda: bpf.only(bpf.argument(0), (_PR_SET_NAME, _PR_GET_NAME, _PR_SET_VMA), _DENIED),
    "fcntl": lambda: bpf.only(bpf.argument(1), _FCNTL, _DENIED),
    "ioctl": lambda: bpf.only(bpf.argument(1), _IOCTL, bpf.fail(errno.ENOTTY)),
    "getsockopt": _socket_options,
    # A pair within the process, as an event loop makes it. It reaches nobody.
    "socketpair": lambda: bpf.only(bpf.argument(0), (_AF_UNIX,), _DENIED),
}
