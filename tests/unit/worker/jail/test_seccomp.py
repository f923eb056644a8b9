"""The call filter, run as the kernel runs it, on every number of both architectures."""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence

import pytest

from grader.worker.jail import bpf, seccomp
from grader.worker.jail.numbers import AUDIT_ARCHITECTURES, NUMBERS

PID = 4711
EPERM, ENOSYS, ENOTTY = (bpf.fail(code) for code in (errno.EPERM, errno.ENOSYS, errno.ENOTTY))
MACHINES = sorted(NUMBERS)
CONDITIONAL = {
    "clone", "clone3", "kill", "tgkill", "prlimit64", "prctl", "fcntl", "ioctl", "getsockopt",
    "socketpair",
}  # fmt: skip


def verdict(
    machine: str,
    number: int,
    arguments: Sequence[int] = (),
    arch: int = 0,
    **choices: bool,
) -> int:
    """What the kernel does with a call under our filter for `machine`."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    arch = arch or AUDIT_ARCHITECTURES[machine]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded)
    return run(bpf.decode(seccomp.with_pid(seccomp.program_for(machine, **choices), PID)), data)


def run(program: list[bpf.Instruction], data: bytes) -> int:
    word, at = 0, 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        if code == 0x20:
            (word,) = struct.unpack_from("=I", data, operand)
        elif code == 0x15:
            at += if_true if word == operand else if_false
        elif code == 0x35:
            at += if_true if word >= operand else if_false
        elif code == 0x45:
            at += if_true if word & operand else if_false
        else:
            assert code == 0x06
            return operand


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_is_allowed_killed_or_refused_by_its_name(machine: str) -> None:
    names = {number: name for name, number in NUMBERS[machine].items()}
    wrong = []
    for number in range(600):
        name = names.get(number, "")
        if name in CONDITIONAL:
            continue
        wanted = (
            bpf.ALLOW if name in seccomp.ALLOWED else bpf.KILL if name in seccomp.KILLED else EPERM
        )
        if verdict(machine, number) != wanted:
            wrong.append((name, number))
    assert wrong == []


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("clone", [0x003D0F00], bpf.ALLOW),
        ("clone", [0x007D0F00], bpf.ALLOW),
        ("clone", [17], EPERM),
        ("clone", [0x4111], EPERM),
        ("clone", [0x003D0F00 | 0x10000000], EPERM),
        ("clone", [0x01200011], EPERM),
        ("clone3", [0], ENOSYS),
        ("kill", [PID, 15], bpf.ALLOW),
        ("kill", [PID, 9], bpf.KILL),
        ("kill", [PID - 1, 0], EPERM),
        ("kill", [0xFFFFFFFF, 9], EPERM),
        ("kill", [0, 9], EPERM),
        ("tgkill", [PID, 77, 6], bpf.ALLOW),
        ("tgkill", [PID, 77, 9], bpf.KILL),
        ("tgkill", [PID + 1, PID, 6], EPERM),
        ("prlimit64", [0], bpf.ALLOW),
        ("prlimit64", [PID], bpf.ALLOW),
        ("prlimit64", [1], EPERM),
        ("prctl", [15], bpf.ALLOW),
        ("prctl", [4, 1], EPERM),
        ("prctl", [1, 0], EPERM),
        ("prctl", [22, 2], EPERM),
        ("fcntl", [3, 3], bpf.ALLOW),
        ("fcntl", [3, 1030], bpf.ALLOW),
        ("fcntl", [3, 8, 1], EPERM),
        ("fcntl", [3, 10, 9], EPERM),
        ("fcntl", [3, 15], EPERM),
        ("fcntl", [3, 1031, 1 << 20], EPERM),
        ("fcntl", [3, 1024], EPERM),
        ("ioctl", [0, 0x5401], bpf.ALLOW),
        ("ioctl", [0, 0x5412], ENOTTY),
        ("getsockopt", [3, 1, 3], bpf.ALLOW),
        ("getsockopt", [3, 1, 77], EPERM),
        ("getsockopt", [3, 6, 3], EPERM),
        ("socketpair", [1], bpf.ALLOW),
        ("socketpair", [2], EPERM),
    ],
)
def test_some_calls_are_judged_by_their_arguments(
    machine: str, name: str, arguments: list[int], wanted: int
) -> None:
    assert verdict(machine, NUMBERS[machine][name], arguments) == wanted


def test_another_way_into_the_kernel_ends_the_process() -> None:
    i386 = 0x40000003
    read = NUMBERS["x86_64"]["read"]
    assert verdict("x86_64", read) == bpf.ALLOW
    assert verdict("x86_64", read, arch=i386) == bpf.KILL
    assert verdict("x86_64", read, arch=AUDIT_ARCHITECTURES["aarch64"]) == bpf.KILL
    assert verdict("x86_64", 0x40000000 + read) == bpf.KILL
    assert verdict("x86_64", -1) == bpf.KILL
    assert verdict("aarch64", 63, arch=0x40000028) == bpf.KILL


@pytest.mark.parametrize("machine", MACHINES)
def test_the_program_is_one_that_the_kernel_takes(machine: str) -> None:
    """At most 4096 instructions, and no jump beyond the end."""
    program = bpf.decode(seccomp.program_for(machine))
    assert len(program) <= 4096
    for at, (code, if_true, if_false, _) in enumerate(program):
        if code in (0x15, 0x35, 0x45):
            assert at + 1 + max(if_true, if_false) < len(program)
    assert program[-1] == (0x06, 0, 0, EPERM)


@pytest.mark.parametrize("machine", MACHINES)
def test_only_the_comparisons_with_the_process_are_filled_in(machine: str) -> None:
    before = bpf.decode(seccomp.program_for(machine))
    after = bpf.decode(seccomp.with_pid(seccomp.program_for(machine), PID))
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert {(a[0], b[3]) for a, b in changed} == {(0x15, PID)}
    assert len(changed) == 3


@pytest.mark.parametrize("machine", MACHINES)
def test_where_nothing_may_be_changed_nothing_can_be_named_to_change(machine: str) -> None:
    numbers = {name: NUMBERS[machine].get(name) for name in seccomp.ON_PATHS}
    present = {name: number for name, number in numbers.items() if number is not None}
    assert {"utimensat", "truncate", "unlinkat", "mkdirat"} <= set(present)
    with_scratch = {name: verdict(machine, number) for name, number in present.items()}
    without = {name: verdict(machine, number, scratch=False) for name, number in present.items()}
    assert set(with_scratch.values()) == {bpf.ALLOW}
    assert set(without.values()) == {EPERM}


@pytest.mark.parametrize("machine", MACHINES)
def test_where_landlock_lets_files_be_emptied_the_filter_does_not(machine: str) -> None:
    openat = NUMBERS[machine]["openat"]
    writing, emptying = 0o1, 0o1001
    assert verdict(machine, openat, [0, 0, emptying]) == bpf.ALLOW
    assert verdict(machine, openat, [0, 0, writing], may_truncate=False) == bpf.ALLOW
    assert verdict(machine, openat, [0, 0, emptying], may_truncate=False) == EPERM


def test_nothing_is_both_allowed_and_killed() -> None:
    assert set(seccomp.ALLOWED).isdisjoint(seccomp.KILLED)
    assert (set(seccomp.ALLOWED) | set(seccomp.KILLED)).isdisjoint(CONDITIONAL)


def test_what_starts_or_reaches_others_is_not_allowed() -> None:
    never = {
        "fork", "vfork", "execve", "execveat", "socket", "connect", "bind", "listen", "accept",
        "accept4", "setsid", "setpgid", "memfd_create", "shmget", "shmat", "msgget", "semget",
        "link", "linkat", "symlink", "symlinkat", "chmod", "fchmodat", "mknod", "setuid",
        "sched_setaffinity", "setpriority", "rt_sigqueueinfo", "tkill", "pidfd_open", "seccomp",
        "inotify_init1", "fanotify_init", "process_madvise", "name_to_handle_at", "timer_create",
    }  # fmt: skip
    assert never.isdisjoint({*seccomp.ALLOWED, *CONDITIONAL})
