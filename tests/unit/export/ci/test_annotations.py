"""Annotations: the worst first, each thing once at its place, and never more than are shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from grader.export.ci.annotations import Annotation, Level, limited, to_mend
from grader.grade.evidence import Note, Observation, Outcome, Where
from tests.support.ci_reports import HIDDEN, OTHER, PUBLIC, SECRET_TITLE, all_, half, report

FOLDER = PurePosixPath("week1")
HERE = Where("s1_sums.py", 5)


def failed(check: str, title: str, where: Where | None = HERE, observed: str = "") -> Observation:
    return Observation(check, title, Outcome.FAILED, observed, where=where)


def test_a_failure_is_shown_at_its_place_in_the_repository() -> None:
    (one,) = to_mend(half(), FOLDER)

    assert one == Annotation(
        Level.ERROR,
        "s1.add, outputs: The sum is right, always: 100 %.",
        "observed: 3\nexpected: 4\nlikely cause: Subtracted instead of adding. (gives your numbers "
        "on 2 of 2 probes)\nwhere: s1_sums.py:5",
        check="s1.add/outputs",
        file="week1/s1_sums.py",
        line=5,
        lost=one.lost,
    )


def test_a_hidden_check_that_passed_is_not_mentioned() -> None:
    assert SECRET_TITLE not in str(to_mend(half(), FOLDER))


def test_the_exercise_that_lost_most_comes_first() -> None:
    seen = [
        failed(PUBLIC, "Small."),
        Observation(HIDDEN, "Fine.", Outcome.PASSED),
        failed(OTHER, "Large.", Where("s2_means.py", 1)),
    ]

    assert [f"{one.title} {one.lost}" for one in to_mend(report(seen), FOLDER)] == [
        "s2.mean, outputs: Large. 3",
        "s1.add, shapes: Small. 1",
    ]


def test_a_file_that_cannot_be_read_comes_before_all() -> None:
    note = Note("problem", "Not Python: '(' was never closed.", Where("s2_means.py", 1))

    first, *_rest = to_mend(report([failed(PUBLIC, "Small.")], note), FOLDER)

    assert (first.level, first.file, first.line) == (Level.ERROR, "week1/s2_means.py", 1)
    assert first.message == "Not Python: '(' was never closed."


def test_checks_that_fail_alike_are_one_annotation() -> None:
    seen = [failed(f"{OTHER}[{number}]", "The mean is right.", observed="3") for number in range(4)]

    (one,) = to_mend(report(seen), FOLDER)

    assert one.message == "observed: 3\nwhere: s1_sums.py:5\n4 checks like this"


def test_other_checks_at_one_place_are_one_warning() -> None:
    seen = [failed(f"{OTHER}{name}", f"Title {name}.", observed=name) for name in "abc"]

    first, others = to_mend(report(seen), FOLDER)

    assert (first.level, first.title) == (Level.ERROR, "s2.mean, outputs: Title a.")
    assert others.level is Level.WARNING
    assert others.title == "s2.mean: 2 more checks in outputs"
    assert others.message == "- outputs: Title b.\n- outputs: Title c."


def test_a_cell_of_a_notebook_has_no_line_of_its_file() -> None:
    (one,) = to_mend(report([failed(OTHER, "Mean.", Where("s2.ipynb", 3, cell=2))]), FOLDER)

    assert (one.file, one.line) == ("week1/s2.ipynb", None)
    assert "where: s2.ipynb cell 2:3" in one.message


def test_what_is_in_no_repository_has_no_file() -> None:
    (one,) = to_mend(half(), None)

    assert (one.file, one.line) == ("", None)


def test_what_is_not_begun_is_one_notice() -> None:
    (one,) = to_mend(all_(Outcome.NOT_ATTEMPTED), FOLDER)

    assert one == Annotation(Level.NOTICE, "not attempted", "s1.add and s2.mean")


def test_what_could_not_be_checked_is_no_annotation_on_the_code() -> None:
    assert to_mend(all_(Outcome.COULD_NOT_CHECK), FOLDER) == ()


def test_the_last_annotation_says_how_many_there_are_besides() -> None:
    errors = [Annotation(Level.ERROR, f"{number}", "message") for number in range(12)]
    notice = Annotation(Level.NOTICE, "n", "message")

    *nine, last, other = limited([*errors, notice], 10)

    assert nine == errors[:9]
    assert last == replace(errors[9], message="message\nand 2 more: the report names them.")
    assert other == notice


def test_as_many_as_are_shown_are_left_alone() -> None:
    errors = [Annotation(Level.ERROR, f"{number}", "message") for number in range(10)]

    assert list(limited(errors, 10)) == errors
