"""A kit, which knows nothing but what was recorded, settles how a student stores numbers."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch

from grader.judge.calls.faults import CheckFailed, NotRecorded
from grader.judge.checks.expect import Expect
from grader.judge.checks.probe import Probe
from grader.judge.recorded.recorder import ReferenceListener, definitions
from grader.judge.recorded.recording import Recording
from grader.judge.recorded.replay import Replay
from grader.judge.reference.memo import Memo, Reference
from tests.support.clients import Definitions, local_client, student_of
from tests.unit.judge.bind.test_binding import REFERENCE, ROLES, SAYS, STUDENTS

STEM = "fader"
CACHE = """
    import torch
    from torch import nn

    class Sum(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.seen = None
            self.scale = nn.Linear(size, size)

        def begin(self, pixels):
            self.seen = torch.zeros(())
            return self.add(pixels)

        def add(self, pixels):
            self.seen = self.seen + self.scale(pixels).sum()
            return self.seen
"""


def compared(source: str, truth: ModuleType, is_kept: bool = False) -> list[str]:
    """Compare a student's file with a reference, as a check does; return the notes."""
    client, module = local_client(source)
    client.is_kept = is_kept
    memo = Memo()
    student = student_of(client, Definitions(module))
    probe = Probe(2, student, Reference(truth, memo, ROLES), memo, client.known)
    pair = probe.pair("Fader", 5)
    Expect(client, memo, seed=1).matches(pair.student, pair.reference, probe.randn(4, 5))
    return probe.notes


def heard(name: str, source: str) -> tuple[ReferenceListener, ModuleType, ModuleType]:
    """Return a listener, and the copy of a module that it listens to."""
    _client, module = local_client(source)
    listener = ReferenceListener()
    return listener, module, listener.listening({STEM: module})[STEM]


def replayed(listener: ReferenceListener, module: ModuleType, name: str) -> ModuleType:
    recording = Recording(
        definitions=definitions({STEM: module}, {STEM: [name]}),
        modules=listener.modules,
        answers=listener.answers.content(),
        mistakes={},
        kills={},
        requested={},
        traces=(),
        runs={},
    )
    return Replay(recording).module(STEM)


@pytest.fixture(scope="module")
def kit() -> ModuleType:
    """What a kit has for the reference, recorded while this was compared with itself."""
    listener, module, copy = heard("Fader", REFERENCE)
    compared(REFERENCE, copy, is_kept=True)
    return replayed(listener, module, "Fader")


@pytest.mark.parametrize("name", STUDENTS)
def test_a_layout_that_nobody_recorded_is_settled(kit: ModuleType, name: str) -> None:
    assert SAYS[name] in compared(STUDENTS[name], kit)


@pytest.mark.parametrize("name", STUDENTS)
def test_a_wrong_answer_is_none_in_any_layout(kit: ModuleType, name: str) -> None:
    wrong = STUDENTS[name].replace("** 2", "+ 2")
    assert wrong != STUDENTS[name]
    with pytest.raises(CheckFailed):
        compared(wrong, kit)


def test_an_alternative_of_the_course_is_known(kit: ModuleType) -> None:
    cubes = STUDENTS["packed"].replace("** 2", "** 3")
    assert "fades by cubes" in compared(cubes, kit)


def test_without_its_last_question_a_layout_is_left_to_the_course() -> None:
    """The negative control: what is recorded while nobody keeps answers for a kit."""
    listener, module, copy = heard("Fader", REFERENCE)
    compared(REFERENCE, copy)
    with pytest.raises(NotRecorded):
        compared(STUDENTS["interleaved"], replayed(listener, module, "Fader"))


def test_a_method_answers_by_what_was_called_before() -> None:
    """What a module keeps between calls is no parameter and no buffer."""
    listener, module, copy = heard("Sum", CACHE)
    one, two = (torch.full((2, 3), number, dtype=torch.float64) for number in (1.0, 2.0))
    summing = copy.Sum(3).double()
    expected = [summing.begin(one), summing.add(two), summing.add(two)]
    begun_anew = summing.begin(two)

    other = replayed(listener, module, "Sum").Sum(3).double()
    other.load_state_dict(summing.state_dict())

    assert [other.begin(one), other.add(two), other.add(two)] == expected
    assert other.begin(two) == begun_anew
    assert len({value.item() for value in (*expected, begun_anew)}) == 4
    with pytest.raises(NotRecorded):
        other.begin(one)
