"""Say to staff what a submission tried that none may do, and who says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from grader.grade.evidence import Tried
from grader.text.language import _, marked

_WORDS = {
    Tried.CALL: marked("a call that no submission may make: the kernel ended the process"),
    Tried.CONNECTION: marked("an answer of its own on the grader's connection, or the end of it"),
    Tried.NETWORK: marked("the network, as its own process says"),
    Tried.PROCESS: marked("to start a program or a process, as its own process says"),
    Tried.FILE: marked("files that are not its own, as its own process says"),
    Tried.OTHER: marked("something that it has no right to, as its own process says"),
}


def tried_in_words(what: Tried) -> str:
    """Return what was tried, in a few words."""
    return _(_WORDS[what])


def tried_in(record: Mapping[str, Any]) -> Mapping[Tried, int]:
    """Return what the checks of a record say was tried and refused, and in how many of them.

    Raises KeyError, TypeError or ValueError for what is no record.
    """
    checks = (check for exercise in record["exercises"] for check in exercise["checks"])
    counted = Counter(Tried(check["tried"]) for check in checks if check.get("tried"))
    return {what: counted[what] for what in Tried if counted[what]}
