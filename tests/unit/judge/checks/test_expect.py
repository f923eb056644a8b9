"""`expect` on student code in this process: what passes, what fails, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
import torch

from grader.grade.evidence import Outcome
from grader.judge.calls.faults import (
    AuthorFault,
    CheckFailed,
    SourceGone,
    Starved,
    StudentFault,
    StudentRaised,
)
from grader.judge.checks.check_trace import NOT_REFUSED
from grader.judge.checks.expect import Expect
from grader.judge.checks.namespace import Student
from grader.judge.checks.probe import Probe
from grader.judge.reference.memo import Memo, Reference
from tests.support.clients import STEM, Definitions, local_client, student_of

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

    def turned(x, y=None):
        return x.transpose_(0, 1).transpose(0, 1) * 2

    def one_axis_more(x, y=None):
        return (x * 2)[None]

    class InPlace(nn.Module):
        def forward(self, x):
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

    class NoBias(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.first = nn.Linear(d, d, bias=False)

    class InList(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.layers = [nn.Linear(d, d)]

    class Extra(Layer):
        def __init__(self, d):
            super().__init__(d)
            self.more = nn.Linear(d, 1)

    class Table(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.first = nn.Linear(d, d)
            self.first.bias = nn.Parameter(torch.zeros(1, 1, d))

    def no_module(d):
        return 3

    def to_meta(x, y=None):
        return (x * 2).to("meta")

    def to_bool(x, y=None):
        return x > 0

    def of_bools(x, y=None):
        return (x > 0) @ (x > 0).mT

    class NoForward(nn.Module):
        def foward(self, x):
            return x

    def calls_it(x, y=None):
        return NoForward()(x)
"""


class CheckContext:
    """Everything a check has at hand, over local student code."""

    def __init__(self) -> None:
        client, module = local_client(STUDENT)
        _, truth = local_client(REFERENCE)
        memo = Memo()
        self.client, self.student = client, student_of(client, Definitions(module))
        self.reference = Reference(truth, memo)
        self.expect = Expect(client, memo, seed=1)
        self.probe = Probe(2, self.student, self.reference, memo)
        self.x, self.y = self.probe.randn(3, 4), self.probe.randn(3, 4)

    def pair(self, name: str) -> Any:
        """A pair of the student's `name` and the reference's Layer."""
        student = type("Alias", (), {"Layer": getattr(self.student, name)})()
        return Probe(2, student, self.reference, Memo()).pair("Layer", 4)


@pytest.fixture
def context() -> CheckContext:
    return CheckContext()


def failure(run: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(StudentFault) as caught:
        run()
    return caught.value.observed, caught.value.expected


def test_equal_values_match_in_double_precision(context: CheckContext) -> None:
    context.expect.matches(context.student.double, context.reference.double, context.x, y=context.y)
    assert (context.expect.record.precision, context.expect.notes) == ("float64", [])


@pytest.mark.parametrize("name", ["single", "single_only"])
def test_single_precision_is_enough_and_noted(context: CheckContext, name: str) -> None:
    context.expect.matches(getattr(context.student, name), context.reference.double, context.x)
    assert (context.expect.record.precision, context.expect.notes) == (
        "float32",
        ["computes in float32"],
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("triple", "output differs by up to"),
        ("nothing", "output is None"),
        ("todo", "not written yet"),
        ("refuses", "raised ValueError at <student>:"),
    ],
)
def test_other_values_do_not_match(context: CheckContext, name: str, words: str) -> None:
    student = getattr(context.student, name)
    observed, _ = failure(
        lambda: context.expect.matches(student, context.reference.double, context.x)
    )
    assert observed.startswith(words)


def test_a_gross_difference_is_not_tried_again_in_single_precision(context: CheckContext) -> None:
    for name, calls in (("triple", 1), ("nothing", 1), ("single", 2)):
        before = context.client.calls
        with suppress(StudentFault):
            context.expect.matches(
                getattr(context.student, name), context.reference.double, context.x
            )
        assert context.client.calls - before == calls, name


