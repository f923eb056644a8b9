"""What is asked apart is asked of a process that has seen nothing else of the check."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from grader.judge.calls.faults import AuthorFault, SourceGone, StudentRaised
from grader.judge.calls.student import SubmissionClient
from grader.judge.calls.workers import Workers
from grader.judge.checks.namespace import Student
from grader.wire.load_plan import LoadPlan
from tests.support.clients import STEM, remote_client, worker_source

TEXT = """
    import os
    import torch
    from torch import nn

    def known(x):
        memory = vars(torch).setdefault("_kept", {})
        return memory.setdefault(float(x.sum()), torch.randn(3))

    def helper(x):
        return x

    def helped(x):
        return helper(x)

    def process():
        return os.getpid()

    def ends(x):
        os._exit(3)

    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.linear = nn.Linear(width, width)
            self.drawn = torch.randn(4)

        def forward(self, x):
            return self.linear(x) + self.drawn.sum() + float(self.training)
"""
NAMES = ("known", "helper", "helped", "process", "ends", "Layer")


@pytest.fixture(scope="module")
def client() -> Iterator[SubmissionClient]:
    with worker_source("fork") as source:
        client = remote_client(source, {f"{STEM}.py": TEXT}, NAMES)
        yield client
        client.close()


@pytest.fixture
def student(client: SubmissionClient) -> Student:
    client.start_check(lambda call: 0.0)
    return Student(client, client.loaded, STEM, lambda name: name == "Layer")


def test_one_process_remembers_and_the_other_does_not(student: Student) -> None:
    x = torch.ones(2)
    said = student.known(x)
    assert torch.equal(student.known(x), said)
    assert not torch.equal(student.apart.known(x), said)
    assert student.process() == student.process() != student.apart.process()


def test_the_second_process_lives_as_long_as_the_first(
    student: Student, client: SubmissionClient
) -> None:
    there = student.apart.process()
    client.start_check(lambda call: 0.0)
    assert student.apart.process() == there
    client.end_worker()
    client.start_check(lambda call: 0.0)
    assert student.apart.process() not in (there, student.process())


def test_a_module_apart_is_the_same_module(student: Student) -> None:
    """What `__init__` draws, and all that was changed from here, before and after it was made."""
    layer, x = student.Layer(3), torch.ones(2, 3)
    layer.write({"linear.bias": torch.tensor([1.0, 2.0, 3.0])})
    assert torch.equal(layer.apart(x), layer(x))
    layer.eval()
    layer.to(torch.float64)
    with torch.no_grad():
        layer.parameters()[0].mul_(2.0)
    assert torch.equal(layer.apart(x.double()), layer(x.double()))
    other = student.Layer(3)
    other.load(layer.state())
    assert other.apart is other.apart


def test_making_it_is_neither_counted_nor_seen_in_later_draws(
    student: Student, client: SubmissionClient
) -> None:
    layer, x = student.Layer(3), torch.ones(2, 3)
    calls, state = client.calls, torch.get_rng_state()
    apart = layer.apart
    assert client.calls == calls and torch.equal(torch.get_rng_state(), state)
    apart(x)
    assert client.calls == calls + 1


def test_what_was_lent_is_lent_there_too(student: Student, client: SubmissionClient) -> None:
    assert client.substitute(STEM, "helper", STEM, lambda x: 2 * x)
    x = torch.ones(2)
    assert torch.equal(student.apart.helped(x), 2 * x)
    client.start_check(lambda call: 0.0)
    assert torch.equal(student.apart.helped(x), x)


def test_a_process_that_ends_leaves_the_other_one(student: Student) -> None:
    before = student.process()
    with pytest.raises(Exception, match="ended"):
        student.apart.ends(torch.ones(1))
    assert student.process() == before


def test_faults_are_those_of_the_student(student: Student) -> None:
    with pytest.raises(StudentRaised):
        student.apart.helped(1, 2)


def test_a_part_of_a_module_is_of_one_process(student: Student) -> None:
    with pytest.raises(AuthorFault, match="the whole apart"):
        _ = student.Layer(3).linear.apart


def test_operators_that_cannot_be_counted_are_our_fault() -> None:
    plan = LoadPlan(
        {f"{STEM}.py": b"def f(x):\n    return x\n"},
        {STEM: f"{STEM}.py"},
        {STEM: ("f",)},
        {},
    )
    operators = {"torch.relu": (5,)}  # no names, which the worker finds out
    with worker_source("fork") as source:
        client = SubmissionClient(Workers(source), plan, operators=operators)
        with pytest.raises(SourceGone, match="cannot count operators: AttributeError"):
            client.start_check(lambda call: 0.0)
        client.close()
