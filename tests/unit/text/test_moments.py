"""A time is one point in time wherever it is read, or it is refused."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.text import moments
from grader.text.moments import DAY_S, Moment, lacks_offset, read_moment, read_span, span_in_short


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T23:59:00+09:00",
        "2026-11-20 23:59+09:00",
        " 2026-11-20T14:59:00Z ",
        "2026-11-20T14:59:00.999Z",
        "2026-11-21T00:29:00+09:30",
    ],
)
def test_one_time_in_other_words(text: str) -> None:
    assert read_moment(text) == read_moment("2026-11-20T14:59:00+00:00")


@pytest.mark.parametrize(
    "text",
    ["", "2026-11-20", "2026-11-20T23:59", "2026-02-30T10:00Z", "2026-11-20T24:30Z", "20 Nov",
     "2026-11-20T23:59+24:00", "0001-01-01T00:00+09:00", "9999-12-31T23:59-09:00",
     "２０２６-11-20T10:00Z"],
)  # fmt: skip
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_moment(text)
    assert lacks_offset(text) == (text == "2026-11-20T23:59")


@given(st.integers(10**9, 4 * 10**9), st.integers(-14 * 4, 14 * 4))
def test_a_moment_is_read_back(seconds: int, quarters: int) -> None:
    moment = Moment(seconds, quarters * 15 * 60)
    again = read_moment(moment.iso)
    assert (again, again.offset_s) == (moment, moment.offset_s)


@given(st.integers(1, 90_000), st.sampled_from("mhd"))
def test_a_span_is_read_back(number: int, unit: str) -> None:
    seconds = read_span(f"{number}{unit}")
    assert seconds is not None
    assert read_span(span_in_short(seconds)) in (seconds, None)
    assert seconds % 60 == 0
    assert unit != "d" or seconds == number * DAY_S


def test_nothing_looks_at_a_clock() -> None:
    tree = ast.parse(Path(moments.__file__).read_text("utf-8"))
    methods = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert "fromisoformat" in methods  # the positive control
    assert not methods & {"now", "today", "utcnow", "time", "fromtimestamp"}
