"""Deal tests to the processes of a run: file by file, the longest first.

A file shares what it set up, so it stays in one process. The few in `FIRST` take minutes: they
begin first, since whatever begins last decides when a run is over; and the longest are parts of
files, which get what they have in common from `tests.support.shared`.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadFileScheduling

FIRST = (
    ("tests/e2e/test_validate.py", ""),
    ("tests/e2e/test_corpus.py", "[spawn-"),
    ("tests/e2e/test_odd_answers.py", ""),
    ("tests/e2e/test_corpus.py", "[exec-"),
    ("tests/attack/test_attacks.py", "[full-"),
    ("tests/attack/test_attacks.py", "[partial-"),
    ("tests/e2e/test_agreement.py", ""),
    ("tests/e2e/test_corpus.py", ""),
    ("tests/e2e/test_live_corpus.py", ""),
    ("tests/attack/test_ordinary_user.py", ""),
    ("tests/e2e/test_diagnosis.py", ""),
    ("tests/e2e/test_processes.py", ""),
    ("tests/e2e/test_jail.py", ""),
    ("tests/e2e/test_hurry.py", ""),
    ("tests/attack/test_attacks.py", ""),
    ("tests/e2e/test_watch.py", ""),
    ("tests/e2e/test_conformance.py", ""),
    ("tests/e2e", ""),
    ("tests/attack", ""),
    ("tests/golden", ""),
    ("tests/fuzz", ""),
    ("tests/suites", ""),
)
"""Folders, files, and parts of files by a piece of their tests' names, in the order in which they
begin; all else comes after."""


def rank(nodeid: str) -> int:
    """Return the place in `FIRST` of the first entry that a test belongs to.

    A part of a file is found before the rest of it.
    """
    file, _, name = nodeid.partition("::")
    found = [at for at, one in enumerate(FIRST) if file.startswith(one[0]) and one[1] in name]
    named = [at for at in found if FIRST[at][1]]
    return min(named or found, default=len(FIRST))


def unit(nodeid: str) -> str:
    """Return what a test stays together with: its file, or its part of it."""
    at = rank(nodeid)
    return nodeid.partition("::")[0] + (FIRST[at][1] if at < len(FIRST) else "")


class LongestFirst(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """Deal units in the order of the collection, which `in_order` sorts."""

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)


def in_order(items: list[pytest.Item]) -> None:
    """Sort tests so that the longest units come first; within one they stay as they are."""
    items.sort(key=lambda item: rank(item.nodeid))