def test_gradients_of_all_arguments_are_compared(context: CheckContext) -> None:
    reference = context.reference.double
    context.expect.gradients(context.student.double, reference, context.x, context.y)
    assert failure(
        lambda: context.expect.gradients(context.student.no_y, reference, context.x, context.y)
    ) == ("no gradient reaches y", "a gradient of y")
    assert failure(
        lambda: context.expect.gradients(context.student.detached, reference, context.x)
    ) == (
        "the result carries no gradient (detached?)",
        "a gradient",
    )


def test_gradients_of_an_output_of_another_shape_are_not_right(context: CheckContext) -> None:
    """With one axis of length 1 more, the weighted sum and its gradients would be the same."""
    student, reference = context.student.one_axis_more, context.reference.double
    shape = tuple(context.x.shape)
    assert failure(lambda: context.expect.gradients(student, reference, context.x)) == (
        f"output has shape {(1, *shape)}",
        f"shape {shape}",
    )


def test_an_input_changed_in_place_costs_no_gradient_check(context: CheckContext) -> None:
    context.expect.gradients(context.student.in_place, context.reference.double, context.x)


def test_changed_inputs_are_named(context: CheckContext) -> None:
    words = failure(lambda: context.expect.unchanged(context.student.in_place, context.x))
    assert words == ("modified its input: argument 1", "inputs left as they were")
    context.expect.unchanged(context.student.double, context.x)


def test_changed_inputs_of_a_module_are_named(context: CheckContext) -> None:
    """No attribute of the student's module is asked for to find out what its arguments are called:
    Python 3.11 asks for one that no module has."""
    words = failure(lambda: context.expect.unchanged(context.student.InPlace(), context.x))
    assert words == ("modified its input: argument 1", "inputs left as they were")


def test_raises_wants_the_type_and_the_numbers(context: CheckContext) -> None:
    expect, refuses = context.expect, context.student.refuses
    expect.raises(ValueError, refuses, context.x, mentions=("7", "3"))
    wanted = "ValueError with a message that contains 9"
    assert failure(lambda: expect.raises(ValueError, refuses, context.x, mentions=("9",))) == (
        "ValueError without 9 in its message",
        wanted,
    )
    assert failure(lambda: expect.raises(KeyError, refuses, context.x))[1] == "KeyError"
    assert failure(lambda: expect.raises(ValueError, context.student.double, context.x)) == (
        "returned a tensor of shape (3, 4)",
        "ValueError",
    )


def test_an_input_whose_axes_were_exchanged_is_modified(context: CheckContext) -> None:
    """`transpose_` leaves the numbers where they are; the caller has another shape all the same."""
    for x in (context.x, torch.randn(3, 3), torch.randn(3, 4, requires_grad=True) * 1):
        words = failure(partial(context.expect.unchanged, context.student.turned, x))
        assert words[0].startswith("modified its input")
        context.expect.unchanged(context.student.double, x.T)
        context.expect.unchanged(context.student.double, x[:1].expand(5, x.shape[1]))


def test_what_is_not_refused_as_asked_is_told(context: CheckContext) -> None:
    expect, student = context.expect, context.student
    x, raises = context.x, partial(expect.raises, ValueError)
    for id, fails in {
        "error.message": partial(raises, student.refuses, x, mentions=("9",)),
        "error.other_kind": partial(expect.raises, KeyError, student.refuses, x),
        "error.none": partial(raises, student.double, x),
    }.items():
        expect.record.details.reason = None
        failure(fails)
        assert expect.record.details.reason is not None
        assert expect.record.details.reason[0] == id
        assert expect.record.compared[-1].startswith(NOT_REFUSED)


def test_an_error_from_further_in_is_no_refusal(context: CheckContext) -> None:
    failure(lambda: context.expect.raises(ValueError, context.student.no_y, context.x))
    reason = context.expect.record.details.reason
    assert reason is not None and reason[1].startswith("nothing refuses these arguments")


def test_what_a_failure_shows_is_told(context: CheckContext) -> None:
    expect, student, x = context.expect, context.student, context.x
    details = expect.record.details
    for id, fails in {
        "input.changed": lambda: expect.unchanged(student.in_place, x),
        "dtype.other": lambda: expect.dtype(student.single(x), torch.float64),
        "gradient.none": lambda: expect.gradients(student.detached, context.reference.double, x),
    }.items():
        details.reason = None
        failure(fails)
        assert details.reason is not None and details.reason[0] == id
    expect.matches(student.double, context.reference.double, x)
    assert details.reason is None


