"""A shape is explained by the names of its axes."""

from __future__ import annotations

import pytest

from grader.judge.diagnose.knowledge import Knowledge
from grader.judge.diagnose.shapes import shape_finding

WORDS = {2: "batch", 5: "tokens", 3: "heads", 4: "head_dim"}


@pytest.mark.parametrize(
    ("observed", "expected", "id", "told"),
    [
        (
            (2, 5, 3, 4),
            (2, 3, 5, 4),
            "shape.axes_swapped",
            "you returned (batch, tokens, heads, head_dim) in place of "
            "(batch, heads, tokens, head_dim): swap axes 1 and 2",
        ),
        (
            (5, 3, 2, 4),
            (2, 3, 4, 5),
            "shape.axes_reordered",
            "you returned (tokens, heads, batch, head_dim) in place of "
            "(batch, heads, head_dim, tokens): put the axes in the order 2, 1, 3, 0",
        ),
        (
            (2, 5, 3, 4),
            (2, 5, 12),
            "shape.axes_not_merged",
            "you returned (batch, tokens, heads, head_dim) in place of (batch, tokens, 12): "
            "axes 2 and 3, (heads, head_dim), should be one",
        ),
        (
            (2, 5, 12),
            (2, 5, 3, 4),
            "shape.axes_merged",
            "you returned (batch, tokens, 12) in place of (batch, tokens, heads, head_dim): "
            "axis 2 should be two, (heads, head_dim)",
        ),
        (
            (2, 4),
            (2, 5, 4),
            "shape.axis_missing",
            "you returned (batch, head_dim) in place of (batch, tokens, head_dim): "
            "axis 1, (tokens), is gone",
        ),
        (
            (2, 5, 4, 3),
            (2, 5, 4),
            "shape.axis_too_many",
            "you returned (batch, tokens, head_dim, heads) in place of "
            "(batch, tokens, head_dim): axis 3, (heads), is too many",
        ),
        (
            (12, 3),
            (4, 9),
            "shape.moved",
            "you returned (12, heads) in place of (head_dim, 9): axis 0 is 3 times as long as it "
            "should be, and axis 1 that much shorter: something is cut along axis 1, or merged "
            "into axis 0",
        ),
        (
            (2, 16, 7),
            (2, 17, 7),
            "shape.other",
            "you returned (batch, 16, 7) in place of (batch, 17, 7): along axis 1 one is missing",
        ),
        (
            (2, 18, 7),
            (2, 17, 7),
            "shape.other",
            "you returned (batch, 18, 7) in place of (batch, 17, 7): along axis 1 there is one "
            "too many",
        ),
        (
            (4,),
            (1, 4),
            "shape.squeezed",
            "you returned (head_dim) in place of (1, head_dim): "
            "an axis of length 1 is gone, as `squeeze` does it",
        ),
        (
            (2, 1, 4),
            (2, 4),
            "shape.unsqueezed",
            "you returned (batch, 1, head_dim) in place of (batch, head_dim): "
            "there is an axis of length 1 too many",
        ),
        (
            (2, 7),
            (2, 5),
            "shape.other",
            "you returned (batch, 7) in place of (batch, tokens)",
        ),
        (
            (4, 2, 4),
            (2, 4, 4),
            "shape.axes_swapped",
            "you returned (4, 2, 4) in place of (2, 4, 4): swap axes 0 and 1",
        ),
    ],
)
def test_a_wrong_shape_in_words(
    observed: tuple[int, ...], expected: tuple[int, ...], id: str, told: str
) -> None:
    found = shape_finding(observed, expected, WORDS)
    assert found is not None
    assert (found.id, found.text) == (id, told)


@pytest.mark.parametrize(
    ("observed", "expected", "told"),
    [
        ((3, 9, 9), (2, 9, 9), "axis 0 has the length of heads, and should have that of batch"),
        ((3, 9, 9), (1, 9, 9), ""),
        ((2, 2, 2), (2, 2, 4), ""),
        ((2, 1, 3), (2, 1, 2), "along axis 2 there is one too many"),
        ((3, 9, 9), (2, 8, 9), ""),
        ((3, 9), (2, 9, 9), ""),
    ],
)
def test_one_axis_with_anothers_length(
    observed: tuple[int, ...], expected: tuple[int, ...], told: str
) -> None:
    found = shape_finding(observed, expected, WORDS)
    assert found is not None
    assert found.id == "shape.other"
    assert found.text.partition(": ")[2] == told


def test_a_right_shape_is_not_mentioned() -> None:
    assert shape_finding((2, 5), (2, 5), WORDS) is None


def test_a_length_that_two_axes_have_is_shown_as_a_number() -> None:
    knowledge = Knowledge({"B": "batch", "T": "tokens", "H": "heads"})
    assert knowledge.words({"B": 2, "T": 5, "H": 5, "X": 9}) == {2: "batch"}


def test_lengths_that_follow_are_named_as_well() -> None:
    knowledge = Knowledge(
        {"D": "width", "DH": "head_dim"}, lambda sizes: {"DH": sizes["D"] // sizes["H"]}
    )
    assert knowledge.words({"D": 12, "H": 3}) == {12: "width", 4: "head_dim"}
    assert knowledge.words({"D": 2, "H": 3}) == {2: "width"}
