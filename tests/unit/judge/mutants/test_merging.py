"""Two changes of one text are put into one text, or are told to be no pair."""

from __future__ import annotations

import pytest

from grader.judge.mutants.merging import merged

BASE = """\
def f(q, k, mask):
    scores = q @ k.mT / 4
    weights = scores.softmax(dim=-1)  # B T T
    return weights * mask
"""


def changed(*changes: tuple[str, str]) -> str:
    text = BASE
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("/ 4", "/ 2"), ("* mask", "+ mask")),
        (("dim=-1", "dim=-2"), ("scores.softmax", "(2 * scores).softmax")),
        (("    return", "    weights = weights.round()\n    return"), ("/ 4", "")),
    ],
    ids=["two lines", "one line", "a line more"],
)
def test_both_changes_are_in_it(one: tuple[str, str], other: tuple[str, str]) -> None:
    wanted = changed(one, other)
    assert merged(BASE, changed(one), changed(other)) == wanted
    assert merged(BASE, changed(other), changed(one)) == wanted


def test_what_both_change_alike_is_changed_once() -> None:
    comment = ("  # B T T", "")
    one, other = (comment, ("dim=-1", "dim=0")), (comment, ("scores.softmax", "q.softmax"))
    assert merged(BASE, changed(*one), changed(*other)) == changed(*one, other[1])


def test_one_place_changed_in_two_ways_is_no_pair() -> None:
    assert merged(BASE, changed(("/ 4", "/ 2")), changed(("/ 4", "/ 3"))) is None
    assert merged(BASE, changed(("dim=-1", "dim=0")), changed(("dim=-1)", "dim=-1 - 1)"))) is None