def test_a_stub_that_raises_is_not_a_wrong_error(context: CheckContext) -> None:
    with pytest.raises(StudentRaised) as caught:
        context.expect.raises(ValueError, context.student.todo, context.x)
    assert caught.value.outcome == "not_attempted"


def test_matched_pairs_hold_the_same_weights(context: CheckContext) -> None:
    pair = context.pair("Layer")
    context.expect.matches(pair.student, pair.reference, context.x)
    context.expect.gradients(pair.student, pair.reference, context.x)
    assert context.expect.record.precision == "float64"


@pytest.mark.parametrize(
    ("name", "observed"),
    [
        (
            "NoBias",
            "Layer has no parameters for first.weight (4, 4), first.bias (4,); "
            "it has first.weight (4, 4)",
        ),
        (
            "InList",
            "Layer has no parameters: the layers in `layers`, a plain list, are not registered",
        ),
        ("no_module", "Layer(...) made int 3"),
    ],
)
def test_a_module_without_the_contracts_parameters_is_told(
    context: CheckContext, name: str, observed: str
) -> None:
    with pytest.raises(CheckFailed) as caught:
        context.pair(name)
    assert caught.value.observed == observed


def test_further_parameters_are_randomised_and_noted(context: CheckContext) -> None:
    student = type("Alias", (), {"Layer": context.student.Extra})()
    probe = Probe(2, student, context.reference, Memo())
    pair = probe.pair("Layer", 4)
    context.expect.matches(pair.student, pair.reference, context.x)
    assert probe.notes == ["Layer has further parameters: more.weight (1, 4), more.bias (1,)"]


def test_masks_keep_at_least_one_key(context: CheckContext) -> None:
    mask = context.probe.mask(50, 3, 4, keep=0.05)
    assert mask.any(-1).all()
    assert not mask.all()


def test_an_axis_of_length_one_in_front_is_no_other_shape(context: CheckContext) -> None:
    pair = context.pair("Table")
    bias = dict(pair.student.named_parameters())["first.bias"]
    assert bias.shape == (1, 1, 4)
    assert torch.equal(bias.flatten(), pair.reference.first.bias)


def test_a_module_is_drawn_whatever_its_parameters_are_called(context: CheckContext) -> None:
    """The same draws for the same seed, whatever the module drew for itself."""
    first, second = (
        Probe(2, context.student, context.reference, Memo()).module("Renamed", 4) for _ in range(2)
    )
    names = [name for name, _ in first.named_parameters()]
    assert names == ["second.weight", "second.bias"]
    assert first.specs[0].dtype == torch.float64
    for left, right in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(left, right)


def test_what_a_class_makes_must_be_a_module(context: CheckContext) -> None:
    client, module = local_client(STUDENT)
    student = Student(client, Definitions(module), STEM, is_module=lambda name: True)
    assert failure(lambda: student.no_module(4)) == ("no_module(...) made int 3", "an nn.Module")
    assert student.Layer(4).specs[0].shape == (4, 4)
    assert context.reference.is_module("Layer")
    assert not context.reference.is_module("double")


@pytest.mark.parametrize(
    ("name", "observed", "expected"),
    [
        ("to_meta", "output is on the meta device", "values"),
        ("to_bool", "output has dtype bool", "a floating-point dtype"),
        ("nothing", "output is None", "a tensor of shape (3, 4)"),
    ],
)
def test_floats_are_numbers_to_compute_with(
    context: CheckContext, name: str, observed: str, expected: str
) -> None:
    answer = getattr(context.student, name)(context.x)
    found = failure(lambda: context.expect.floats(answer, (3, 4)))
    assert found == (observed, expected)


def test_answers_without_values_are_the_students_failure(context: CheckContext) -> None:
    """A tensor on the meta device has a shape and nothing to compare."""
    student, reference = context.student.to_meta, context.reference.double
    matches = failure(lambda: context.expect.matches(student, reference, context.x))
    gradients = failure(lambda: context.expect.gradients(student, reference, context.x))
    assert matches == ("output is on device meta", "device cpu")
    assert gradients == ("output is on the meta device", "values")
    answer = student(context.x)
    assert failure(lambda: context.expect.finite(answer))[1] == "values"
    assert failure(lambda: context.expect.close(answer, context.x))[1] == "device cpu"


