"""Other seeds reach both trainings of the last notebook, and a margin that is missed is seen."""

from __future__ import annotations

import pytest

from tools.notebooks import solved
from tools.seeds import MARGINS, STEM, Trained, with_seed


def sources(notebook: dict[str, list[dict[str, str]]]) -> str:
    return "\n".join(cell["source"] for cell in notebook["cells"])


def test_another_seed_stands_before_both_trainings() -> None:
    changed = sources(with_seed(solved(STEM), 7))

    assert changed.count("torch.manual_seed(7)") == 2
    assert "torch.manual_seed(0)" not in changed


def test_what_is_read_at_the_end_stands_in_the_notebook() -> None:
    notebook = sources(solved(STEM))

    for name in ("bigram = ", "curve = {}", "NAMES = ", "of_pairs = ", "curves = {}"):
        assert name in notebook


@pytest.mark.parametrize(
    ("loss", "far_below"), [pytest.param(2.0, True, id="at"), pytest.param(2.1, False, id="above")]
)
def test_a_loss_is_held_against_the_margin_of_its_text(loss: float, far_below: bool) -> None:
    assert MARGINS["constitution"] == 1.0

    assert Trained("constitution", 3.0, loss, 60.0).is_far_below == far_below
