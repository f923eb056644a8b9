"""Our system call numbers against the kernel's headers and against a maintained table."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.worker.jail import seccomp
from grader.worker.jail.numbers import AUDIT_ARCHITECTURES, NUMBERS

INCLUDE = Path("/usr/include")
HEADERS = {
    "x86_64": (
        INCLUDE / "x86_64-linux-gnu/asm/unistd_64.h",
        INCLUDE / "asm/unistd_64.h",
    ),
    "aarch64": (INCLUDE / "asm-generic/unistd.h",),
}
# In the generic header these stand for what 64-bit machines call by the plain name.
_GENERIC = re.compile(r"#define __NR(?:3264)?_(\w+) (\d+)$", re.MULTILINE)


@pytest.mark.parametrize("machine", sorted(NUMBERS))
def test_as_in_a_maintained_table(machine: str) -> None:
    pytest.importorskip("seccompy", reason="the table to compare with is not installed")
    from seccompy import syscalls

    table = {"x86_64": syscalls.X86_64_SYSCALLS, "aarch64": syscalls.AARCH64_SYSCALLS}[machine]
    assert {name: table.get(name) for name in NUMBERS[machine]} == NUMBERS[machine]
    audit = {
        "x86_64": syscalls.AUDIT_ARCH_X86_64,
        "aarch64": syscalls.AUDIT_ARCH_AARCH64,
    }
    assert AUDIT_ARCHITECTURES[machine] == audit[machine]


@pytest.mark.parametrize("machine", sorted(NUMBERS))
def test_nothing_we_decide_on_is_missing(machine: str) -> None:
    """A name that an architecture lacks is one that the maintained table lacks, too."""
    pytest.importorskip("seccompy", reason="the table to compare with is not installed")
    from seccompy import syscalls

    table = {"x86_64": syscalls.X86_64_SYSCALLS, "aarch64": syscalls.AARCH64_SYSCALLS}[machine]
    wanted = {*seccomp.ALLOWED, *seccomp.KILLED}
    assert {name for name in wanted if name in table} - NUMBERS[machine].keys() == set()


def defined(machine: str) -> Iterator[tuple[str, int]]:
    for path in HEADERS[machine]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            yield from ((name, int(number)) for name, number in _GENERIC.findall(text))


@pytest.mark.skipif(sys.platform != "linux", reason="the headers are Linux's")
@pytest.mark.parametrize("machine", sorted(NUMBERS))
def test_as_in_the_headers_of_this_system(machine: str) -> None:
    found = dict(defined(machine))
    if not found:
        pytest.skip("the kernel's headers are not installed")
    known = {name: found[name] for name in NUMBERS[machine] if name in found}
    assert known == {name: NUMBERS[machine][name] for name in known}
    assert len(known) > 0.9 * len(NUMBERS[machine])
