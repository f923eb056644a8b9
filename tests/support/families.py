"""Processes and their descendants, as the system lists them (Linux)."""

from __future__ import annotations

from pathlib import Path


def child_pids(pid: int) -> list[int]:
    """All descendants of a process."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *child_pids(int(child))]
    except OSError:
        pass
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
