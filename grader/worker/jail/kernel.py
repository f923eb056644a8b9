"""Call into the kernel that Python has no function for.

The C library is opened at import: between fork and student code nothing may be searched for.
Every failure is an OSError that names the step; nothing is retried or ignored here.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys

from .numbers import NUMBERS

LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None, use_errno=True) if LINUX else None
_MALLOPT = getattr(_LIBC, "mallopt", None)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522
_HIGHEST_CAPABILITY = 63

NEWNS = 0x00020000
NEWCGROUP = 0x02000000
NEWUTS = 0x04000000
NEWIPC = 0x08000000
NEWUSER = 0x10000000
NEWPID = 0x20000000
NEWNET = 0x40000000

_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 128 << 10

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
_MNT_DETACH = 2

LANDLOCK_CREATE, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT = 444, 445, 446
"""System call numbers that are the same on every architecture."""


def architecture() -> str:
    return os.uname().machine


def _fail(step: str) -> OSError:
    errno = ctypes.get_errno()
    return OSError(errno, os.strerror(errno), step)


def call(step: str, number: int, *arguments: int | bytes | None) -> int:
    """Make a system call by number. Raises OSError."""
    if _LIBC is None:
        raise OSError(f"{step}: only Linux has it")
    _LIBC.syscall.restype = ctypes.c_long
    converted = [
        ctypes.c_long(value) if isinstance(value, int) else ctypes.c_char_p(value)
        for value in arguments
    ]
    result: int = _LIBC.syscall(ctypes.c_long(number), *converted)
    if result == -1:
        raise _fail(step)
    return result


def named(step: str, *arguments: int | bytes | None) -> int:
    """Make a system call by name. Raises OSError."""
    numbers = NUMBERS.get(architecture())
    if numbers is None:
        raise OSError(f"{step}: no system call numbers for {architecture()}")
    return call(step, numbers[step], *arguments)


def prctl(option: int, value: int, third: int = 0) -> None:
    """Call `prctl`. Raises OSError if the kernel refuses.

    Do nothing on a system other than Linux, which has no prctl.
    """
    if _LIBC is None:
        return
    rest = [ctypes.c_ulong(number) for number in (value, third, 0, 0)]
    if _LIBC.prctl(ctypes.c_int(option), *rest) < 0:
        raise _fail(f"prctl {option}")


def die_with_parent(by: int = signal.SIGKILL) -> None:
    """Have the kernel kill this process when the one that started it dies.

    The kernel forgets this when credentials change: call it again then.
    """
    prctl(PR_SET_PDEATHSIG, by)


def unshare(flags: int, step: str) -> None:
    assert _LIBC is not None
    if _LIBC.unshare(ctypes.c_int(flags)) != 0:
        raise _fail(step)


def setns(fd: int, kind: int) -> None:
    assert _LIBC is not None
    if _LIBC.setns(ctypes.c_int(fd), ctypes.c_int(kind)) != 0:
        raise _fail("setns")


def set_host_name(name: str) -> None:
    assert _LIBC is not None
    raw = name.encode()
    if _LIBC.sethostname(raw, ctypes.c_size_t(len(raw))) != 0:
        raise _fail("sethostname")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    assert _LIBC is not None
    texts = [os.fsencode(text) if text else None for text in (source, target, kind)]
    data = options.encode() if options else None
    if _LIBC.mount(*texts, ctypes.c_ulong(flags), data) != 0:
        raise _fail(f"mount on {target}")


def detach(target: str) -> None:
    """Unmount a folder as soon as nobody uses it any more."""
    assert _LIBC is not None
    if _LIBC.umount2(os.fsencode(target), ctypes.c_int(_MNT_DETACH)) != 0:
        raise _fail(f"unmount {target}")


def return_freed_memory() -> None:
    """Have the C library return large freed blocks to the system at once, from now on.

    Left to itself it keeps them, and finds them too short for the next tensor of the same size: 80
    tensors of a megabyte, one after the other, take 100 MB.
    """
    if _MALLOPT is not None:  # musl gives back anyway
        _MALLOPT(ctypes.c_int(_M_MMAP_THRESHOLD), ctypes.c_int(_LARGE_BYTES))


def drop_capabilities() -> None:
    """Drop all capabilities, in every set, for good."""
    for capability in range(_HIGHEST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            # EINVAL: the kernel knows no more of them. EPERM: we may drop none, so have none
            # to pass on; the sets themselves are emptied below, or that fails.
            break
    prctl(PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    named("capset", header, bytes(24))


def in_words(error: BaseException) -> str:
    """Describe the error of a step in one line, to be given as the reason for a lower tier."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
