"""Changes of lines: where they fit, and what stands there afterwards."""

from __future__ import annotations

import pytest

from grader.course.edit import Edit

TEXT = """\
def f(x):
    y = x * 2  # B T

    if y.any():
        y = x * 2
        return y
    return x"""


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (("-y = x * 2", "+y = x"), 2),
        (("-y = x * 2  # B T", "+y = x"), 1),
        (("-y = x * 2", "+y = x", " return y"), 1),
        (("-y = x * 2", " ", "-if y.any():", "+if y:"), 1),
        (("-if y.any():", "-    y = x * 2", "+pass"), 1),
        (("-if y.any():", "-y = x * 2", "+pass"), 0),
        (("-y = x", "+y = 1"), 0),
        (("+y = 1",), 0),
        (("-", "+y = 1"), 0),
    ],
    ids=[
        "at-two-depths", "with-its-comment", "with-what-follows", "over-a-blank-line",
        "two-depths-in-one", "depths-that-differ", "part-of-a-line", "nothing-old", "blank",
    ],
)  # fmt: skip
def test_an_edit_fits_where_whole_lines_are_the_same_but_for_depth_and_comment(
    lines: tuple[str, ...], count: int
) -> None:
    assert len(Edit(lines).applied(TEXT)) == count


def test_what_comes_stands_as_deep_as_what_goes() -> None:
    (found,) = Edit(("-y = x * 2", "+with off():", "+    y = x", "+", " return y")).applied(TEXT)

    old, new = "        y = x * 2\n", "        with off():\n            y = x\n\n"
    assert found == TEXT.replace(old, new)
