"""Circles among requirements: each that must be broken is found, and nothing else."""

from __future__ import annotations

import graphlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.cycles import circles

NAMES = ("a", "b", "c", "d")
GRAPHS = st.fixed_dictionaries(
    {name: st.dictionaries(st.sampled_from(NAMES), st.just("edge")) for name in NAMES}
)


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"a": {"b": 1}, "b": {}}, [], id="a chain"),
        pytest.param({"a": {"b": 1, "c": 2}, "b": {"c": 3}, "c": {}}, [], id="two ways"),
        pytest.param({"a": {"a": 1}}, [(("a",), 1)], id="itself"),
        pytest.param({"b": {"a": 1}, "a": {"b": 2}}, [(("b", "a"), 1)], id="in the file's order"),
        pytest.param(
            {"a": {"b": 1}, "b": {"a": 2}, "c": {"d": 3}, "d": {"c": 4}},
            [(("a", "b"), 1), (("c", "d"), 3)],
            id="two circles",
        ),
        pytest.param(
            {"c": {}, "a": {"b": 1}, "b": {"c": 2, "d": 3}, "d": {"a": 4}},
            [(("a", "b", "d"), 1)],
            id="and a way out",
        ),
    ],
)
def test_circles_are_found(
    edges: dict[str, dict[str, int]], found: list[tuple[tuple[str, ...], int]]
) -> None:
    assert list(circles(edges)) == found


@given(GRAPHS)
def test_without_the_edges_that_are_named_there_is_no_circle(
    edges: dict[str, dict[str, str]],
) -> None:
    left = {name: dict(wanted) for name, wanted in edges.items()}
    for circle, _edge in circles(edges):
        steps = zip(circle, (*circle[1:], circle[0]), strict=True)
        assert all(wanted in edges[name] for name, wanted in steps)
        del left[circle[0]][circle[1 % len(circle)]]
    graphlib.TopologicalSorter(left).prepare()
