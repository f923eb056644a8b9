"""What is written for the author: the shortest lines of a diff that fit the reference once."""

from __future__ import annotations

import pytest

from grader.course.edit import Edit
from grader.validate.lens.proposal import NoProposal, _plain, diff_of

REFERENCE = """\
def layer(x, mask):
    scores = x @ x.mT  # T T
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    # Each row adds up to 1.
    weights = torch.softmax(scores, dim=-1)
    weights = weights * 2
    return weights @ x"""


@pytest.mark.parametrize(
    ("old", "new", "diff"),
    [
        (
            "torch.softmax(scores, dim=-1)",
            "(torch.softmax)(scores, dim=-2)",
            (
                "-weights = torch.softmax(scores, dim=-1)",
                "+weights = torch.softmax(scores, dim=-2)",
            ),
        ),
        (
            "scores = x @ x.mT  # T T",
            "scores = (x.mT @ x)",
            ("-scores = x @ x.mT", "+scores = (x.mT @ x)"),
        ),
        (
            "    if mask is not None:\n        scores = scores.masked_fill(mask, -1e9)",
            "    pass",
            (
                "-if mask is not None:",
                "-    scores = scores.masked_fill(mask, -1e9)",
                "+pass",
            ),
        ),
    ],
    ids=["one line", "with a shape beside it", "a block"],
)
def test_the_lines_that_differ_fit_the_reference_once(
    old: str, new: str, diff: tuple[str, ...]
) -> None:
    assert REFERENCE.count(old) == 1
    lines = diff_of(REFERENCE, REFERENCE.replace(old, new))

    assert lines == diff
    assert len(Edit(lines).applied(REFERENCE)) == 1


def test_a_line_that_is_there_twice_comes_with_the_one_before_it() -> None:
    twice = "def f(x):\n    x = x + 1\n    y = x\n    x = x + 1\n    return x * y"
    last = twice.rindex("x + 1")
    lines = diff_of(twice, twice[:last] + "x - 1" + twice[last + 5 :])

    assert lines == (" y = x", "-x = x + 1", "+x = x - 1")


def test_two_edits_are_one_entry_with_what_stands_between() -> None:
    changed = REFERENCE.replace("-1e9", "0").replace("* 2", "* 3")
    lines = diff_of(REFERENCE, changed)

    assert [line for line in lines if line[0] != " "] == [
        "-    scores = scores.masked_fill(mask, -1e9)",
        "+    scores = scores.masked_fill(mask, 0)",
        "-weights = weights * 2",
        "+weights = weights * 3",
    ]
    (made,) = Edit(lines).applied(REFERENCE)
    assert "masked_fill(mask, 0)" in made
    assert "weights * 3" in made


def test_what_the_grammar_calls_is_written_out() -> None:
    text = "def f(x):\n    return (_value(x * 2, lambda t: t.half().to(t.dtype)))"
    assert _plain(text) == "def f(x):\n    return ((x * 2).half().to((x * 2).dtype))"
    with pytest.raises(NoProposal, match="first call"):
        _plain("def f(x):\n    y = (_first(lambda: x * 2))\n    return y")
