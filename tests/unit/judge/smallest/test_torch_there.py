"""A line that trains a tiny model runs on both sides, with the model in the student's process."""

from __future__ import annotations

from grader.grade.counterexample import Counterexample
from grader.judge.smallest.small_calls import Fixed, SmallCall, SmallCalls
from tests.unit.judge.smallest.test_search import module_of, searched

COURSE = SmallCalls(
    (
        SmallCall(
            "descend",
            {"weight": Fixed("1 2", (1, 2))},
            {"weights": "V D"},
            steps=(
                "model = torch.nn.Sequential(torch.nn.Embedding(1, 2))",
                "model.load_state_dict({'0.weight': weight})",
                "sgd = torch.optim.SGD(model.parameters(), lr=1.0)",
                "descend(model, sgd)",
                "shown = model(torch.arange(1))",
            ),
            learns=True,
        ),
    )
)
REFERENCE = """
import torch

def descend(model, optimiser):
    optimiser.zero_grad()
    model(torch.arange(1)).sum().backward()
    optimiser.step()
"""
WITHOUT_STEP = """
def descend(model, optimiser):
    model(torch.arange(1)).sum().backward()
"""


def shown(student: str) -> Counterexample | None:
    return searched(student, "descend", course=COURSE, reference=REFERENCE)


def test_a_right_step_has_no_counterexample() -> None:
    assert shown("") is None


def test_a_step_that_is_not_taken_is_shown_by_the_weights_it_leaves() -> None:
    example = shown(WITHOUT_STEP)

    assert example is not None and example.yours is not None
    assert (example.yours.text, example.expected.text) == ("[[1, 2]]", "[[0, 1]]")


def test_the_lines_run_as_they_stand_in_a_notebook() -> None:
    example = shown(WITHOUT_STEP)
    own = module_of(f"{REFERENCE}\n{WITHOUT_STEP}").__dict__

    assert example is not None
    exec(example.snippet, own)
    assert own["shown"].tolist() == [[1.0, 2.0]]
