"""Small pictures say the same with and without colour, and never grow beyond a screen."""

from __future__ import annotations

import math

import pytest

from grader.grade.evidence import Picture
from grader.report.drawing import MOST, drawn, heat_map, leak_map, row_sums

LEAKS = ((1.0, 2.0, 0.0), (1.0, 1.0, 2.0), (3.0, 1.0, 1.0))


def test_a_leak_map_in_full() -> None:
    picture = Picture("leaks", "what each output depends on", LEAKS)

    assert drawn(picture).plain == (
        "what each output depends on\n"
        "   0 1 2\n"
        "0  ■ ✗ ·\n"
        "1  ■ ■ ✗\n"
        "2  ○ ■ ■\n"
        "■ depends, and may   ✗ depends, and must not   ○ should depend, and does not"
    )


def test_a_leak_map_without_unicode() -> None:
    assert leak_map(LEAKS, is_unicode=False).plain.encode("ascii").splitlines()[1] == b"0  # x ."


def test_a_leak_is_red_and_what_is_right_is_green() -> None:
    spans = {str(span.style): None for span in leak_map(LEAKS).spans}

    assert {"bold red", "green", "yellow"} <= set(spans)


def test_row_sums_that_are_wrong_stand_out() -> None:
    text = row_sums(((1.0, 0.9999999, 0.43), (math.nan, 1.0, 2.0)))

    assert text.plain == "1.00 1.00 0.43\nnan 1.00 2.00"
    wrong = [text.plain[s.start : s.end] for s in text.spans if str(s.style) == "bold red"]
    assert wrong == ["0.43", "nan", "2.00"]


def test_numbers_become_blocks() -> None:
    picture = Picture("values", "weights", ((0.0, 0.25, 0.5), (0.75, 1.0, math.inf)))

    assert drawn(picture).plain == "weights\n    0  1  2\n0     ░░ ▒▒\n1  ▓▓ ██ !!"


@pytest.mark.parametrize("draw", [leak_map, heat_map, row_sums])
def test_a_large_picture_is_cut_and_says_so(draw: object) -> None:
    text = draw(((1.0,) * 90,) * 70).plain  # type: ignore[operator]

    assert "… of 70 rows and 90 columns" in text
    assert len(text.splitlines()) <= MOST + 3
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("draw", [leak_map, heat_map, row_sums])
def test_an_empty_picture_is_no_error(draw: object) -> None:
    assert isinstance(draw(()).plain, str)  # type: ignore[operator]


@pytest.mark.parametrize("kind", ["leaks", "row_sums", "values"])
@pytest.mark.parametrize("room", [38, 58])
def test_a_picture_has_as_many_columns_as_there_is_room_for(kind: str, room: int) -> None:
    rows = tuple((1.0,) * 16 for _ in range(16))
    lines = drawn(Picture(kind, "title", rows), room=room).plain.splitlines()

    assert max(map(len, lines)) <= room
    is_cut = (kind, room) not in {("leaks", 38), ("leaks", 58), ("values", 58)}
    assert ("… of 16 rows and 16 columns" in lines) == is_cut
