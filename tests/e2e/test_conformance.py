"""A handle behaves as the object itself would: the same tests on all four kinds of handle."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from grader.judge.calls.client import Client, DirectClient, LocalClient
from grader.judge.calls.faults import CheckFailed, StudentRaised
from grader.judge.calls.worker_process import WorkerStarter
from grader.judge.checks.namespace import Student
from grader.wire.faults import Unsupported
from grader.wire.values import Opaque
from tests.support.clients import (
    STEM,
    Definitions,
    local_client,
    remote_client,
    student_of,
    worker_source,
)

SOURCE = Path(__file__).with_name("conformance_source.py").read_text(encoding="utf-8")
NAMES = tuple(
    node.name if not isinstance(node, ast.Assign) else node.targets[0].id
    for node in ast.parse(SOURCE).body
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Assign))
)


@pytest.fixture(scope="module", params=["fork", "spawn", "local", "direct"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def source(kind: str) -> Iterator[WorkerStarter | None]:
    if kind in ("local", "direct"):
        yield None
        return
    with worker_source(kind) as found:
        yield found


@pytest.fixture(scope="module")
def loaded(kind: str, source: WorkerStarter | None) -> Iterator[tuple[Client, Student]]:
    if source is None:
        client, module = local_client(SOURCE, DirectClient if kind == "direct" else LocalClient)
        yield client, student_of(client, Definitions(module))
        return
    remote = remote_client(source, {f"{STEM}.py": SOURCE}, NAMES)
    yield remote, student_of(remote)
    remote.close()


@pytest.fixture
def client(loaded: tuple[Client, Student]) -> Client:
    client = loaded[0]
    start = getattr(client, "start_check", None)
    if start is not None:
        start(lambda call: 0.0)
    else:
        client.begin_check()
    return client


@pytest.fixture
def student(client: Client, loaded: tuple[Client, Student]) -> Student:
    return loaded[1]


def randn(*shape: int, grad: bool = False) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=grad)


class TestValues:
    def test_tensors_cross_bit_by_bit(self, student: Student) -> None:
        a, b = randn(3, 4), randn(4, 2)
        assert torch.equal(student.product(a, b), a @ b)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.bool, torch.int32])
    def test_dtypes_are_kept(self, student: Student, dtype: torch.dtype) -> None:
        a = torch.arange(4).to(dtype)
        found = student.same(a.clone())
        assert found.dtype == dtype
        assert torch.equal(found, a)

    def test_trees_of_values_come_back(self, student: Student) -> None:
        a = randn(2, 3)
        double, rest, integers = student.mixed(a)
        assert torch.equal(double, a * 2)
        assert rest["none"] is None
        assert rest["count"] == 3
        assert rest["list"] == [1.5, "text", True]
        assert torch.equal(rest["sum"], a.sum())
        assert torch.equal(integers, a.long())

    def test_module_level_variables_are_values(self, student: Student) -> None:
        assert student.RATE == 0.25
        assert student.NAMES == ["query", "key"]

    def test_unsendable_objects_are_opaque(self, student: Student) -> None:
        assert isinstance(student.make_object(), Opaque)
        assert "subclass" in student.make_subclass().type_name

    def test_meta_tensors_cross_without_data(self, student: Student) -> None:
        a, b = torch.empty(3, 4, device="meta"), torch.empty(4, 2, device="meta")
        found = student.product(a, b)
        assert found.device.type == "meta"
        assert found.shape == (3, 2)

    def test_strides_cross(self, student: Student) -> None:
        a = randn(3, 4).t()
        found = student.shapes_of(a)
        assert found == {"shape": (4, 3), "stride": a.stride(), "contiguous": False}

    def test_a_tensor_passed_three_times_stays_one(self, student: Student) -> None:
        a = randn(2)
        assert student.are_one(a, a, a) is True
        assert student.are_one(a, a, a.clone()) is False

    def test_views_of_one_storage_share_it(self, student: Student) -> None:
        a = randn(4)
        assert student.share_memory(a, a[1:3]) is True
        assert student.share_memory(a, a[1:3].clone()) is False

    def test_output_that_is_the_input_is_the_same_object(self, student: Student) -> None:
        a = randn(2, grad=True)
        assert student.same(a) is a

    def test_exceptions_keep_type_and_message(self, student: Student) -> None:
        with pytest.raises(StudentRaised) as caught:
            student.fail("7 and 3")
        assert caught.value.type_name == "ValueError"
        assert caught.value.message == "7 and 3"

    def test_returned_functions_can_be_called(self, student: Student) -> None:
        a = randn(2)
        assert torch.equal(student.scale_by(3.0)(a), a * 3)


class TestInputs:
    def test_changed_inputs_are_named_and_not_changed_here(
        self, client: Client, student: Student
    ) -> None:
        a = randn(3)
        before = a.clone()
        student.add_in_place(a)
        assert [*map(str, client.changed)] == ["0"]
        assert torch.equal(a, before)

    def test_a_change_around_autograd_is_seen(self, client: Client, student: Student) -> None:
        student.hidden_change(randn(3, grad=True))
        assert [*map(str, client.changed)] == ["0"]

    def test_nan_in_an_input_is_no_change(self, client: Client, student: Student) -> None:
        student.product(torch.full((2, 2), torch.nan), torch.ones(2, 2))
        assert client.changed == ()

    def test_in_place_on_an_intermediate_result_is_allowed(self, student: Student) -> None:
        a = randn(3, grad=True)
        student.add_in_place(a * 1).sum().backward()
        assert torch.equal(a.grad, torch.ones(3, dtype=torch.float64))

    def test_in_place_on_a_leaf_is_refused(self, student: Student) -> None:
        with pytest.raises(StudentRaised, match="RuntimeError"):
            student.add_in_place(randn(3, grad=True))


class TestSettings:
    def test_grad_mode_and_default_dtype_are_the_callers(self, student: Student) -> None:
        assert student.settings() == (True, torch.float32)
        torch.set_default_dtype(torch.float64)
        try:
            with torch.no_grad():
                assert student.settings() == (False, torch.float64)
        finally:
            torch.set_default_dtype(torch.float32)

    def test_the_callers_seed_decides_what_is_drawn(self, student: Student) -> None:
        draws = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            draws.append(student.draw(4))
        assert torch.equal(draws[0][0], draws[1][0])
        assert draws[0][1] == draws[1][1]
        assert not torch.equal(draws[0][0], draws[2][0])

    def test_a_call_does_not_depend_on_how_much_the_callee_draws(self, student: Student) -> None:
        after = []
        for count in (1, 1000):
            torch.manual_seed(5)
            student.draw(count)
            after.append(torch.rand(3))
        assert torch.equal(*after)


class TestAutograd:
    def test_gradients_are_those_of_a_local_call(self, student: Student) -> None:
        a, b = randn(3, 4, grad=True), randn(4, 2, grad=True)
        weight = randn(3, 2)
        (student.product(a, b) * weight).sum().backward()
        assert torch.allclose(a.grad, weight @ b.detach().t(), atol=1e-12)
        assert torch.allclose(b.grad, a.detach().t() @ weight, atol=1e-12)

    def test_outputs_join_a_longer_graph(self, student: Student) -> None:
        a = randn(3, 3, grad=True)
        out = student.product(student.product(a * 2, a), a).sum()
        (found,) = torch.autograd.grad(out, [a])
        ((a * 2 @ a @ a).sum()).backward()
        assert torch.allclose(found, a.grad, atol=1e-12)

    def test_none_and_zero_gradients_stay_distinct(self, student: Student) -> None:
        a, b = randn(3, grad=True), randn(3, grad=True)
        none = torch.autograd.grad(student.only_first(a, b).sum(), [a, b], allow_unused=True)
        zero = torch.autograd.grad(student.times_zero(a, b).sum(), [a, b], allow_unused=True)
        assert none[1] is None
        assert torch.equal(zero[1], torch.zeros(3, dtype=torch.float64))

    def test_detached_output_requires_no_grad(self, student: Student) -> None:
        assert student.detached(randn(3, grad=True)).requires_grad is False

    def test_no_graph_is_made_without_grad(self, student: Student) -> None:
        with torch.no_grad():
            assert student.same(randn(3, grad=True) * 2).requires_grad is False

    def test_unused_outputs_need_no_gradient(self, student: Student) -> None:
        a = randn(2, 3, grad=True)
        double, rest, _ = student.mixed(a)
        double.sum().backward()
        assert torch.equal(a.grad, torch.full((2, 3), 2.0, dtype=torch.float64))
        assert rest["sum"].requires_grad

    def test_second_backward_raises_unless_the_graph_is_retained(self, student: Student) -> None:
        a = randn(3, grad=True)
        out = student.only_first(a, a).sum()
        out.backward(retain_graph=True)
        out.backward()
        assert torch.equal(a.grad, torch.full((3,), 4.0, dtype=torch.float64))
        with pytest.raises(RuntimeError, match="second time"):
            out.backward()

    def test_exceptions_inside_backward_keep_their_type(self, student: Student) -> None:
        out = student.fails_backward(randn(3, grad=True)).sum()
        with pytest.raises(StudentRaised) as caught:
            out.backward()
        assert caught.value.type_name == "KeyError"

    def test_second_derivatives_are_refused(self, student: Student) -> None:
        b = randn(3, 3)
        with pytest.raises(Unsupported, match="second derivatives"):
            torch.autograd.functional.hessian(lambda a: student.product(a, b).sum(), randn(3, 3))

    def test_create_graph_is_refused(self, student: Student) -> None:
        a = randn(3, grad=True)
        with pytest.raises(Unsupported):
            torch.autograd.grad(student.only_first(a, a).sum(), [a], create_graph=True)

    def test_vmap_is_refused(self, student: Student) -> None:
        with pytest.raises((Unsupported, RuntimeError), match=r"vmap"):
            torch.vmap(student.same)(randn(3, 2))

    def test_torch_func_is_refused(self, student: Student) -> None:
        with pytest.raises((Unsupported, RuntimeError)):
            torch.func.grad(lambda a: student.same(a).sum())(randn(3))

    @pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
    def test_forward_mode_is_refused(self, student: Student) -> None:
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(randn(3), randn(3))
            with pytest.raises(Unsupported, match="forward-mode"):
                student.same(dual)

    def test_graphs_are_released_with_the_output(self, client: Client, student: Student) -> None:
        for _ in range(3):
            student.only_first(randn(3, grad=True), randn(3))
        gc.collect()
        assert len(client.peer._to_release) >= 1


class TestCallbacks:
    def test_functions_are_called_back(self, student: Student) -> None:
        a = randn(3)
        assert torch.equal(student.apply_twice(lambda t: t * 2, a), a * 4)

    def test_gradients_flow_through_a_call_back(self, student: Student) -> None:
        a = randn(3, grad=True)
        student.apply_twice(lambda t: t * t, a).sum().backward()
        assert torch.allclose(a.grad, 4 * a.detach() ** 3, atol=1e-12)

    def test_a_backward_may_nest_inside_a_call(self, student: Student) -> None:
        a = randn(3)
        assert torch.allclose(student.gradient_inside(lambda t: t * 3, a), 18 * a, atol=1e-12)

    def test_what_our_call_back_raises_is_ours_even_if_swallowed(self, student: Student) -> None:
        def broken(_: torch.Tensor) -> torch.Tensor:
            raise ZeroDivisionError("ours")

        with pytest.raises(ZeroDivisionError, match="ours"):
            student.swallow(broken, randn(2))

    @pytest.mark.parametrize(
        ("count", "names", "observed", "detail"),
        [
            (1, (), "called fn with (…)", ""),
            (2, ("scale",), "called fn with (…, …, scale=…)", ""),
            (1, ("mask",), "called fn with (…, a keyword that it does not have)", "mask"),
            (
                1,
                ("b", "a", "scale"),
                "called fn with (…, scale=…, other keywords)",
                "a, b",
            ),
        ],
        ids=["keyword-dropped", "one-too-many", "keyword-invented", "two-invented"],
    )
    def test_a_call_that_does_not_fit_is_the_students_mistake(
        self, student: Student, count: int, names: tuple[str, ...], observed: str, detail: str
    ) -> None:
        def fn(x: torch.Tensor, *, scale: torch.Tensor) -> torch.Tensor:
            return x * scale

        a = randn(2)
        args, kwargs = (a,) * count, dict.fromkeys(names, a)
        with pytest.raises(CheckFailed) as caught:
            student.call_with(fn, args, kwargs)
        assert caught.value.observed == observed
        assert caught.value.expected == "a call that fits fn(x, *, scale)"
        assert caught.value.detail == detail
        assert torch.equal(student.call_with(fn, (a,), {"scale": a}), a * a)

    def test_a_call_that_does_not_fit_is_not_hidden_by_swallowing(self, student: Student) -> None:
        with pytest.raises(CheckFailed) as caught:
            student.swallow(lambda: 0, randn(2))
        assert caught.value.observed == "called the function that it was given with (…)"

    def test_a_type_error_inside_our_call_back_is_ours(self, student: Student) -> None:
        def fn(x: torch.Tensor) -> torch.Tensor:
            return x + "ours"  # type: ignore[operator]

        with pytest.raises(TypeError):
            student.call_with(fn, (randn(2),), {})

    def test_what_a_call_back_finds_wrong_is_the_students_mistake(self, student: Student) -> None:
        def fn(x: object) -> object:
            raise CheckFailed("x is a tuple", "a tensor")

        with pytest.raises(CheckFailed, match="x is a tuple"):
            student.call_with(fn, ((randn(2),),), {})

    def test_a_call_back_may_call_the_student(self, student: Student) -> None:
        a = randn(2, 2)
        found = student.apply_twice(lambda t: student.product(t, t), a)
        assert torch.allclose(found, a @ a @ a @ a)

    def test_handles_go_home_as_the_object(self, student: Student) -> None:
        layer = student.Layer(3, 2).eval()
        x = torch.randn(4, 3)
        assert torch.equal(student.run_layer(layer, x), layer(x))


class TestModules:
    def test_state_round_trip(self, student: Student) -> None:
        first, second = student.Layer(3, 2).eval(), student.Layer(3, 2).eval()
        second.load(first.state())
        x = torch.randn(4, 3)
        assert torch.equal(first(x), second(x))
        assert list(first.state()) == ["mask", "linear.weight", "linear.bias"]

    def test_attributes_are_values_or_handles(self, student: Student) -> None:
        layer = student.Layer(3, 2)
        assert layer.heads == 4
        assert layer.mask.dtype == torch.bool
        assert layer.linear(torch.zeros(1, 3)).shape == (1, 2)
        assert layer.weight().shape == (2, 3)
        with pytest.raises(StudentRaised, match="AttributeError"):
            _ = layer.no_such_thing

    def test_train_and_eval(self, student: Student) -> None:
        layer = student.Layer(8, 8)
        x = torch.randn(16, 8)
        assert not torch.equal(layer.train()(x), layer.train()(x))
        assert torch.equal(layer.eval()(x), layer.eval()(x))

    def test_dtype_changes(self, student: Student) -> None:
        layer = student.Layer(3, 2).double().eval()
        assert layer(randn(4, 3)).dtype == torch.float64
        assert layer.half().state()["linear.weight"].dtype == torch.float16

    def test_parameters_collect_gradients(self, student: Student) -> None:
        layer = student.Layer(3, 2).eval()
        x = torch.randn(4, 3)
        layer(x).sum().backward()
        found = dict(layer.named_parameters())
        assert torch.allclose(found["linear.weight"].grad, x.sum(0).expand(2, 3), atol=1e-6)
        assert torch.equal(found["linear.bias"].grad, torch.full((2,), 4.0))

    def test_optimiser_steps_are_written_back(self, student: Student) -> None:
        layer = student.Layer(3, 2).eval()
        x, before = torch.randn(4, 3), layer.state()["linear.weight"]
        optimiser = torch.optim.SGD(layer.parameters(), lr=0.5)
        layer(x).sum().backward()
        optimiser.step()
        expected = before - 0.5 * x.sum(0)
        assert torch.allclose(layer.state()["linear.weight"], expected, atol=1e-6)
        optimiser.zero_grad()
        first = layer(x).pow(2).sum()
        first.backward()
        torch.optim.SGD(layer.parameters(), lr=1e-3).step()
        assert layer(x).pow(2).sum() < first

    def test_output_that_is_a_parameter_is_that_parameter(self, student: Student) -> None:
        layer = student.GivesWeight(3, 2)
        weight = dict(layer.named_parameters())["linear.weight"]
        assert layer(torch.zeros(1)) is weight

    def test_buffers_are_listed(self, student: Student) -> None:
        assert [name for name, _ in student.Layer(3, 2).named_buffers()] == ["mask"]

    def test_plain_tensors_are_listed(self, student: Student) -> None:
        """Neither parameters nor buffers, nor a number without axes, which fits everywhere."""
        assert student.Layer(3, 2).plain_tensors() == []
        assert student.KeepsPlainTensors().plain_tensors() == [("layer.triangle", "(4, 4)")]

    def test_freezing_every_parameter(self, student: Student) -> None:
        layer = student.Layer(3, 2).requires_grad_(False)
        assert [spec.requires_grad for spec in layer.specs] == [False, False]
        assert not layer(torch.zeros(4, 3)).requires_grad
        assert layer.requires_grad_()(torch.zeros(4, 3)).requires_grad

    def test_layers_of_torch_live_beside_the_students_code(self, student: Student) -> None:
        """They can be called, put into each other, and handed to a function of the student's."""
        linear = student.nn.Linear(3, 2)
        both = student.nn.Sequential(linear, student.nn.ReLU())
        x = torch.randn(4, 3)
        assert torch.equal(both(x), linear(x).relu())
        assert torch.equal(student.run_layer(both, x), both(x))
        buffers = dict(student.nn.BatchNorm1d(4).named_buffers())
        assert "running_mean" in buffers

    def test_optimisers_of_torch_live_there_too(self, student: Student) -> None:
        """One is made for modules there, and does its work in a function of the student's."""
        first, last = student.nn.Linear(2, 1), student.nn.Linear(1, 1)
        both = student.nn.Sequential(first, last)
        before = {name: value.clone() for name, value in both.state().items()}
        optimiser = student.optim.SGD(first, last, lr=0.0)
        x = torch.tensor([[2.0, 3.0]])
        hidden = first(x)
        assert student.descend(both, optimiser, x) == 2
        after = both.state()
        assert torch.equal(after["0.weight"], before["0.weight"])
        assert torch.allclose(after["1.weight"], before["1.weight"] - 0.5 * hidden)
        assert repr(optimiser) == "<RemoteFunction>"

    def test_generators_there_go_on_from_call_to_call(self, student: Student) -> None:
        """One that is made here crosses by its seed, and begins anew in each call."""
        there, here = student.generator(7), torch.Generator().manual_seed(7)
        numbers = torch.cat([student.draw_three(there), student.draw_three(there)])
        assert torch.equal(numbers, torch.rand(6, generator=torch.Generator().manual_seed(7)))
        assert torch.equal(student.draw_three(here), student.draw_three(here))
        assert repr(there) == "<RemoteFunction>"

    def test_the_callers_default_device_counts(self, student: Student) -> None:
        """A model of any size can be made where it has shapes and no memory."""
        with torch.device("meta"):
            layers = [student.Layer(8_000, 8_000) for _ in range(8)]
            parameters = [p for layer in layers for p in layer.parameters()]
        assert sum(p.numel() for p in parameters) == 8 * 8_000 * 8_001
        assert all(p.is_meta for p in parameters)
        assert not student.same(torch.zeros(2)).is_meta
        assert student.Layer(3, 2)(torch.zeros(1, 3)).device.type == "cpu"

    def test_meta_modules_give_shapes(self, student: Student) -> None:
        layer = student.Layer(3, 2).eval().to("meta")
        assert layer(torch.empty(5, 3, device="meta")).shape == (5, 2)


