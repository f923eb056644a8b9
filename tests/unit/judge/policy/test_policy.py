"""A rule that was broken in another exercise costs its points there, and nowhere else."""

from __future__ import annotations

from typing import Any, cast

import pytest

from grader.grade.evidence import Observation, Outcome
from grader.judge.calls.calls_seen import Ran
from grader.judge.calls.faults import SourceGone, Starved
from grader.judge.calls.student import SubmissionClient
from grader.judge.calls.survey import Survey
from grader.judge.policy.policy import notes, observations
from grader.messages.exercise_plan import ExercisePlan
from grader.wire.load_plan import Wanted
from grader.wire.survey_report import TargetSurvey
from grader.worker.loading.source.module_map import ModuleMap
from grader.worker.loading.source.statements import Scripts
from grader.worker.survey import survey

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
        self.ran = Ran(lambda *place: None)
        self.survey = Survey(survey(wanted, starts, ModuleMap(files, starts), Scripts(files)))

    @property
    def loaded(self) -> Client:
        return self

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


def outcomes_of(client: object) -> list[tuple[Outcome, str]]:
    found = observations([FIRST, SECOND], cast(SubmissionClient, client))
    return [(one.outcome, one.for_staff) for one in found]


NOT_READ = "the code could not be read for what it uses: "


def test_a_reader_that_broke_costs_nothing() -> None:
    client = Client(LATER)
    client.survey = Survey(ours="KeyError: 'x'")

    assert outcomes_of(client) == [(Outcome.COULD_NOT_CHECK, f"{NOT_READ}KeyError: 'x'")] * 2
    assert list(notes([FIRST, WITHOUT_POINTS], cast(SubmissionClient, client))) == []


def test_an_exception_of_ours_costs_nothing() -> None:
    client = Client(LATER)
    odd = cast(Any, [GELU])  # a row that is none
    client.survey = Survey({"s1": {"First": TargetSurvey(uses=odd)}})

    (first, why), (second, _) = outcomes_of(client)
    assert first is second is Outcome.COULD_NOT_CHECK
    assert why.startswith(NOT_READ) and "survey.py:" in why and "AttributeError" in why


@pytest.mark.parametrize("error", [Starved("busy"), SourceGone("gone")], ids=["starved", "gone"])
def test_what_is_to_be_tried_again_is_not_told_as_anything_else(error: Exception) -> None:
    class Busy(Client):
        @property
        def survey(self) -> Survey:
            raise error

        @survey.setter
        def survey(self, value: Survey) -> None:
            pass

    with pytest.raises(type(error)):
        outcomes_of(Busy(LATER))
