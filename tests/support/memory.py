"""Search processes for bytes: what they were started with, and what they hold (Linux, root)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_MAPPING = re.compile(
    r"^(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) (?P<access>\S{4}) .*\n"
    r"(?:[A-Z].*\n)*?Rss: +(?P<resident>\d+) kB$",
    re.MULTILINE,
)
CHUNK_BYTES = 16 << 20


def started_with(pid: int) -> bytes:
    """The environment and the command line of a process; nothing if it has ended."""
    try:
        return b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("environ", "cmdline"))
    except OSError:
        return b""


def holds(pid: int, needles: dict[str, bytes]) -> set[str]:
    """The names of those needles that are in the memory of a process that it can write to."""
    found: set[str] = set()
    longest = max(map(len, needles.values()))
    for chunk in _memory(pid, longest):
        found |= {name for name, needle in needles.items() if needle in chunk}
    return found


def _memory(pid: int, overlap: int) -> Iterator[bytes]:
    """Its memory in pieces that overlap: what is mapped from files to be read only is no secret."""
    try:
        maps = Path(f"/proc/{pid}/smaps").read_text(encoding="ascii", errors="replace")
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            for mapping in _MAPPING.finditer(maps):
                if not mapping["access"].startswith("rw") or mapping["resident"] == "0":
                    continue
                start, end = int(mapping["start"], 16), int(mapping["end"], 16)
                for at in range(start, end, CHUNK_BYTES):
                    yield _read(memory, at, min(CHUNK_BYTES + overlap, end - at))
    except OSError:  # it has ended
        return


def _read(memory: object, at: int, size: int) -> bytes:
    try:
        memory.seek(at)  # type: ignore[attr-defined]
        data: bytes = memory.read(size)  # type: ignore[attr-defined]
    except OSError:
        return b""
    return data
