"""A rule that was broken in another exercise costs its points there, and nowhere else."""

from __future__ import annotations

from typing import cast

import pytest

from grader.evidence import Observation, Outcome
from grader.judge.checks import ExercisePlan
from grader.judge.policy import observations
from grader.judge.student import SubmissionClient
from grader.judge.survey import Survey
from grader.worker.loading.layout import Layout
from grader.worker.loading.statements import Scripts
from grader.worker.survey import Wanted, survey

GELU, RELU = "torch.nn.functional.gelu", "torch.nn.functional.relu"


def plan(slug: str, stem: str, target: str, *banned: str, **calls: str) -> ExercisePlan:
    return ExercisePlan(
        slug, stem, (target,), (), frozenset(), calls=calls, banned=banned, policy=True
    )


FIRST = plan("s1.first", "s1", "First", GELU)
SECOND = plan("s2.second", "s2", "Second", GELU, RELU, First="s1.first")
WITHOUT_POINTS = ExercisePlan("s1.first", "s1", ("First",), (), frozenset(), banned=(GELU,))
EARLIER = """
from torch.nn import functional as F
class First:
    def forward(self, x):
        return F.gelu(x)
"""
LATER = (
    "from s1 import First\nclass Second:\n    def forward(self, x):\n        return First()(x)\n"
)


LAST = """
from s1 import First
from s2 import Second
class Third:
    def forward(self, x):
        return First()(x) + Second()(x)
"""


class Client:
    """A submission that was read."""

    why_not_loaded = None

    def __init__(self, later: str, earlier: str = EARLIER) -> None:
        files = {"s1.py": earlier.encode(), "s2.py": later.encode(), "s3.py": LAST.encode()}
        starts = {"s1": "s1.py", "s2": "s2.py", "s3": "s3.py"}
        targets = {"s1": ("First",), "s2": ("Second",), "s3": ("Third",)}
        wanted = Wanted(targets, {}, (GELU, RELU), {})
        self.survey = Survey(survey(wanted, starts, Layout(files, starts), Scripts(files)))

    def kind(self, stem: str, name: str) -> str:
        return "class"


def seen(client: Client, *exercises: ExercisePlan) -> list[Observation]:
    return list(observations(exercises, cast(SubmissionClient, client)))


def test_what_costs_its_points_elsewhere_is_carried() -> None:
    first, second = seen(Client(LATER), FIRST, SECOND)

    assert (first.check, first.outcome) == ("s1.first/policy/banned", Outcome.FAILED)
    assert (second.check, second.outcome) == ("s2.second/policy/banned", Outcome.CARRIED)
    assert second.notes == (
        "s1.first uses `F.gelu`, which is torch.nn.functional.gelu, and pays for it",
    )


def test_it_costs_its_points_once_however_many_lie_between() -> None:
    third = plan("s3.third", "s3", "Third", GELU, First="s1.first", Second="s2.second")

    *_, last = seen(Client(LATER), FIRST, SECOND, third)
    assert last.outcome is Outcome.CARRIED
    assert [note.partition(" ")[0] for note in last.notes] == ["s1.first"]


def test_without_a_use_nothing_is_carried() -> None:
    clean = EARLIER.replace("F.gelu(x)", "x")

    assert [o.outcome for o in seen(Client(LATER, clean), FIRST, SECOND)] == [Outcome.PASSED] * 2


@pytest.mark.parametrize(
    ("later", "earlier", "exercises"),
    [
        pytest.param(
            LATER.replace("return First()(x)", "return F.gelu(First()(x))")
            + "import torch.nn.functional as F\n",
            EARLIER,
            (FIRST, SECOND),
            id="used here as well",
        ),
        pytest.param(
            LATER, EARLIER.replace("gelu", "relu"), (FIRST, SECOND), id="not banned there"
        ),
        pytest.param(LATER, EARLIER, (SECOND,), id="not graded there"),
        pytest.param(LATER, EARLIER, (WITHOUT_POINTS, SECOND), id="no points there"),
        pytest.param(
            LATER.replace("First", "Other"),
            EARLIER.replace("First", "Other"),
            (FIRST, SECOND),
            id="nothing that was asked for",
        ),
    ],
)
def test_what_costs_nothing_elsewhere_is_paid_for_here(
    later: str, earlier: str, exercises: tuple[ExercisePlan, ...]
) -> None:
    assert seen(Client(later, earlier), *exercises)[-1].outcome is Outcome.FAILED
