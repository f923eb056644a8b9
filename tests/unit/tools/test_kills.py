"""The class that is killed over and over loses points: its edits change the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tools.kills import COURSES, make_class


def handed_in(folder: Path) -> list[str]:
    return [path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))]


@pytest.mark.parametrize("name", COURSES)
def test_every_edit_changes_the_reference(name: str, tmp_path: Path) -> None:
    make_class(tmp_path, 6, COURSES[name])

    work = [text.rpartition("\n#")[0] for text in handed_in(tmp_path)]

    assert len(set(work)) == 1 + len(COURSES[name].wrong)


def test_an_edit_that_matches_nothing_is_an_error(tmp_path: Path) -> None:
    course = replace(COURSES["toy"], wrong=(("no such line", ""),))

    with pytest.raises(SystemExit, match=r"f1_filters\.py has no 'no such line' any more"):
        make_class(tmp_path, 2, course)
