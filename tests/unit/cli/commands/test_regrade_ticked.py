"""What is ticked: other points for an item count at once, and a student can be told why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.cli import cli
from grader.cli.commands.regrade import run as regrade
from tests.unit.cli.commands.test_regrade import Turned, batch, totals, worth
from tests.unit.samples import RUBRIC_TEXT, write_course

QUESTION = """\
written:
  s1.why:
    points: 3
    question: Why?
    scheme: {root: 2, grows: 1}
"""
GUIDE = "- root: Names the root.\n- grows: Says what grows.\n"
TICKED = {"student-001": "root grows", "student-002": "root", "student-003": ""}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A graded class whose answers are ticked."""
    made = write_course(tmp_path / "course")
    monkeypatch.chdir(made)
    (made / "rubric.yaml").write_text(RUBRIC_TEXT + QUESTION, encoding="utf-8")
    (made / "reference" / "guides").mkdir(parents=True)
    (made / "reference" / "guides" / "s1.why.md").write_text(GUIDE, encoding="utf-8")
    for student in TICKED:
        place = made / "class" / student
        place.mkdir(parents=True)
        (place / "s1_sums.py").write_text("#passed\n", encoding="utf-8")
        (place / "answers.md").write_text("# s1.why\n\nBecause.\n", encoding="utf-8")
    batch(made)
    lines = ["id,question,ticked,points"]
    lines += [f"{one},s1.why,{ids},{'' if ids else 0}" for one, ids in TICKED.items()]
    (made / "ta.csv").write_text("\n".join(lines), encoding="utf-8")
    assert cli.main(["gradebook", "out", "--written-points", "ta.csv"]) == 0
    assert totals(made) == {"student-001": "9.5", "student-002": "8.5", "student-003": "6.5"}
    return made


def test_other_points_for_an_item_are_shown_and_then_count(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worth(root, "{root: 2, grows: 1}", "{root: 1, grows: 2}")
    capsys.readouterr()
    grader = Turned()

    regrade(Path("out"), open_engine=grader.opened)
    assert capsys.readouterr().out.splitlines()[:3] == [
        "3 students: 0 up, 0 down, 3 with the same points, written answers aside; the code of 0 "
        "ran again",
        "student-002  s1.why: 2 -> 1  (ticked: root)",
        "by s1.why, as ticked: 0 up, 1 down, -1 points in all",
    ]
    assert totals(root)["student-002"] == "8.5"

    regrade(Path("out"), only_show=False, open_engine=grader.opened)
    assert totals(root) == {"student-001": "9.5", "student-002": "7.5", "student-003": "6.5"}
    assert grader.graded == []


def test_programs_read_what_changes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worth(root, "{root: 2, grows: 1}", "{root: 2.5, grows: 0.5}")
    capsys.readouterr()
    regrade(Path("out"), format_="json", open_engine=Turned().opened)

    told = json.loads(capsys.readouterr().out)
    assert (told["changes"], told["written"]) == (
        [],
        [{"student": "student-002", "question": "s1.why", "before": "2", "after": "2.5",
          "ticked": ["root"]}],
    )  # fmt: skip


def test_why_says_what_was_lost_in_an_answer(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert cli.main(["why", "student-002", "--in", "out"]) == 0
    assert (
        "student-002  6.5 of 6.5\n\ns1.why  2 by a person, of 3\n      Names the root. (+2)\n"
    ) in capsys.readouterr().out
    assert cli.main(["why", "student-002", "--in", "out", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == [
        {"question": "s1.why", "points": "2", "max_points": "3", "words": "Names the root. (+2)"}
    ]
    assert cli.main(["why", "student-001", "--in", "out"]) == 0
    assert "s1.why" not in capsys.readouterr().out


def test_an_answer_that_nobody_marked_yet_is_no_zero(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "out" / "written.csv").unlink()
    capsys.readouterr()
    assert cli.main(["why", "student-002", "--in", "out"]) == 0
    assert "\ns1.why  not marked yet, up to 3\n" in capsys.readouterr().out