class TestWhatTravelsWithTheNextRequest:
    """Writing, modes and preparing have no result to wait for."""

    def test_it_comes_before_the_call(self, student: Student) -> None:
        layer = student.Layer(3, 2).eval()
        layer.write({"linear.weight": torch.zeros(2, 3), "linear.bias": torch.ones(2)})
        assert torch.equal(layer(torch.randn(4, 3)), torch.ones(4, 2))

    def test_it_comes_before_an_attribute_and_the_state(self, student: Student) -> None:
        layer = student.Layer(3, 2)
        layer.prepare({"linear.bias": torch.ones(2)}, torch.float64, False)
        assert layer.linear.bias.dtype == torch.float64
        layer.write({"linear.bias": torch.full((2,), 2.0)})
        assert torch.equal(layer.state()["linear.bias"], torch.full((2,), 2.0).double())

    def test_it_comes_before_a_backward(self, student: Student) -> None:
        layer = student.Layer(3, 2).eval()
        out = layer(torch.randn(4, 3, requires_grad=True)).sum()
        layer.write({"linear.weight": torch.zeros(2, 3)})
        with pytest.raises(StudentRaised) as caught:
            out.backward()
        assert "modified by an inplace operation" in caught.value.detail

    def test_a_prepared_module_is_described_as_it_is(self, student: Student) -> None:
        layer = student.Layer(3, 2)
        layer.prepare({}, torch.float64, False)
        told = layer.specs
        layer.to(torch.float64)  # answers with a new description
        assert layer.specs == told
        assert not layer.training

    def test_what_it_raises_the_next_call_raises(self, student: Student) -> None:
        layer = student.HoldsStubborn()
        layer.eval()
        with pytest.raises(StudentRaised) as caught:
            layer(torch.zeros(1, 3))
        assert caught.value.detail == "no other mode"
        assert layer(torch.zeros(1, 3)).shape == (1, 2)

    def test_a_change_by_the_call_itself_is_still_reported(
        self, student: Student, client: Client
    ) -> None:
        layer = student.Layer(3, 2)
        layer.write({"linear.bias": torch.ones(2)})
        student.hidden_change(torch.zeros(2))
        assert [*map(str, client.changed)] == ["0"]


def test_names_here_are_real() -> None:
    assert {"product", "Layer", "RATE"} <= set(NAMES)
