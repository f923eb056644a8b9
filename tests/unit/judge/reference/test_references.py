"""References import each other as hand-outs do, and what cannot work is told with its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.judge.reference.references import ReferenceBroken, References

STEMS = ("t1_sums", "t2_means", "t3_spreads")
SUMS = "def add_up(numbers):\n    return sum(numbers)\n"
MEANS = """
from t1_sums import add_up

def mean(numbers):
    return add_up(numbers) / len(numbers)
"""
SPREADS = """
import t1_sums
from t2_means import mean as middle

def spread(numbers):
    return t1_sums.add_up(abs(number - middle(numbers)) for number in numbers)
"""


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    path, before = [*sys.path], set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def course(folder: Path, *sources: str, **others: str) -> References:
    texts = {**dict(zip(STEMS, sources, strict=False)), **others}
    (folder / "reference").mkdir()
    for stem, text in texts.items():
        (folder / "reference" / f"{stem}.py").write_text(text, encoding="utf-8")
    return References(folder, STEMS)


def test_a_reference_imports_others_by_their_bare_names(tmp_path: Path) -> None:
    references = course(tmp_path, SUMS, MEANS, SPREADS)
    assert references.module("t3_spreads").spread([1, 2, 6]) == 6


def test_all_import_the_same_module(tmp_path: Path) -> None:
    references = course(tmp_path, SUMS, MEANS, SPREADS)
    means = references.module("t2_means")
    assert references.module("t3_spreads").middle is means.mean
    assert references.module("t1_sums").add_up is means.add_up


def test_who_imports_a_rewritten_reference_gets_that_one(tmp_path: Path) -> None:
    references = course(tmp_path, SUMS, MEANS, SPREADS)
    wrong = references.rewritten("t1_sums", SUMS.replace("sum", "max"))
    assert wrong.module("t2_means").mean([1, 2, 6]) == 2
    assert references.module("t2_means").mean([1, 2, 6]) == 3
    assert sys.modules["reference.t2_means"] is references.module("t2_means")


def test_its_name_is_known_while_it_runs(tmp_path: Path) -> None:
    asks = "import sys\nfound = __name__ in sys.modules\n"
    assert course(tmp_path, asks).module("t1_sums").found


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        pytest.param(
            ("from t2_means import mean\n", "x = 1\nimport t1_sums\n"),
            "t2_means.py:2  references import each other in a circle: "
            "t1_sums -> t2_means -> t1_sums",
            id="circle",
        ),
        pytest.param(
            ("\nfrom t1_sums import add_up\n",),
            "t1_sums.py:2  references import each other in a circle: t1_sums -> t1_sums",
            id="itself",
        ),
        pytest.param(
            ("\nfrom roles import ROLES\n",),
            "t1_sums.py:2  roles is no assignment of rubric.yaml: t1_sums, t2_means, t3_spreads",
            id="no assignment",
        ),
        pytest.param(
            ("\nfrom t9_odd import add_up\n",),
            "t1_sums.py:2  ModuleNotFoundError: No module named 't9_odd'",
            id="no file",
        ),
        pytest.param(
            ("from t3_spreads import spread\n",),
            "t3_spreads.py  there is no such reference",
            id="no reference",
        ),
        pytest.param(
            ("from t2_means import mode\n", "mean = 1\n"),
            "t1_sums.py:1  ImportError: cannot import name 'mode'",
            id="no such name",
        ),
        pytest.param(
            ("x = 1\n\ny = x / 0\n",),
            "t1_sums.py:3  ZeroDivisionError: division by zero",
            id="raises",
        ),
        pytest.param(("x = 1\ny = (\n",), "t1_sums.py:2  SyntaxError: '(' was never", id="syntax"),
    ],
)
def test_what_cannot_be_imported_is_told_with_its_place(
    tmp_path: Path, sources: tuple[str, ...], message: str
) -> None:
    references = course(tmp_path, *sources, roles="ROLES = ()\n")
    with pytest.raises(ReferenceBroken) as told:
        references.module("t1_sums")
    assert str(told.value).startswith(f"{tmp_path}/reference/{message}")
