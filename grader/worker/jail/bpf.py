"""Assemble classic BPF, as far as a system call filter needs it: tests that end in a verdict."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

Instruction = tuple[int, int, int, int]
"""An instruction: code, jump if true, jump if false, operand."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE = 0, 4
"""Offsets in the kernel's `struct seccomp_data`."""

ALLOW = 0x7FFF0000
KILL = 0x80000000
_ERRNO = 0x00050000

_ENCODED = struct.Struct("=HBBI")


def fail(errno: int) -> int:
    """Return the verdict that makes a system call fail with `errno`."""
    return _ERRNO | errno


def argument(index: int) -> int:
    """Return the offset of an argument's low half, which is all the kernel reads of an int."""
    return 16 + 8 * index


def give(verdict: int) -> list[Instruction]:
    return [(_RETURN, 0, 0, verdict)]


def load(offset: int) -> list[Instruction]:
    return [(_LOAD, 0, 0, offset)]


def when_equal(value: int, body: Sequence[Instruction]) -> list[Instruction]:
    """Run `body`, which must end in a verdict, if the loaded word is `value`; else what follows."""
    return [(_EQUAL, 0, len(body), value), *body]


def unless_equal(value: int, body: Sequence[Instruction]) -> list[Instruction]:
    return [(_EQUAL, len(body), 0, value), *body]


def when_at_least(value: int, body: Sequence[Instruction]) -> list[Instruction]:
    return [(_AT_LEAST, 0, len(body), value), *body]


def when_any_bit(bits: int, body: Sequence[Instruction]) -> list[Instruction]:
    return [(_ANY_BIT, 0, len(body), bits), *body]


def only(offset: int, values: Iterable[int], otherwise: int) -> list[Instruction]:
    """Allow if the word at `offset` is one of `values`, else the verdict `otherwise`."""
    tests = [step for value in values for step in when_equal(value, give(ALLOW))]
    return [*load(offset), *tests, *give(otherwise)]


def encode(program: Sequence[Instruction]) -> bytes:
    """Encode a program for the kernel.

    A jump is a byte, so a body has at most 255 instructions.
    """
    return b"".join(_ENCODED.pack(*instruction) for instruction in program)


def decode(code: bytes) -> list[Instruction]:
    return list(_ENCODED.iter_unpack(code))
