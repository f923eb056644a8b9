"""`expect` on student code in this process: what passes, what fails, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.judge.expect import Expect
from grader.judge.faults import CheckFailed, StudentFault, StudentRaised
from grader.judge.memo import Memo, Reference
from grader.judge.probe import Probe
from tests.support.clients import Definitions, local_client, student_of

REFERENCE = """
    import torch
    from torch import nn

    def double(x, y=None):
        return x * 2 if y is None else x * 2 + y

    class Layer(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.first = nn.Linear(d, d)

        def forward(self, x):
            return self.first(x)
"""
STUDENT = """
    import torch
    from torch import nn

    def double(x, y=None):
        return x + x if y is None else x + x + y

    def triple(x, y=None):
        return x * 3

    def single(x, y=None):
        return (x.float() * 2)

    def single_only(x, y=None):
        return x * 2 @ torch.eye(x.shape[-1])

    def detached(x, y=None):
        return x.detach() * 2

    def no_y(x, y=None):
        return x * 2 + y.detach()

    def in_place(x, y=None):
        x *= 2
        return x

    def nothing(x, y=None):
        return None

    def todo(x, y=None):
        raise NotImplementedError("write me")

    def refuses(x, y=None):
        raise ValueError("7 is not 3")

    class Layer(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.first = nn.Linear(d, d)

        def forward(self, x):
            return x @ self.first.weight.T + self.first.bias

    class Renamed(Layer):
        def __init__(self, d):
            super().__init__(d)
            self.second = self.first
            del self.first

    class InList(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.layers = [nn.Linear(d, d)]

    class Extra(Layer):
        def __init__(self, d):
            super().__init__(d)
            self.more = nn.Linear(d, 1)

    def no_module(d):
        return 3
"""


class Bench:
    """Everything a check has at hand, over local student code."""

    def __init__(self) -> None:
        client, module = local_client(STUDENT)
        _, truth = local_client(REFERENCE)
        memo = Memo()
        self.student = student_of(client, Definitions(module))
        self.reference = Reference(truth, memo)
        self.expect = Expect(client, memo, seed=1)
        self.probe = Probe(2, self.student, self.reference, memo)
        self.x, self.y = self.probe.randn(3, 4), self.probe.randn(3, 4)

    def twin(self, name: str) -> Any:
        """A twin of the student's `name` and the reference's Layer."""
        student = type("Alias", (), {"Layer": getattr(self.student, name)})()
        return Probe(2, student, self.reference, Memo()).twin("Layer", 4)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def failure(run: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(StudentFault) as caught:
        run()
    return caught.value.observed, caught.value.expected


def test_equal_values_match_in_double_precision(bench: Bench) -> None:
    bench.expect.matches(bench.student.double, bench.reference.double, bench.x, y=bench.y)
    assert (bench.expect.precision, bench.expect.notes) == ("float64", [])


@pytest.mark.parametrize("name", ["single", "single_only"])
def test_single_precision_is_enough_and_noted(bench: Bench, name: str) -> None:
    bench.expect.matches(getattr(bench.student, name), bench.reference.double, bench.x)
    assert (bench.expect.precision, bench.expect.notes) == ("float32", ["computes in float32"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("triple", "output differs by up to"),
        ("nothing", "output is None"),
        ("todo", "not written yet"),
        ("refuses", "raised ValueError at <student>:"),
    ],
)
def test_other_values_do_not_match(bench: Bench, name: str, words: str) -> None:
    student = getattr(bench.student, name)
    observed, _ = failure(lambda: bench.expect.matches(student, bench.reference.double, bench.x))
    assert observed.startswith(words)


def test_gradients_of_all_arguments_are_compared(bench: Bench) -> None:
    reference = bench.reference.double
    bench.expect.gradients(bench.student.double, reference, bench.x, bench.y)
    assert failure(
        lambda: bench.expect.gradients(bench.student.no_y, reference, bench.x, bench.y)
    ) == ("no gradient reaches y", "a gradient of y")
    assert failure(lambda: bench.expect.gradients(bench.student.detached, reference, bench.x)) == (
        "the result carries no gradient (detached?)",
        "a gradient",
    )


def test_an_input_changed_in_place_costs_no_gradient_check(bench: Bench) -> None:
    bench.expect.gradients(bench.student.in_place, bench.reference.double, bench.x)


def test_changed_inputs_are_named(bench: Bench) -> None:
    words = failure(lambda: bench.expect.unchanged(bench.student.in_place, bench.x))
    assert words == ("modified its input: argument 1", "inputs left as they were")
    bench.expect.unchanged(bench.student.double, bench.x)


def test_raises_wants_the_type_and_the_numbers(bench: Bench) -> None:
    expect, refuses = bench.expect, bench.student.refuses
    expect.raises(ValueError, refuses, bench.x, mentions=("7", "3"))
    wanted = "ValueError with a message that contains 9"
    assert failure(lambda: expect.raises(ValueError, refuses, bench.x, mentions=("9",))) == (
        "ValueError without 9 in its message",
        wanted,
    )
    assert failure(lambda: expect.raises(KeyError, refuses, bench.x))[1] == "KeyError"
    assert failure(lambda: expect.raises(ValueError, bench.student.double, bench.x)) == (
        "returned a tensor of shape (3, 4)",
        "ValueError",
    )


def test_a_stub_that_raises_is_not_a_wrong_error(bench: Bench) -> None:
    with pytest.raises(StudentRaised) as caught:
        bench.expect.raises(ValueError, bench.student.todo, bench.x)
    assert caught.value.outcome == "not_attempted"


def test_twins_hold_the_same_weights(bench: Bench) -> None:
    twin = bench.twin("Layer")
    bench.expect.matches(twin.student, twin.reference, bench.x)
    bench.expect.gradients(twin.student, twin.reference, bench.x)
    assert bench.expect.precision == "float64"


@pytest.mark.parametrize(
    ("name", "observed"),
    [
        ("Renamed", "the parameters of Layer are second.weight (4, 4), second.bias (4,)"),
        (
            "InList",
            "the parameters of Layer are none (a layer in a plain Python list is not registered)",
        ),
        ("no_module", "Layer(...) made int 3"),
    ],
)
def test_a_module_without_the_contracts_parameters_is_told(
    bench: Bench, name: str, observed: str
) -> None:
    with pytest.raises(CheckFailed) as caught:
        bench.twin(name)
    assert caught.value.observed == observed


def test_further_parameters_are_randomised_and_noted(bench: Bench) -> None:
    student = type("Alias", (), {"Layer": bench.student.Extra})()
    probe = Probe(2, student, bench.reference, Memo())
    twin = probe.twin("Layer", 4)
    bench.expect.matches(twin.student, twin.reference, bench.x)
    assert probe.notes == ["Layer has further parameters: more.weight (1, 4), more.bias (1,)"]


def test_answers_of_the_reference_are_remembered_by_their_inputs() -> None:
    calls = []

    def slow(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return x * 2

    module = type("Module", (), {})()
    module.slow = slow
    reference = Reference(module, Memo())
    x = torch.ones(3)
    with torch.no_grad():
        first = reference.slow(x)
        first.zero_()
        assert torch.equal(reference.slow(x.clone()), x * 2)
        reference.slow(x + 1)
    assert len(calls) == 2


def test_masks_keep_at_least_one_key(bench: Bench) -> None:
    mask = bench.probe.mask(50, 3, 4, keep=0.05)
    assert mask.any(-1).all()
    assert not mask.all()
