"""A mistake in how parts are put together is told from one inside a part."""

from __future__ import annotations

import pytest

from grader.judge.calls.faults import CheckFailed
from grader.judge.checks.expect import Expect
from grader.judge.checks.probe import Probe
from grader.judge.reference.memo import Memo, Reference
from tests.support.clients import Definitions, local_client, student_of

SOURCE = """
    import torch
    from torch import nn

    class Blur(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.kernel = nn.Linear(size, size)

        def forward(self, pixels):
            return torch.relu(self.kernel(pixels))

    class Stage(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.first = Blur(size)
            self.second = Blur(size)

        def forward(self, pixels):
            return pixels + self.second(self.first(pixels))

    class Pipeline(nn.Module):
        def __init__(self, size, depth):
            super().__init__()
            self.stages = nn.ModuleList(Stage(size) for _ in range(depth))
            self.last = nn.Linear(size, 2)

        def forward(self, pixels):
            for stage in self.stages:
                pixels = stage(pixels)
            return self.last(pixels)
"""
INSIDE = SOURCE.replace("torch.relu", "torch.tanh")
WIRING = SOURCE.replace("pixels + self.second(", "self.second(")
ORDER = SOURCE.replace("self.second(self.first(pixels))", "self.first(self.second(pixels))")
OPTION = SOURCE.replace("stage(pixels)", "stage(pixels, None)").replace(
    "def forward(self, pixels):\n            return pixels +",
    "def forward(self, pixels, gain=None):\n            return pixels +",
)
METHOD = SOURCE.replace("self.first(pixels)", "self.first.blur(pixels)").replace(
    "def forward(self, pixels):\n            return torch",
    "def forward(self, pixels):\n            return self.blur(pixels)\n\n"
    "        def blur(self, pixels):\n            return torch",
)
TOP = SOURCE.replace("return self.last(pixels)", "return self.last(2 * pixels)")


class CheckContext:
    def __init__(self, source: str, right: str = SOURCE) -> None:
        client, module = local_client(source)
        _, truth = local_client(right)
        memo = Memo()
        self.expect = Expect(client, memo, seed=1)
        student = student_of(client, Definitions(module))
        self.probe = Probe(2, student, Reference(truth, memo), memo)
        self.pair = self.probe.pair("Pipeline", 4, 3)
        self.pixels = self.probe.randn(5, 4)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        pytest.param(
            INSIDE,
            "; it first arises inside `stages.0.first`, "
            "and what is around that is put together rightly",
            id="inside",
        ),
        pytest.param(WIRING, "; it arises in how `stages.0` puts its parts together", id="wiring"),
        pytest.param(ORDER, "; it arises in how `stages.0` puts its parts together", id="order"),
        pytest.param(TOP, "; it arises in how Pipeline puts its parts together", id="top"),
    ],
)
def test_the_place_of_a_difference_is_told(source: str, told: str) -> None:
    context = CheckContext(source)
    with pytest.raises(CheckFailed) as caught:
        context.expect.matches(context.pair.student, context.pair.reference, context.pixels)
    assert caught.value.observed.endswith(told)


def test_a_part_may_lack_an_option_that_is_not_used() -> None:
    assert OPTION.count("None") == 2, "it is in the reference"
    context = CheckContext(INSIDE, OPTION)
    with pytest.raises(CheckFailed) as caught:
        context.expect.matches(context.pair.student, context.pair.reference, context.pixels)
    assert "; it first arises inside `stages.0.first`, " in caught.value.observed


def test_a_part_that_is_used_by_a_method_ends_the_search_around_it() -> None:
    context = CheckContext(METHOD.replace("torch.relu", "torch.tanh"), METHOD)
    with pytest.raises(CheckFailed) as caught:
        context.expect.matches(context.pair.student, context.pair.reference, context.pixels)
    assert "; it first arises inside `stages.0`, " in caught.value.observed


def test_right_parts_leave_nothing_to_tell() -> None:
    context = CheckContext(SOURCE)
    context.expect.matches(context.pair.student, context.pair.reference, context.pixels)
    assert context.pair.blame((context.pixels,), {}) == ""


def test_other_parts_are_no_reason_to_blame_anything() -> None:
    context = CheckContext(TOP.replace("self.stages", "self.steps"))
    assert context.pair.blame((context.pixels,), {}) == ""


@pytest.mark.parametrize("source", [SOURCE, INSIDE, WIRING], ids=["right", "inside", "below"])
def test_wiring_is_right_whatever_the_parts_compute(source: str) -> None:
    context = CheckContext(source)
    context.expect.wiring(context.pair, context.pixels)
    assert context.expect.record.count == 1


def test_wrong_wiring_is_no_matter_of_the_parts() -> None:
    context = CheckContext(TOP)
    with pytest.raises(CheckFailed) as caught:
        context.expect.wiring(context.pair, context.pixels)
    assert caught.value.expected == "the parts put together as the exercise says"


def test_a_missing_part_is_named() -> None:
    context = CheckContext(SOURCE.replace("self.stages", "self.steps"))
    with pytest.raises(CheckFailed) as caught:
        context.expect.wiring(context.pair, context.pixels)
    assert caught.value.observed == "the module has no part `stages.0`"
