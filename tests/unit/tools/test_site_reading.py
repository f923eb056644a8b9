"""What axe-core finds in pages of Sphinx is mended, and what is right stays as it is."""

from __future__ import annotations

import pytest

from grader.text.language import LANGUAGES
from tools.site_reading import LABELS, mended


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<p class="caption" role="heading">x</p>', '<p class="caption">x</p>'),
        (
            '<aside class="toc-drawer">',
            '<aside class="toc-drawer" aria-label="On this page">',
        ),
        ("<pre>a</pre>", '<pre tabindex="0">a</pre>'),
        ('<tr><th class="head"><p></p></th>', '<tr><td class="head"></td>'),
        ('<th class="head"><p>x</p></th>', '<th class="head"><p>x</p></th>'),
    ],
)
def test_one_thing_is_mended_once(before: str, after: str) -> None:
    page = f"<h1>x</h1>{before}"
    assert mended(page, "en") == f"<h1>x</h1>{after}"
    assert mended(mended(page, "en"), "en") == mended(page, "en")


def test_a_page_without_a_title_gets_one_in_its_language() -> None:
    page = '<article role="main" id="furo-main-content"><p>x</p>'
    assert mended(page, "ko") == page.replace("<p>", "\n<h1>검색</h1><p>")
    assert mended(f"<h1>y</h1>{page}", "ko") == f"<h1>y</h1>{page}"


def test_every_language_of_the_site_has_its_labels() -> None:
    assert set(LABELS) == set(LANGUAGES)
