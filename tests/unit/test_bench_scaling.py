"""The model of a class on more cores: what bounds it, and that its page holds what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.scaling import BEGIN, END, Costs

ROOT = Path(__file__).resolve().parents[2]
COSTS = Costs(start_s=3.0, cpu_s=0.4, parent_s=0.005, merge_s=0.001, fixed_mb=200, lane_mb=100)


@pytest.mark.parametrize(("cores", "rate"), [(1, 2.5), (2, 5.0), (64, 160.0), (128, 200.0)])
def test_cores_add_up_until_the_parent_is_busy(cores: int, rate: float) -> None:
    assert COSTS.rate(cores) == pytest.approx(rate)
    assert COSTS.rate(cores, machines=3) == pytest.approx(3 * rate)


def test_the_parent_is_busy_from_as_many_cores_on_as_its_share_says() -> None:
    assert COSTS.saturated_cores == 80
    assert COSTS.rate(79) < COSTS.rate(80) == COSTS.rate(81)


def test_what_bounds_a_class_is_named() -> None:
    assert COSTS.bound(2) == "cores"
    assert COSTS.bound(80) == COSTS.bound(80, machines=2) == "the parent"
    assert COSTS.bound(80, machines=6) == "merging"


def test_parts_are_merged_one_after_the_other() -> None:
    assert COSTS.seconds(1000, 2) == pytest.approx(3.0 + 200.0)
    assert COSTS.seconds(1000, 2, machines=2) == pytest.approx(3.0 + 100.0 + 1.0)


def test_the_page_is_made_of_the_numbers_beside_it() -> None:
    costs = Costs(**json.loads((ROOT / "docs/scaling.json").read_text(encoding="utf-8")))
    page = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
    table = page[page.index(BEGIN) : page.index(END)]
    assert f"{costs.cpu_s * 1e3:.0f} ms" in table and f"{costs.parent_s * 1e3:.1f} ms" in table
    assert f"| 1 x 64 | {costs.rate(64):.0f} |" in table
