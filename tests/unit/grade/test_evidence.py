"""What was observed, word for word: outcomes, places, causes, and findings that wait for others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grader.grade.evidence import (
    FLAG,
    NOT_YOURS,
    Cause,
    Note,
    Observation,
    Outcome,
    Picture,
    Tried,
    Weights,
    Where,
    could_not_check,
)
from grader.text.language import use_language

CHECK = "s1.add/outputs/test_sum"
WORDS = {
    Outcome.PASSED: ("passed", "통과"),
    Outcome.FAILED: ("failed", "실패"),
    Outcome.NOT_ATTEMPTED: ("not attempted", "아직 풀지 않음"),
    Outcome.STUDENT_ERROR: ("student error", "제출 코드 오류"),
    Outcome.TIMED_OUT: ("timed out", "시간 초과"),
    Outcome.BLOCKED: ("blocked", "선행 조건 대기"),
    Outcome.CARRIED: ("carried", "이미 감점됨"),
    Outcome.COULD_NOT_CHECK: ("could not check", "검사하지 못함"),
}


@pytest.mark.parametrize("outcome", Outcome)
def test_an_outcome_has_words_in_both_languages(outcome: Outcome) -> None:
    english = outcome.in_words
    use_language("ko")
    assert (english, outcome.in_words) == WORDS[outcome]


def test_outcomes_are_written_as_programs_read_them() -> None:
    assert [str(outcome) for outcome in Outcome] == [
        "passed",
        "failed",
        "not_attempted",
        "student_error",
        "timed_out",
        "blocked",
        "carried",
        "could_not_check",
    ]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        pytest.param(Where("a.py"), "a.py", id="file"),
        pytest.param(Where("a.py", 7), "a.py:7", id="line"),
        pytest.param(Where("a.ipynb", cell=2), "a.ipynb cell 2", id="cell"),
        pytest.param(Where("a.ipynb", 7, 2), "a.ipynb cell 2:7", id="line of a cell"),
    ],
)
def test_a_place_is_written_so_that_it_can_be_opened(where: Where, words: str) -> None:
    assert str(where) == words


def test_a_place_was_found_and_not_guessed_unless_it_says_so() -> None:
    assert not Where("a.py").likely


@pytest.mark.parametrize("kind", ["shape", "value", "nan", "infinity", "leak", "fit"])
def test_what_is_only_seen_names_no_mistake(kind: str) -> None:
    assert Cause(kind, "", 1, 1).is_observation
    assert Cause(f"{kind}.axes_swapped", "", 1, 1).is_observation
    assert not Cause(f"s1.{kind}", "", 1, 1).is_observation


def test_a_cause_is_shown_unless_it_is_kept_back_and_stays_the_same_cause() -> None:
    shown = Cause("s1.mean", "It divides by 2.", 1, 1)
    assert not shown.is_kept_back
    assert shown == Cause("s1.mean", "It divides by 2.", 1, 1, is_kept_back=True)


def test_what_was_tried_is_written_as_programs_read_it() -> None:
    assert [str(tried) for tried in Tried] == [
        "call",
        "connection",
        "network",
        "process",
        "file",
        "other",
        "",
    ]


class TestBlocked:
    FAILED = Observation(CHECK, "A title.", Outcome.FAILED, "3", "4", notes=("first",))

    def test_it_says_what_it_waits_for_and_keeps_the_finding_as_a_note(self) -> None:
        blocked = self.FAILED.blocked_by(["s1.mean", "s1.sum/shapes"])
        assert blocked == Observation(
            CHECK,
            "A title.",
            Outcome.BLOCKED,
            "needs s1.mean and s1.sum/shapes to pass first",
            "4",
            notes=("first", "failed: 3"),
            needs=("s1.mean", "s1.sum/shapes"),
        )

    def test_what_found_nothing_gets_no_note(self) -> None:
        silent = Observation(CHECK, "", Outcome.TIMED_OUT, notes=("first",))
        assert silent.blocked_by(["s1.mean"]).notes == ("first",)


class TestCouldNotCheck:
    def test_the_reason_is_for_the_staff_alone(self) -> None:
        found = could_not_check(CHECK, "A title.", "test_add.py:3: ZeroDivisionError")
        assert found.outcome is Outcome.COULD_NOT_CHECK
        assert (found.check, found.title) == (CHECK, "A title.")
        assert (
            found.observed
            == NOT_YOURS
            == (
                "this could not be checked, and not because of your code: "
                "whoever runs the course can see why"
            )
        )
        assert found.for_staff == "test_add.py:3: ZeroDivisionError"

    def test_without_a_reason_the_staff_reads_what_the_student_does(self) -> None:
        assert Observation(CHECK, "", Outcome.FAILED, "3").for_staff == "3"


def test_a_check_is_one_of_a_criterion_of_an_exercise() -> None:
    deep = Observation("s1.add/outputs/test_sum[a/b]", "", Outcome.PASSED)
    assert (deep.exercise, deep.criterion) == ("s1.add", "outputs")


def test_an_observation_says_nothing_that_was_not_seen() -> None:
    assert Observation(CHECK, "", Outcome.PASSED) == Observation(
        check=CHECK,
        title="",
        outcome=Outcome.PASSED,
        observed="",
        expected="",
        cause=None,
        where=None,
        notes=(),
        precision=None,
        also=(),
        picture=None,
        weights=None,
        needs=(),
        staff="",
    )


def test_what_was_added_for_readers_makes_no_difference() -> None:
    plain = Observation(CHECK, "", Outcome.PASSED)
    example: Any = "an input"
    lines: Any = "some lines"
    assert plain == replace(
        plain,
        counterexample=example,
        nothing_small=True,
        right_lines=lines,
        fingerprint="f",
        tried=Tried.FILE,
    )
    assert (plain.counterexample, plain.nothing_small, plain.right_lines) == (None, False, None)
    assert (plain.fingerprint, plain.tried, plain.finding) == ("", Tried.NOTHING, None)


def test_a_duration_makes_no_difference() -> None:
    quick = Observation(CHECK, "", Outcome.PASSED)
    assert quick == Observation(CHECK, "", Outcome.PASSED, duration_ms=5.0)
    assert quick.duration_ms == 0


class TestWeights:
    def test_the_difference_is_taken_number_by_number(self) -> None:
        weights = Weights(((1.0, 2.0), (3.0, None)), ((0.5, 2.5), (None, 1.0)))
        assert weights.difference == ((0.5, -0.5), (None, None))

    @pytest.mark.parametrize(
        "returned",
        [((1.0,),), ((1.0, 2.0), (3.0,)), ((1.0, 2.0),) * 3],
        ids=["one row", "a short row", "a row too many"],
    )
    def test_of_other_shapes_there_is_none(self, returned: tuple[tuple[float, ...], ...]) -> None:
        assert Weights(returned, ((1.0, 2.0), (3.0, 4.0))).difference is None

    def test_they_are_whole_and_nameless_unless_told(self) -> None:
        weights = Weights(((1.0,),), ((1.0,),))
        assert (weights.axes, weights.cut) == (("", ""), False)


def test_a_note_is_about_no_place_unless_told() -> None:
    assert Note(FLAG, "odd").where is None
    assert FLAG == "flag"


def test_a_picture_is_compared_by_what_it_shows() -> None:
    assert Picture("leaks", "Leaks", ((1.0,),)) == Picture("leaks", "Leaks", ((1.0,),))
    assert Picture("leaks", "Leaks", ((1.0,),)) != Picture("leaks", "Leaks", ((2.0,),))
