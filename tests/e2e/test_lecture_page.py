"""The page for a lecture is one sheet of paper, and readable by everybody."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.class_report.html.lecture import rendered_lecture
from grader.class_report.lecture import LecturePage, TaughtAgain
from grader.class_report.printing import browser as chromium
from grader.class_report.printing import printed
from tests.support import browser

LONG = TaughtAgain(
    "Each score is divided by the width of the whole model and not by the width of one head, " * 2,
    574,
    0.29,
    "With several heads each query has fewer numbers than the model, and its scores spread less. "
    * 6,
    "softmax(Q_h K_hᵀ / √Dh) V_h, with Dh = D / H, for each head h of a layer, " * 2,
)
FULL = LecturePage("attention", 2000, (LONG,) * 6)


def test_six_long_mistakes_fit_on_one_sheet() -> None:
    if chromium() is None:
        pytest.skip("no browser here (apt-get install chromium)")
    pdf = printed(rendered_lecture(FULL))
    assert pdf.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_nothing_is_cut_off_and_nothing_bars_a_reader(
    tmp_path: Path, width: int, scheme: str
) -> None:
    file = tmp_path / "lecture.html"
    file.write_text(rendered_lecture(FULL), encoding="utf-8")
    with browser.opened() as opened, browser.page(opened, file, width, scheme) as (page, said):
        assert browser.by_axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert said == []
