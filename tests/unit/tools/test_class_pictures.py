"""The pictures of a class report are there, as wide as they say, and small."""

from __future__ import annotations

import struct

import pytest

from tools.class_pictures import CLASS, ROOT, SHOTS, Shot

LIMIT_BYTES = 150_000


@pytest.mark.parametrize("shot", SHOTS, ids=[shot.name for shot in SHOTS])
def test_a_picture_is_there_and_small(shot: Shot) -> None:
    """If one is missing, run `make pictures` and look at it."""
    data = shot.path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])

    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert 0.85 * shot.width < width <= shot.width
    assert height > 300
    assert len(data) < LIMIT_BYTES


def test_each_is_shown_in_the_guide() -> None:
    guide = (ROOT / "docs" / "guide-ta.md").read_text(encoding="utf-8")
    assert [s.name for s in SHOTS if f"pictures/{s.path.name}" not in guide] == []


def test_the_class_is_made_of_submissions_that_are_there() -> None:
    assert [name for name in CLASS if not (ROOT / "tests" / "corpus" / name).is_dir()] == []
