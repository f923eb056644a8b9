"""When two wrong programs count as the same, and when not."""

from __future__ import annotations

import pytest

from grader.validate.lens.likeness import FailedChecks, alike

SEEN = "2 (2x3:0:1.234:-0.120) (4:1:0.5:0.100)"


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (SEEN, True),
        ("2 (2x3:0:1.235:-0.121) (4:1:0.5:0.100)", True),
        ("2 (2x3:0:1.25:-0.120) (4:1:0.5:0.100)", False),
        ("2 (2x3:0:1.234:0.120) (4:1:0.5:0.100)", False),
        ("2 (3x2:0:1.234:-0.120) (4:1:0.5:0.100)", False),
        ("2 (2x3:0:1.234:-0.120) (4:0:0.5:0.100)", False),
        ("3 (2x3:0:1.234:-0.120) (4:1:0.5:0.100)", False),
        ("2 (2x3:0:1.234:-0.120)", False),
        ("", False),
    ],
)
def test_numbers_may_differ_in_their_last_digit_and_nothing_else_may(
    other: str, expected: bool
) -> None:
    assert alike(SEEN, other) is expected
    assert alike(other, SEEN) is expected


def test_the_same_program_fails_the_same_checks_with_the_same_numbers() -> None:
    seen = FailedChecks({"a": "1 (2:0:1.5:0.5)", "b": "1 (2:0:2.5:0.5)"}, frozenset("c"))
    close = FailedChecks({"a": "1 (2:0:1.501:0.5)", "b": "1 (2:0:2.5:0.5)"}, frozenset("d"))
    fewer = FailedChecks({"a": "1 (2:0:1.5:0.5)"})
    more = FailedChecks({**seen.numbers, "e": "1 (2:0:1.5:0.5)"})
    other = FailedChecks({**seen.numbers, "b": "1 (2:0:9.5:0.5)"})

    assert seen.is_same(close)
    assert seen.differs_in(close) == 2
    assert [seen.is_same(one) for one in (fewer, more, other)] == [False, False, False]
    assert [seen.reproduced_by(one) for one in (close, fewer, more, other)] == [2, 1, 2, 1]


def test_where_a_student_was_not_judged_an_edit_may_compute_anything() -> None:
    """A criterion that waits for another one is judged of an edit, which is graded for itself."""
    waiting = FailedChecks({"a": "1 (2:0:1.5:0.5)"}, unjudged=frozenset({"b", "c"}))
    edit = FailedChecks({**waiting.numbers, "b": "1 (2:0:2.5:0.5)"}, frozenset("c"))

    assert waiting.is_same(edit)
    assert waiting.differs_in(edit) == 0
    assert not FailedChecks(waiting.numbers).is_same(edit)
