""" "Run All" in a real kernel: each notebook with the reference pasted in, and as handed out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.notebooks import (
    NOT_YET,
    PICTURES,
    Notebook,
    hand_out,
    joined,
    languages,
    pictures,
    printed,
    run,
    shortened,
    solved,
    stems,
    write,
)

STEMS = stems()
FULL_LENGTH = re.compile(r"^epochs = 30$", re.MULTILINE)


def drawing(notebook: Notebook) -> set[str]:
    """The ids of the cells that would draw something."""
    return {cell["id"] for cell in notebook["cells"] if "plt.subplots" in cell["source"]}


@pytest.mark.parametrize("stem", STEMS)
def test_with_the_reference_every_cell_runs_and_every_picture_is_drawn(
    stem: str, tmp_path: Path
) -> None:
    write({stem: shortened(solved(stem)) for stem in STEMS}, tmp_path)

    ran = run(shortened(solved(stem)), tmp_path)

    drawn = [name for name, _ in pictures(ran)]
    assert len(drawn) == len(set(drawn))
    assert {*drawn} == drawing(ran) != set()
    assert NOT_YET not in printed(ran)
    assert {path.name for path in PICTURES.glob(f"{stem}-*.png")} == {
        f"{stem}-{name}.png" for name in drawn
    }


def test_in_another_language_the_same_cells_run_and_draw(tmp_path: Path) -> None:
    """One notebook here, and all of them in `make notebooks`."""
    assert languages() == ("en", "ko")
    write({stem: shortened(solved(stem, "ko")) for stem in STEMS}, tmp_path)

    ran = run(shortened(solved("a2_masking", "ko")), tmp_path)

    assert {name for name, _ in pictures(ran)} == drawing(ran) == drawing(solved("a2_masking"))
    assert "그림으로 보는 마스크" in "".join(cell["source"] for cell in ran["cells"])


def test_a_fresh_hand_out_runs_to_its_end_and_says_what_is_missing(tmp_path: Path) -> None:
    handed_out = {stem: hand_out(stem) for stem in STEMS}
    write(handed_out, tmp_path)

    ran = run(joined(handed_out), tmp_path)

    demos = [cell for cell in ran["cells"] if "with grader.trying()" in cell["source"]]
    silent = [cell["id"] for cell in demos if NOT_YET not in printed({"cells": [cell]})]
    assert len(demos) > 50
    assert silent == []
    assert list(pictures(ran)) == []


def test_training_is_cut_short_where_it_is_found() -> None:
    cells = [cell["source"] for cell in shortened(hand_out("a4_vit"))["cells"]]

    assert not any(FULL_LENGTH.search(cell) for cell in cells)
    assert sum("epochs = 1\n" in cell for cell in cells) == 1
    assert any(FULL_LENGTH.search(cell["source"]) for cell in hand_out("a4_vit")["cells"])


def test_a_cell_that_fails_is_not_passed_over(tmp_path: Path) -> None:
    from nbclient.exceptions import CellExecutionError

    notebook = hand_out(STEMS[0])
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")

    with pytest.raises(CellExecutionError, match="no_such_name"):
        run({**notebook, "cells": [{**cell, "source": "no_such_name"}]}, tmp_path)
