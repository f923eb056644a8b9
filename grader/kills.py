"""The record of who fails which check, `reference/kills/<slug>.json`, as the judge reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

FOLDER = "reference/kills"


def read_kills(root: Path, slug: str) -> Mapping[str, frozenset[str]]:
    """Id of a known wrong answer -> the checks of the exercise that it fails, in full. Empty if
    there is no record that can be read: `grader validate` tells the author, nobody pays for it."""
    try:
        content = json.loads((root / FOLDER / f"{slug}.json").read_text(encoding="utf-8"))
        checks = {str(check): tuple(map(str, ids)) for check, ids in content["checks"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    failed: dict[str, set[str]] = {}
    for check, ids in checks.items():
        for each in ids:
            failed.setdefault(each, set()).add(f"{slug}/{check}")
    return {each: frozenset(found) for each, found in failed.items()}
