"""The pictures of a page are there, of every size, and of the mistake that they are about."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tools.page_pictures import PICTURES, ROOT, SCHEMES, WIDTHS, page

LIMIT_BYTES = 150_000


@pytest.mark.parametrize(("name", "scheme"), PICTURES)
def test_a_picture_is_as_wide_as_it_says_and_small(name: str, scheme: str) -> None:
    """If one is missing, run `make pictures` and look at it."""
    data = PICTURES[name, scheme].read_bytes()
    width, height = struct.unpack(">II", data[16:24])

    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert width == WIDTHS[name]
    assert height > 1000
    assert len(data) < LIMIT_BYTES


def test_light_and_dark_are_two_pictures() -> None:
    for name in WIDTHS:
        light, dark = (PICTURES[name, scheme].read_bytes() for scheme in SCHEMES)
        assert light != dark


def test_the_page_has_weights_a_map_and_the_marked_line(tmp_path: Path) -> None:
    text = page(tmp_path).read_text(encoding="utf-8")

    assert "The mask has no effect: it is not used, or `masked_fill` returns a new tensor" in text
    assert '<figure class="figure heat">' in text
    assert '<figure class="figure leaks">' in text
    assert '<mark><code class="i4">    scores.masked_fill(hidden, -torch.inf)</code></mark>' in text
    assert "Hint 3 of 3: nearly the answer" in text
    assert str(ROOT) not in text
    assert str(tmp_path) not in text
