"""An answer is known again by its question, on a machine that rounds a little differently."""

from __future__ import annotations

import pytest
import torch

from grader.judge.calls.faults import NotRecorded
from grader.judge.recorded.answers import RecordedAnswers, question

X = torch.randn(3, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def asked(*values: object, check: str = "a1.x/outputs/test") -> RecordedAnswers:
    answers = RecordedAnswers()
    answers.add(question(check, *values), "the answer")
    return RecordedAnswers(answers.content())


@pytest.mark.parametrize("near", [X, X + 1e-12, X * (1 + 1e-10)], ids=["same", "added", "scaled"])
def test_the_same_question_is_answered(near: torch.Tensor) -> None:
    assert asked("f", X).find(question("elsewhere", "f", near), "f") == "the answer"


@pytest.mark.parametrize(
    "other",
    [
        ("g", X),
        ("f", X.T),
        ("f", X.float()),
        ("f", X + 1e-3),
        ("f", -X),
        ("f", X.flip(0)),
        ("f", X, 1),
        ("f", [X]),
        ("f", X.masked_fill(X > 0, float("nan"))),
    ],
    ids=["name", "shape", "dtype", "numbers", "sign", "order", "more", "nested", "missing"],
)
def test_another_question_is_not(other: tuple[object, ...]) -> None:
    with pytest.raises(NotRecorded, match="attend"):
        asked("f", X).find(question("a1.x/outputs/test", *other), "attend")


def test_plain_values_are_compared_exactly() -> None:
    for one, other in ((1, 1.0), (True, 1), ("a", "b"), (None, 0), (0.1, 0.1000001)):
        with pytest.raises(NotRecorded):
            asked("f", one).find(question("a1.x/outputs/test", "f", other), "f")


def test_the_nearest_of_two_questions_is_taken() -> None:
    """Numbers rounded to single precision are another question, and hardly differ."""
    answers = RecordedAnswers()
    rounded = X.float().double()
    answers.add(question("", X), "exact")
    answers.add(question("", rounded), "rounded")
    assert answers.find(question("", X), "f") == "exact"
    assert answers.find(question("", rounded), "f") == "rounded"


def test_a_function_is_known_within_its_check() -> None:
    def model(x: object) -> object:
        return x

    assert asked("f", model).find(question("a1.x/outputs/test", "f", model), "f")
    with pytest.raises(NotRecorded):
        asked("f", model).find(question("a1.x/outputs/other", "f", model), "f")


def test_a_generator_is_known_by_where_it_stands() -> None:
    generator = torch.Generator().manual_seed(3)
    answers = asked("f", generator)
    assert answers.find(question("", "f", torch.Generator().manual_seed(3)), "f")
    torch.rand(1, generator=generator)
    with pytest.raises(NotRecorded):
        answers.find(question("", "f", generator), "f")


def test_an_answer_that_cannot_be_written_is_not_kept() -> None:
    answers = RecordedAnswers()
    answers.add(question("", 1), lambda: 1)
    assert answers.content() == {}
