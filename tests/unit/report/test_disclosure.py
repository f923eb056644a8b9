"""A cause is named when the author of the course wants that, and not before; in no format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from grader.course.feedback import CauseTiming, Feedback
from grader.export.words import criterion_in_words
from grader.files.counting import counted
from grader.grade.evidence import Cause, Observation, Outcome
from grader.report import json, junit, markdown
from grader.report.content import Report, report_on
from grader.report.html import page
from grader.report.next_step import explainable
from grader.report.terminal import pieces
from grader.report.tries import known_by_now
from grader.watching.progress import Progress
from grader.watching.screen import Screen
from tests.unit.samples import CHECKS, RUBRIC, SampleResult, submission

SENTENCE = "The second number is subtracted."
OTHER = "The sum is taken twice."
KNOWN = Cause("add.minus", SENTENCE, 2, 2)
PATTERN = Cause("shape.axes_swapped", "Rows and columns changed places.", 2, 2)
ON_REQUEST = Feedback(CauseTiming.ON_REQUEST)
SECOND_TRY = Feedback(CauseTiming.AFTER_TRIES, 2)


def graded(data: bytes = b"def add(): 1\n", cause: Cause = KNOWN) -> SampleResult:
    also = (replace(KNOWN, id="add.twice", text=OTHER),)
    seen = (
        Observation(CHECKS[0], "It adds.", Outcome.FAILED, "3", "4", cause, also=also),
        Observation(CHECKS[1], "It sums.", Outcome.PASSED),
        Observation(CHECKS[2], "The mean.", Outcome.PASSED),
    )
    return SampleResult(submission(files={"s1_sums.py": data}), seen)


def report(feedback: Feedback, *, for_staff: bool = False, cause: Cause = KNOWN) -> Report:
    rubric = replace(RUBRIC, feedback=feedback)
    return report_on(graded(cause=cause), rubric, for_staff=for_staff)


def terminal(of: Report) -> str:
    return "".join(pieces(of, Console(width=100), Path("/")))


def watched(of: Report) -> str:
    progress = Progress(("s1.add",), reports={"s1.add": of}, current="s1.add")
    return Screen(100, "utf-8", colour=False, has_keys=True, cwd=Path("/")).page(progress)


def exported(of: Report) -> str:
    part = of.exercises[0]
    return "".join(criterion_in_words(part, grade) for grade in part.grade.criteria)


FORMATS: dict[str, Callable[[Report], str]] = {
    "terminal": terminal,
    "watch": watched,
    "markdown": markdown.rendered,
    "junit": junit.rendered,
    "json": json.rendered,
    "exports": exported,
}


@pytest.mark.parametrize("rendered", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("feedback", [ON_REQUEST, SECOND_TRY], ids=["request", "tries"])
def test_no_format_names_a_cause_that_is_kept_back(
    rendered: Callable[[Report], str], feedback: Feedback
) -> None:
    text = rendered(report(feedback))

    assert [one for one in (SENTENCE, OTHER, "add.minus") if one in text] == []


@pytest.mark.parametrize("rendered", FORMATS.values(), ids=FORMATS)
def test_every_format_names_it_at_once_where_nothing_else_is_wanted(
    rendered: Callable[[Report], str],
) -> None:
    assert SENTENCE in rendered(report(Feedback()))


@pytest.mark.parametrize("rendered", FORMATS.values(), ids=FORMATS)
def test_every_format_names_it_on_request(
    rendered: Callable[[Report], str], tmp_path: Path
) -> None:
    asked_for = known_by_now(report(ON_REQUEST), ON_REQUEST, on_request=True, folder=tmp_path)

    assert SENTENCE in rendered(asked_for)


def test_a_page_folds_it_away_below_the_hints() -> None:
    text = page.rendered(report(ON_REQUEST))
    before, _summary, folded = text.partition('<details class="why kept">')

    assert SENTENCE not in before
    assert SENTENCE in folded.partition("</details>")[0]
    assert OTHER in folded.partition("</details>")[0]
    assert "kept" not in page.rendered(report(Feedback())).partition("<body")[2]


def test_staff_reads_it_whatever_students_do() -> None:
    assert SENTENCE in json.rendered(report(ON_REQUEST, for_staff=True))


def test_a_pattern_in_the_numbers_is_always_named() -> None:
    assert PATTERN.text in terminal(report(ON_REQUEST, cause=PATTERN))


def test_what_to_read_about_does_not_name_it_either() -> None:
    kept = replace(report(ON_REQUEST), has_hints=True)

    assert explainable(kept) == "s1.add/shapes"


def test_the_sentence_in_its_place_says_how_to_read_it() -> None:
    assert "likely cause  known. Look for it yourself first, with the hints. To read it:" in (
        terminal(report(ON_REQUEST))
    )


def test_each_new_version_that_fails_is_a_try(tmp_path: Path) -> None:
    rubric = replace(RUBRIC, feedback=SECOND_TRY)

    def names_it(data: bytes) -> bool:
        tried = report_on(graded(data), rubric)
        return SENTENCE in terminal(known_by_now(tried, SECOND_TRY, folder=tmp_path))

    tries = [b"def add(): 1\n", b"def add(): 1\n", b"def add(): 2\n", b"def add(): 1\n"]
    assert [names_it(data) for data in tries] == [False, False, True, True]


def test_a_request_does_not_wait_for_tries(tmp_path: Path) -> None:
    asked_for = known_by_now(report(SECOND_TRY), SECOND_TRY, on_request=True, folder=tmp_path)

    assert SENTENCE in terminal(asked_for)


def test_watching_names_it_after_a_key(tmp_path: Path) -> None:
    progress = Progress(("s1.add",), reports={"s1.add": report(ON_REQUEST)}, current="s1.add")
    screen = Screen(100, "utf-8", colour=False, has_keys=True, cwd=Path("/"))
    before, after = screen.page(progress), screen.page(progress.with_causes())

    assert SENTENCE not in before and "c cause" in before
    assert SENTENCE in after and "c cause" not in after
    assert "c cause" not in screen.page(replace(progress, reports={"s1.add": report(Feedback())}))


def test_a_save_keeps_it_back_again() -> None:
    kept = report(ON_REQUEST)
    progress = Progress(("s1.add",), reports={"s1.add": kept}, current="s1.add").with_causes()

    assert not progress.with_reports({"s1.add": kept}).causes
    assert not progress.in_front("s2.mean").causes
    assert progress.in_front("s1.add").causes


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(b"s1.add\ns1.add short\n" + b"x" * 100_000, id="no versions"),
    ],
)
def test_a_memory_that_cannot_be_read_counts_from_one(tmp_path: Path, content: bytes) -> None:
    counted(tmp_path, "here", {"s1.add": b"one"})
    (file,) = tmp_path.iterdir()
    assert counted(tmp_path, "here", {"s1.add": b"two"}) == {"s1.add": 2}
    file.write_bytes(content)

    assert counted(tmp_path, "here", {"s1.add": b"three"}) == {"s1.add": 1}


def test_where_nothing_can_be_written_each_try_is_the_first(tmp_path: Path) -> None:
    file = tmp_path / "no-folder"
    file.write_text("in the way")

    for data in (b"one", b"two"):
        assert counted(file, "here", {"s1.add": data}) == {"s1.add": 1}


def test_places_are_counted_apart(tmp_path: Path) -> None:
    counted(tmp_path, "here", {"s1.add": b"one"})

    assert counted(tmp_path, "there", {"s1.add": b"two", "s2.mean": b"three"}) == {
        "s1.add": 1,
        "s2.mean": 1,
    }
