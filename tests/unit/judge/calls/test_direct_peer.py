"""What is called directly sees, and shows, what a message would: the same calls in both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from grader.judge.calls.client import Client, DirectClient, LocalClient
from grader.judge.calls.faults import CheckFailed, StudentRaised
from grader.judge.checks.namespace import Student
from grader.judge.mutants.mutant_runs import MutantRuns
from grader.wire.faults import TooLarge, Violation
from grader.wire.loopback import Loopback
from grader.wire.values import Opaque
from tests.support.clients import STEM, Definitions, local_client, student_of

SOURCE = """
import torch
from torch import nn


def seen(*values):
    return [
        (list(x.stride()), x.storage_offset(), x.untyped_storage().nbytes(), x.data_ptr() % 16,
         x.is_leaf, x.requires_grad, str(x.dtype), x.tolist())
        for x in values
    ] + [len({x.untyped_storage().data_ptr() for x in values})]


def both(x):
    return x, x[..., 1:], x


def written(x, y):
    y.data.mul_(2)
    return x


def scaled(x):
    x *= 2
    return x


def raising(x):
    raise KeyError("no such key \\udc80")


def nested(call):
    return [call(torch.ones(2)) for _ in range(3)]


def lends(call):
    base = torch.arange(24.0, requires_grad=True).reshape(4, 6)
    got = call(base.t(), [base[1:, 2:5]], scale=base[0])
    return seen(*got), (got[0] * base.t()).sum()


def forgiving(call):
    try:
        return call(torch.ones(2))
    except Exception as error:
        return type(error).__name__, str(error)


def many(call):
    for _ in range(20_000):
        call(torch.ones(2))


def deep():
    value = ()
    for _ in range(40):
        value = (value,)
    return value


def wide():
    return torch.zeros((1,) * 9)


def no_bool():
    return torch.full((3,), 2, dtype=torch.uint8).view(torch.bool)


def large():
    return torch.zeros(1).expand(1 << 25)


def odd():
    return {"a": slice(1, None), 2: object(), None: 1 << 70, "n": float("nan"), "c": 1j}


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3))

    def forward(self, x):
        return x * self.weight
