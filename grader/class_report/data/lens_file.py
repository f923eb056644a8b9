"""Read what `grader lens` has written beside the results of a class."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.records import RecordsError
from grader.store.summary import short_print

LENS_FILE = "lens.json"


@dataclass(frozen=True)
class ExplainedGroup:
    """The work of `grader lens` on one group."""

    edit: str
    """The edit of the reference that computes the same, or two."""
    smallest_input: str
    """A call that shows it, to be checked with pencil and paper; empty if there is no small one."""


Explained = Mapping[tuple[str, frozenset[tuple[str, str]]], ExplainedGroup]
"""An exercise and what of it fails (ids of checks, short fingerprints) -> what was written."""


def read_lens(results: Path) -> Explained:
    """Return the edits by the groups that they explain; nothing if there is no such file.

    Raises RecordsError if there is one that cannot be read.
    """
    path = results / LENS_FILE
    if not path.is_file():
        return {}
    try:
        groups = json.loads(path.read_text(encoding="utf-8"))["groups"]
        return {
            (group["exercise"], _signature(group["failed"])): ExplainedGroup(
                str(group["edits"][0]), str(group.get("smallest_input") or "")
            )
            for group in groups
            if group["edits"]
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordsError(f"{path}: cannot be read. Make it again: grader lens") from error


def _signature(failed: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset((check, short_print(print_)) for check, print_ in failed.items())
