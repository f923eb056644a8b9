"""Whether what was written for one assignment is built on a class of another."""

from __future__ import annotations

import pytest

from grader.worker.loading import Loaded
from tests.unit.worker.loading.samples import Load

ENTRIES = {"t1_tint": "t1_tint.py", "t2_paint": "t2_paint.py"}
TARGETS = {"t1_tint": ("Tint",), "t2_paint": ("Paint", "Frame")}
TINT = "class Tint:\n    pass\n"
OWN = "class Own:\n    pass\n"


def paint(imports: str, makes: str, more: str = "") -> str:
    return (
        f"{imports}\nclass Paint:\n    def __init__(self):\n        self.tint = {makes}\n"
        f"class Frame:\n    pass\n{more}"
    )


@pytest.mark.parametrize(
    ("tint", "source"),
    [
        pytest.param(TINT, paint("from t1_tint import Tint", "Tint()"), id="imported"),
        pytest.param(TINT, paint("from t1_tint import Tint as T", "T()"), id="other name"),
        pytest.param(TINT, paint("from t1_tint import *", "Tint()"), id="star"),
        pytest.param(TINT, paint("import t1_tint", "t1_tint.Tint()"), id="module"),
        pytest.param(
            TINT, paint("from t1_tint import Tint", "make()", "def make():\n    return Tint()\n"),
            id="through a function",
        ),
        pytest.param(
            TINT, paint("from t1_tint import Tint\nBetter = Tint", "Better()"), id="renamed"
        ),
        pytest.param(
            TINT, paint("from t1_tint import Tint\nclass More(Tint):\n    pass\n", "More()"),
            id="derived",
        ),
        pytest.param("x = 1\n", paint("from t1_tint import Tint", "Tint()"), id="not there"),
        pytest.param(None, paint("from t1_tint import Tint", "Tint()"), id="no file"),
        pytest.param(
            None, paint("from assignments.t1_tint import Tint", "Tint()"), id="no file in a package"
        ),
        pytest.param(None, paint("import t1_tint", "t1_tint.Tint()"), id="no module"),
    ],
)  # fmt: skip
def test_what_uses_it_is_found(load: Load, tint: str | None, source: str) -> None:
    loaded = submission(load, tint, source)
    assert loaded.reaches("t2_paint", ["Paint"], "t1_tint", "Tint")
    assert not loaded.reaches("t2_paint", ["Frame"], "t1_tint", "Tint")
    assert loaded.reaches("t2_paint", ["Frame", "Paint"], "t1_tint", "Tint")


@pytest.mark.parametrize(
    ("tint", "source"),
    [
        pytest.param(TINT, paint("", "None"), id="nothing"),
        pytest.param(TINT, paint("from t1_tint import Tint", "None"), id="imported and not used"),
        pytest.param(
            TINT, paint(f"from t1_tint import Tint\n{OWN}", "Own()"), id="own beside it"
        ),
        pytest.param(TINT, paint(f"from t1_tint import Tint\n{TINT}", "Tint()"), id="own over it"),
        pytest.param(None, paint(f"from t1_tint import Tint\n{TINT}", "Tint()"), id="own, no file"),
        pytest.param(TINT, paint("from t2_other import Tint", "Tint()"), id="from elsewhere"),
        pytest.param(
            TINT + "class Gloss:\n    pass\n", paint("from t1_tint import Gloss", "Gloss()"),
            id="another class",
        ),
    ],
)  # fmt: skip
def test_what_does_not_use_it_is_left_alone(load: Load, tint: str | None, source: str) -> None:
    assert not submission(load, tint, source).reaches("t2_paint", ["Paint"], "t1_tint", "Tint")


def test_in_one_file_it_is_found_too(load: Load) -> None:
    loaded = submission(load, None, paint(OWN, "Own()"))
    assert loaded.reaches("t2_paint", ["Paint"], "t2_paint", "Own")
    assert not loaded.reaches("t2_paint", ["Frame"], "t2_paint", "Own")


def submission(load: Load, tint: str | None, source: str) -> Loaded:
    files = {"t2_paint.py": source} | ({} if tint is None else {"t1_tint.py": tint})
    entries = {stem: path for stem, path in ENTRIES.items() if path in files}
    return load(files, entries=entries, targets=TARGETS)