"""
Observe = Callable[[Client, Student], Any]


def told(value: Any) -> Any:
    """A value with all that can be seen of its tensors, in place of them."""
    if isinstance(value, torch.Tensor):
        layout = value.stride(), value.storage_offset(), value.untyped_storage().nbytes()
        return [*layout, value.dtype, value.requires_grad, value.is_leaf, repr(value.tolist())]
    if isinstance(value, (list, tuple)):
        return type(value), [told(item) for item in value]
    if isinstance(value, dict):
        return [(told(key), told(item)) for key, item in value.items()]
    return repr(value) if isinstance(value, (float, Opaque)) else value


def layouts(client: Client, student: Student) -> Any:
    base = torch.arange(24.0).reshape(4, 6)
    views = base.t(), base[1:, 2:5], base[:, ::2], base[2:2], torch.zeros(1).expand(3, 2)
    others = torch.tensor([True, False]), torch.ones(2, 2, dtype=torch.complex64).conj()
    return student.seen(*views, *others), student.seen(base[1:3].requires_grad_())


def one_storage(client: Client, student: Student) -> Any:
    first, rest, again = student.both(torch.arange(6.0).reshape(2, 3))
    return first, rest, first is again, first.data_ptr() == rest.data_ptr() - 4


def changes(client: Client, student: Student) -> Any:
    x, y = torch.ones(2, 3), torch.full((4,), float("nan"))
    student.written(x, y)
    before = client.changed
    student.scaled(x)
    student.seen(x)
    return before, x, y, [client.changed]


def changed(client: Client, student: Student) -> Any:
    x = torch.ones(3)
    value = student.scaled(x)
    return value, value is x, x, client.changed


def returned(client: Client, student: Student) -> Any:
    x, y = torch.ones(2), torch.ones(2)
    return student.written(x, y) is x, client.changed


def gradients(client: Client, student: Student) -> Any:
    torch.manual_seed(3)
    layer = student.Layer()
    x = torch.arange(3.0, requires_grad=True)
    out = layer(x) + layer(x * 2)
    (weight,) = layer.parameters()
    found = torch.autograd.grad(out.sum(), [x, weight], retain_graph=True)
    return out.detach(), found, torch.rand(2), layer.layout


def raised(client: Client, student: Student) -> Any:
    with pytest.raises(StudentRaised) as error:
        student.raising(torch.ones(1))
    return vars(error.value)


def call_backs(client: Client, student: Student) -> Any:
    return student.nested(lambda x: x + 1)


def call_backs_with_views(client: Client, student: Student) -> Any:
    got = []

    def lent(first: Any, rest: list[Any], *, scale: Any) -> Any:
        got.extend([told(first), told(rest), told(scale)])
        return first * scale.sum(), rest[0][::2], scale

    return student.lends(lent), got


def call_backs_that_raise(client: Client, student: Student) -> Any:
    def broken(x: Any) -> None:
        raise KeyError("ours")

    def misfit() -> None:
        """Take nothing."""

    found = []
    for lent in (broken, misfit):
        with pytest.raises((KeyError, CheckFailed)) as error:
            student.forgiving(lent)
        found.append((type(error.value), str(error.value)))
    return found


def call_backs_that_call(client: Client, student: Student) -> Any:
    return student.forgiving(lambda x: student.scaled(x + 1)), client.changed


def too_many(client: Client, student: Student) -> Any:
    with pytest.raises(Violation, match="too many nested requests") as error:
        student.many(lambda x: x)
    return str(error.value)


def odd_values(client: Client, student: Student) -> Any:
    return student.odd(), student.deep()


def too_wide(client: Client, student: Student) -> Any:
    with pytest.raises(Violation) as error:
        student.wide()
    return str(error.value)


def bools(client: Client, student: Student) -> Any:
    with pytest.raises(Violation) as error:
        student.no_bool()
    return str(error.value)


def too_large(client: Client, student: Student) -> Any:
    with pytest.raises(StudentRaised) as answered:
        student.large()
    with pytest.raises(TooLarge) as asked:
        student.seen(torch.zeros(1).expand(1 << 25))
    with pytest.raises(TooLarge):
        student.seen(torch.zeros(1 << 24, dtype=torch.float64))
    return vars(answered.value), str(asked.value)


def on_meta(client: Client, student: Student) -> Any:
    value = student.written(torch.ones(2, 3, device="meta").t(), torch.ones(1))
    return value.device, value.stride(), client.changed


ALL = (
    layouts, one_storage, changes, changed, returned, gradients, raised, call_backs,
    call_backs_with_views, call_backs_that_raise, call_backs_that_call, too_many,
    odd_values, too_wide, bools, too_large, on_meta,
)  # fmt: skip


def seen_by(make: type[LocalClient], observe: Observe) -> Any:
    torch.manual_seed(1)
    client, module = local_client(SOURCE, make)
    return told(observe(client, student_of(client, Definitions(module))))


@pytest.mark.parametrize("observe", ALL, ids=lambda observe: observe.__name__)
def test_a_direct_call_shows_what_messages_show(observe: Observe) -> None:
    assert seen_by(DirectClient, observe) == seen_by(LocalClient, observe)


def test_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for a call nor for a call-back: the positive control, with messages, sends some."""
    sent: list[object] = []
    real = Loopback.send

    def note(channel: Loopback, *message: Any) -> None:
        sent.append(message[0])
        real(channel, *message)

    monkeypatch.setattr(Loopback, "send", note)

    for observe, messages in ((returned, 2), (call_backs, 8)):
        seen_by(DirectClient, observe)
        assert sent == []
        seen_by(LocalClient, observe)
        assert len(sent) == messages
        sent.clear()


def test_known_mistakes_are_called_directly() -> None:
    class Runner:
        def trace_on_references(self, *asked: Any) -> Any:
            clients.append(asked[-1])
            raise StopIteration

    clients: list[Client] = []
    check: Any = type("Check", (), {"id": "c", "fresh": True, "exercise": nn.Module()})()
    check.exercise.assignment = STEM
    mutants: Any = None
    with pytest.raises(StopIteration):
        MutantRuns({STEM: torch}, mutants, Runner()).right(check, "")
    assert [type(client) for client in clients] == [DirectClient]
