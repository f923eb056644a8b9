"""Nobody is accused by numbers that stand in parameters by a guess."""

from __future__ import annotations

import pytest

from grader.grade.counterexample import Counterexample
from grader.judge.smallest.small_calls import Fixed, Numbers, SmallCall, SmallCalls
from tests.unit.judge.smallest.test_search import searched

BY_METHOD = SmallCalls(
    (
        SmallCall(
            "Between", {"x": Numbers("1 2")}, {"output": "1 2"}, made=(2,), methods=("between",)
        ),
    )
)
BY_STEPS = SmallCalls(
    (
        SmallCall(
            "Between",
            {"x": Fixed("1 2", (1, 2))},
            {"output": "1 2"},
            made=(2,),
            steps=("shown = module.between(x)",),
        ),
    )
)
REFERENCE = """
import torch
from torch import nn

class Between(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.upper, self.lower = nn.Linear(width, width), nn.Linear(width, width)

    def between(self, x):
        return 3 * self.upper(x) - self.lower(x)
"""
# Right: the maps have other names, and are made in the other order.
NAMES_OF_ITS_OWN = """
class Between(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = nn.Linear(width, width), nn.Linear(width, width)

    def between(self, x):
        return 3 * self.two(x) - self.one(x)
"""
WRONG = REFERENCE.replace("3 *", "5 *")


def shown(student: str, course: SmallCalls) -> Counterexample | None:
    return searched(student, "Between", course=course, reference=REFERENCE)


@pytest.mark.parametrize("course", [BY_METHOD, BY_STEPS], ids=["method", "steps"])
def test_names_of_its_own_are_no_reason_to_accuse(course: SmallCalls) -> None:
    assert shown(NAMES_OF_ITS_OWN, course) is None


@pytest.mark.parametrize("course", [BY_METHOD, BY_STEPS], ids=["method", "steps"])
def test_a_wrong_answer_under_the_names_of_the_hand_out_is_shown(course: SmallCalls) -> None:
    assert shown(WRONG, course) is not None