def test_a_misspelt_forward_is_a_mistake_and_not_unwritten(context: CheckContext) -> None:
    """torch raises NotImplementedError as the stub does, but the student's code did not."""
    with pytest.raises(StudentRaised) as caught:
        context.student.calls_it(context.x)
    assert caught.value.outcome is Outcome.STUDENT_ERROR
    assert 'missing the required "forward" function' in caught.value.detail
    with pytest.raises(StudentRaised) as caught:
        context.student.todo(context.x)
    assert caught.value.outcome is Outcome.NOT_ATTEMPTED


def test_an_affine_function_is_read_off_its_inputs(context: CheckContext) -> None:
    layer = torch.nn.Linear(6, 4).double()
    with torch.no_grad():
        weights, offset = context.probe.affine(lambda x: layer(x.flatten(1)), (2, 3))
    assert torch.allclose(weights, layer.weight.T) and torch.equal(offset, layer.bias)


def test_a_tensor_without_axes_can_be_asked_for(context: CheckContext) -> None:
    context.expect.shape(torch.tensor(1.0), ())

    with pytest.raises(CheckFailed) as failed:
        context.expect.shape(torch.ones(3), ())
    assert (failed.value.observed, failed.value.expected) == ("output has shape (3,)", "shape ()")


class Scaled:
    """A function that scales; it may keep the scale of its first call, in its own process only."""

    def __init__(self, keeps: bool, calls: list[float] | None = None) -> None:
        self._keeps, self._calls = keeps, [] if calls is None else calls

    def __call__(self, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        self._calls.append(scale)
        return x * (self._calls[0] if self._keeps else scale)

    @property
    def apart(self) -> Scaled:
        return Scaled(self._keeps)


def test_what_is_kept_of_an_earlier_call_shows_in_a_later_one(context: CheckContext) -> None:
    expect, x = context.expect, context.x
    calls = expect.call(x, scale=2.0), expect.call(x, 5.0), expect.call(x, scale=3.0)
    expect.starts_anew(Scaled(keeps=False), *calls)
    observed, expected = failure(lambda: expect.starts_anew(Scaled(keeps=True), *calls))
    assert observed.startswith("after another call: output")
    assert expected.startswith("what the call gives without one: ")
    expect.starts_anew(Scaled(keeps=True), calls[0])
    # What fits the first call fits one like it: the call between them shows it.
    alike = calls[0], calls[1], calls[0]
    assert failure(lambda: expect.starts_anew(Scaled(keeps=True), *alike)) == (observed, expected)


def test_an_answer_of_another_kind_after_a_call_is_told(context: CheckContext) -> None:
    class Tires(Scaled):
        def __call__(self, x: Any, scale: float = 1.0) -> Any:
            found = super().__call__(x, scale)
            return None if len(self._calls) > 1 else {"answer": found}

    call = context.expect.call(context.x)
    assert failure(lambda: context.expect.starts_anew(Tires(keeps=False), call, call))


class Weighed:
    """A module of one weight, which all share if they are told to."""

    def __init__(self, weight: float, shared: dict[str, float] | None = None) -> None:
        self._own, self._held = weight, shared if shared is not None else {}
        self._held["weight"] = weight

    def __call__(self, given: torch.Tensor) -> torch.Tensor:
        return given * self._held["weight"]

    @property
    def apart(self) -> Weighed:
        return Weighed(self._own)


def test_a_second_module_must_leave_the_first_alone(context: CheckContext) -> None:
    drawn = iter((2.0, 3.0, 2.0, 3.0))
    shared: dict[str, float] = {}

    context.expect.separate(lambda: Weighed(next(drawn)), context.x)
    observed, expected = failure(
        lambda: context.expect.separate(lambda: Weighed(next(drawn), shared), context.x)
    )

    assert observed.startswith("after a second module was made: output")
    assert expected.startswith("what the first gives without a second: ")


class Rated(Weighed):
    """The same with a rate, which is to change nothing in eval mode."""

    def __init__(self, weight: float, shift: float = 0.0, size: int = 1) -> None:
        super().__init__(weight)
        self._shift, self._size = shift, size

    def __call__(self, given: torch.Tensor) -> torch.Tensor:
        return super().__call__(given) + self._shift

    @property
    def layout(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(f"layers.{self._size}", (self._size,))]

    def stand_ins(self) -> list[tuple[str, torch.nn.Parameter]]:
        held = torch.full((self._size,), self._held["weight"])
        return [(name, torch.nn.Parameter(held)) for name, _shape in self.layout]

    def write(self, values: Mapping[str, torch.Tensor]) -> None:
        self._held["weight"] = values[self.layout[0][0]][0].item()

    def eval(self) -> Rated:
        return self


def test_a_rate_must_change_nothing_in_eval_mode(context: CheckContext) -> None:
    context.expect.rests(Rated(2.0), Rated(3.0), context.x)
    observed, expected = failure(
        lambda: context.expect.rests(Rated(2.0, shift=1.0), Rated(3.0), context.x)
    )

    assert observed.startswith("in eval mode, made with another rate: output")
    assert expected.startswith("what it gives without: ")


def test_a_rate_that_comes_with_other_weights_is_not_compared(context: CheckContext) -> None:
    context.expect.rests(Rated(2.0, shift=1.0, size=2), Rated(3.0), context.x)


def test_a_check_is_asked_for_its_reason_only_once_it_has_failed(context: CheckContext) -> None:
    reason = ("mask.transposed", "the mask is read the other way round")

    context.expect.true(True, "wrong", "right", why=lambda: pytest.fail("asked"))
    context.expect.close(context.x, context.x, why=lambda: pytest.fail("asked"))
    failure(lambda: context.expect.close(context.x, context.x + 1, why=lambda: reason))

    assert context.expect.record.details.reason == reason


def test_what_a_reason_compares_on_its_way_is_no_part_of_the_check(context: CheckContext) -> None:
    """A known mistake is looked for in what the check itself compared, to the last call."""
    expect = context.expect

    def why() -> None:
        expect.record.notes.append("on the way")
        expect.shape(context.student.double(context.x), tuple(context.x.shape))
        expect.close(context.x, context.x + 2)

    context.student.double(context.x)
    asked = context.client.given
    failure(lambda: expect.close(context.x, context.x + 1, why=why))

    record = expect.record
    assert (record.count, len(record.compared), record.notes) == (1, 1, [])
    assert record.details.failure is not None
    assert torch.equal(record.details.failure.expected, (context.x + 1).double())
    assert context.client.given is asked


def test_a_reason_that_cannot_be_looked_for_is_none(context: CheckContext) -> None:
    def raises() -> tuple[str, str]:
        raise CheckFailed("NaN", "numbers")

    failure(lambda: context.expect.true(False, "wrong", "right", why=raises))

    assert context.expect.record.details.reason is None


@pytest.mark.parametrize("error", [TypeError("no such axis"), AuthorFault("no such name")])
def test_an_error_of_ours_in_a_reason_leaves_the_failure_and_its_words(
    error: Exception, context: CheckContext
) -> None:
    def raises() -> tuple[str, str]:
        raise error

    observed, expected = failure(lambda: context.expect.true(False, "wrong", "right", why=raises))

    assert (observed, expected) == ("wrong", "right")
    assert context.expect.record.details.error is error


@pytest.mark.parametrize("again", [Starved("no time"), SourceGone("no workers")])
def test_a_check_without_time_for_its_reason_is_tried_again(
    again: Exception, context: CheckContext
) -> None:
    def raises() -> tuple[str, str]:
        raise again

    with pytest.raises(type(again)):
        context.expect.true(False, "wrong", "right", why=raises)


def test_what_torch_cannot_compute_is_written_all_the_same(context: CheckContext) -> None:
    """torch raises NotImplementedError for a product of bools, from C, on the student's line."""
    with pytest.raises(StudentRaised) as caught:
        context.student.of_bools(context.x)
    assert caught.value.type_name == "NotImplementedError"
    assert caught.value.outcome is Outcome.STUDENT_ERROR
    assert "not implemented for 'Bool'" in caught.value.detail
