"""A mistake is ruled out where a failing check runs nothing of what it edits, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.judge.mutants.reach import Reach

REFERENCES = {
    "t1_first": """
def halve(x):
    return x / 2

def mean(x):
    return halve(x)
""",
    "t2_second": """
from t1_first import mean

class Layer:
    def forward(self, x):
        return mean(x)

class Other:
    def forward(self, x):
        return x
""",
}


@dataclass(frozen=True)
class Exercise:
    assignment: str


@dataclass(frozen=True)
class Check:
    id: str
    looks_up: tuple[str, ...]
    exercise: Exercise


@dataclass(frozen=True)
class Entry:
    target: str


@dataclass(frozen=True)
class Mistake:
    stem: str
    entry: Entry


def check(stem: str, *names: str) -> Any:
    return Check(f"{stem}/{'-'.join(names)}", names, Exercise(stem))


def mistake(stem: str, target: str) -> Any:
    return Mistake(stem, Entry(target))


@pytest.fixture
def reach(tmp_path: Path) -> Reach:
    for stem, source in REFERENCES.items():
        (tmp_path / "reference").mkdir(exist_ok=True)
        (tmp_path / f"reference/{stem}.py").write_text(source, encoding="utf-8")

    def names(check: Any) -> Any:
        return check.looks_up

    return Reach(tmp_path, [*REFERENCES, "t3_not_there"], names)


@pytest.mark.parametrize(
    ("edited", "failing", "ruled_out"),
    [
        (("t1_first", "mean"), [check("t1_first", "mean")], False),
        (("t1_first", "halve"), [check("t1_first", "mean")], False),
        (("t1_first", "mean"), [check("t1_first", "halve")], True),
        (("t1_first", "halve"), [check("t2_second", "Layer")], False),
        (("t2_second", "Layer.forward"), [check("t2_second", "Layer")], False),
        (("t2_second", "Layer.forward"), [check("t2_second", "Other", "Layer")], False),
        (("t2_second", "Layer.forward"), [check("t2_second", "Other")], True),
        (("t1_first", "halve"), [check("t2_second", "Layer"), check("t2_second", "Other")], True),
        (("t1_first", "halve"), [], False),
    ],
)
def test_a_definition_that_a_failing_check_never_runs_explains_nothing(
    reach: Reach, edited: tuple[str, str], failing: list[Any], ruled_out: bool
) -> None:
    assert reach.rules_out(mistake(*edited), failing) is ruled_out
