"""Read the record of who fails which check, `kill_record.json` of an exercise, for the judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from .paths import CoursePaths


def read_kills(root: Path, slug: str) -> Mapping[str, frozenset[str]]:
    """Return, for each known wrong answer, the checks of the exercise that it fails, in full.

    The keys are ids of wrong answers. The result is empty if there is no record that can be read:
    `grader validate` tells the author, and no student loses points for it.
    """
    try:
        text = CoursePaths(root).exercise(slug).kill_record.read_text(encoding="utf-8")
        content = json.loads(text)
        checks = {str(check): tuple(map(str, ids)) for check, ids in content["checks"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    failed: dict[str, set[str]] = {}
    for check, ids in checks.items():
        for each in ids:
            failed.setdefault(each, set()).add(f"{slug}/{check}")
    return {each: frozenset(result) for each, result in failed.items()}
