"""Hand-outs in Korean are graded as the English ones are, alone and beside them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.question_text import ANSWERS_FILE
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome
from grader.report.content import Report, report_on
from grader.submission.submission import read_submission
from tools.notebooks import filled_in, languages, solved, stems

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
COURSE = find_course(ROOT)
KOREAN = COURSE.handouts("ko")
STEM = "a1_attention"
UNTOUCHED = {Outcome.NOT_ATTEMPTED, Outcome.BLOCKED}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(COURSE, Options()) as engine:
        yield engine


@pytest.fixture(scope="module")
def first() -> Iterator[Engine]:
    """Grades the first assignment only."""
    slugs = [slug for slug, one in COURSE.rubric.exercises.items() if one.assignment == STEM]
    with Engine(COURSE, Options(only=tuple(slugs))) as engine:
        yield engine


def graded(engine: Engine, folder: Path) -> Report:
    (result,) = engine.grade([read_submission(folder)])
    return report_on(result, engine.course.rubric, engine.options.only)


def solve(folder: Path, stem: str, kind: str) -> None:
    """Put the reference's solutions into the hand-out in Korean."""
    path = folder / f"{stem}{kind}"
    if kind == ".py":
        path.write_text(filled_in((KOREAN / path.name).read_text("utf-8"), stem), "utf-8")
    else:
        path.write_text(json.dumps(solved(stem, "ko"), ensure_ascii=False), "utf-8")


@pytest.mark.parametrize("kind", [".py", ".ipynb"])
def test_solved_in_korean_gets_full_marks(engine: Engine, kind: str, tmp_path: Path) -> None:
    for stem in stems():
        solve(tmp_path, stem, kind)
        assert "합니다" in (tmp_path / f"{stem}{kind}").read_text("utf-8")

    report = graded(engine, tmp_path)

    assert report.grade.complete
    assert report.grade.points == report.grade.max_points
    assert [note for note in report.notes if note.kind == "problem"] == []


@pytest.mark.parametrize("kind", [".py", ".ipynb"])
def test_untouched_in_korean_is_not_attempted(engine: Engine, kind: str, tmp_path: Path) -> None:
    for path in [*KOREAN.glob(f"*{kind}"), KOREAN / ANSWERS_FILE]:
        shutil.copy(path, tmp_path)

    report = graded(engine, tmp_path)

    assert {seen.outcome for seen in report.observations} <= UNTOUCHED
    assert report.notes == ()
    assert [answer.text for answer in report.written] == [""] * len(COURSE.rubric.written)


def test_an_answer_in_korean_is_found_among_what_was_handed_out(
    first: Engine, tmp_path: Path
) -> None:
    placeholder = COURSE.rubric.written["a1.why_scale"].wordings[0].placeholder
    handed_out = (KOREAN / ANSWERS_FILE).read_text("utf-8")
    (tmp_path / ANSWERS_FILE).write_text(handed_out.replace(placeholder, "분산이 커집니다.", 1))
    shutil.copy(KOREAN / f"{STEM}.py", tmp_path)

    (answer, *others) = graded(first, tmp_path).written

    assert (answer.item.slug, answer.text) == ("a1.why_scale", "분산이 커집니다.")
    assert [other.text for other in others] == [""] * len(others)


@pytest.fixture
def assignments(tmp_path: Path) -> Path:
    """The folder that `make check` grades, with every language in it."""
    assert languages() == ("en", "ko")
    return Path(shutil.copytree(COURSE.assignments, tmp_path / "assignments"))


def test_untouched_hand_outs_of_both_languages_are_no_ambiguity(
    first: Engine, assignments: Path
) -> None:
    report = graded(first, assignments)

    assert {seen.outcome for seen in report.observations} <= UNTOUCHED
    assert report.notes == ()
    assert report.entries == {STEM: f"{STEM}.py"}


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("", ".py"), ("", ".ipynb"), ("ko", ".py"), ("ko", ".ipynb")],
    ids=["beside ko", "beside ko as notebook", "in ko", "in ko as notebook"],
)
def test_of_both_languages_the_one_that_was_solved_counts(
    first: Engine, assignments: Path, folder: str, kind: str
) -> None:
    solve(assignments / folder, STEM, kind)

    report = graded(first, assignments)

    assert report.entries == {STEM: f"{folder}/{STEM}{kind}".removeprefix("/")}
    assert report.grade.points == report.grade.max_points
    assert report.notes == ()


def test_two_that_were_solved_are_an_ambiguity(first: Engine, assignments: Path) -> None:
    """The positive control: a second solution is told of."""
    solve(assignments, STEM, ".py")
    solve(assignments / "ko", STEM, ".py")

    (problem,) = [note.text for note in graded(first, assignments).notes]

    assert problem.startswith(f"2 files could be {STEM}: graded {STEM}.py, not ko/{STEM}.py.")
