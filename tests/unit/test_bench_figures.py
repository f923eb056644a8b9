"""Figures with a target: what holds, and that their page is made of the numbers beside it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.bench.figures import BEGIN, END, KEY, Figure, keep, table
from tests.bench.marked_watch import mark
from tests.bench.reaching import Round, figures_of
from tests.bench.watching import Edit

ROOT = Path(__file__).resolve().parents[2]
FIGURE = Figure("a fork", (1.0, 3.0, 2.0), "ms", 2.0, "of a worker")


@pytest.mark.parametrize(("most", "holds"), [(2.0, True), (1.9, False), (None, None)])
def test_the_median_is_held_to_the_target(most: float | None, holds: bool | None) -> None:
    figure = Figure("a fork", (1.0, 9.0, 2.0), "ms", most)

    assert figure.row().holds is holds
    assert figure.value == "2.00 ms"


def test_a_single_sample_has_no_spread() -> None:
    assert FIGURE.spread == "1.50 to 2.50 (3)"
    assert Figure("a fork", (1.0,), "ms", None).spread == ""


def test_figures_take_the_place_of_older_ones_and_leave_others(tmp_path: Path) -> None:
    for name in ("benchmarks.md", "benchmarks.json"):
        shutil.copy(ROOT / "docs" / name, tmp_path)
    before = json.loads((tmp_path / "benchmarks.json").read_text(encoding="utf-8"))

    keep(tmp_path, "faults", [FIGURE], 0.5)

    numbers = json.loads((tmp_path / "benchmarks.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in numbers[KEY]["faults"]["figures"]] == ["a fork"]
    assert numbers["rows"] == before["rows"]
    assert numbers[KEY].get("watch-all") == before.get(KEY, {}).get("watch-all")
    line = "| a fork (of a worker) | 2.00 ms | 1.50 to 2.50 (3) | at most 2 ms | yes |"
    assert line in (tmp_path / "benchmarks.md").read_text(encoding="utf-8")


def test_the_page_is_made_of_the_numbers_beside_it() -> None:
    numbers = json.loads((ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")

    assert f"{BEGIN}\n{table(numbers[KEY])}\n{END}" in page


def test_an_edit_is_compared_with_the_import_of_its_own_round() -> None:
    edit = Edit("a1.sdpa", "a1_attention", "", "outputs", reached=12)
    spoilt, mended = figures_of(edit, [Round(2.0, 1.0, 2.0), Round(6.0, 1.0, 4.0)])

    assert spoilt.samples == (1.0, 1.5)
    assert mended.samples == (0.5, 0.25)
    assert "a1.sdpa and 12 others" in spoilt.name


def test_marks_of_two_saves_are_different() -> None:
    assert mark(1) not in mark(11)
