"""Whatever a submission's functions and modules answer, a suite has an opinion about it.

A check that trips over an odd answer would be `could_not_check`: nobody's points, and our fault.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.course.course import Course, find_course
from grader.course.scope import Scope
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import Outcome
from grader.submission.submission import Submission, digest_of
from tests.support import busy
from tests.support.turns import in_turn

pytestmark = pytest.mark.usefixtures("warm_nursery")

ANSWERS = {
    "nothing": "None",
    "a text": "'done'",
    "a number": "3",
    "an endless float": "float('nan')",
    "a scalar tensor": "torch.tensor(1.0)",
    "no elements": "torch.zeros(0)",
    "a list of lists": "[[1.0, 2.0], [3.0]]",
    "a tuple of tensors": "(torch.zeros(2, 4, 5), torch.zeros(2, 4, 7))",
    "too many items": "(1, 2, 3, 4)",
    "an object": "object()",
    "the first argument": "args[0] if args else None",
    "the first argument, twice": "(args[0], args[0]) if args else None",
    "its NaN": "args[0] * float('nan') if torch.is_tensor(args[0]) else None",
    "its float32": "args[0].float() if torch.is_tensor(args[0]) else None",
    "its integers": "args[0].long() if torch.is_tensor(args[0]) else None",
    "its complex numbers": "args[0] + 0j if torch.is_tensor(args[0]) else None",
    "its sign": "args[0] > 0 if torch.is_tensor(args[0]) else None",
    "an error": "1 / 0",
}
SOURCE = """
import torch
from torch import nn


def answer(*args, **kwargs):
    return {answer}


class Module(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, *args, **kwargs):
        return {answer}
"""
TWISTS = {
    "detached": "value.detach()",
    "NaN": "value * float('nan')",
    "float16": "value.half()",
    "integers": "value.long()",
    "complex numbers": "value + 0j",
    "bools": "value > 0",
    "meta": "value.to('meta')",
    "expanded": "value[None]",
    "flattened": "value.flatten()",
    "negative zeros": "value * -0.0",
    "a subclass": "nn.Parameter(value.detach())",
}
TWISTED = """

from torch.utils._pytree import tree_map


def twisted(function):
    def twist(value):
        return {twist} if torch.is_tensor(value) else value

    return lambda *args, **kwargs: tree_map(twist, function(*args, **kwargs))

"""


@pytest.fixture(scope="module")
def course() -> Course:
    return find_course(Path(__file__).parent)


def constant(course: Course, name: str, style: str) -> dict[str, bytes]:
    """Every target always gives the same answer, modules as modules or as plain functions.

    An exercise that asks for functions alone is the same in both styles, and is left to the first.
    """
    files: dict[str, str] = {}
    for exercise in course.rubric.exercises.values():
        has_classes = any(target[0].isupper() for target in exercise.targets)
        if style == "functions" and not has_classes:
            continue
        file = f"{exercise.assignment}.py"
        files.setdefault(file, SOURCE.format(answer=ANSWERS[name]))
        for target in exercise.targets:
            is_class = target[0].isupper() and style == "modules"
            files[file] += f"\n{target} = {'Module' if is_class else 'answer'}\n"
    return {file: source.encode() for file, source in files.items()}


def twisted(course: Course, name: str) -> dict[str, bytes]:
    """Every target does as the reference does, and then something odd with its answer."""
    files: dict[str, str] = {}
    for exercise in course.rubric.exercises.values():
        file = f"{exercise.assignment}.py"
        if file not in files:
            files[file] = course.reference(exercise.assignment).read_text(encoding="utf-8")
            files[file] += TWISTED.format(twist=TWISTS[name])
        for target in exercise.targets:
            if target[0].isupper():
                files[file] += f"\n{target}.forward = twisted({target}.forward)\n"
            else:
                files[file] += f"\n{target} = twisted({target})\n"
    return {file: source.encode() for file, source in files.items()}


CONSTANT = in_turn(tuple(ANSWERS), 2)
COMPUTED = in_turn(tuple(TWISTS), 3)
CASES = [(name, style) for name in CONSTANT for style in ("modules", "functions")]
CASES += [(name, "twisted") for name in COMPUTED]
"""Causes are looked for of those that compute something first."""


@pytest.fixture(scope="module")
def results(course: Course) -> dict[str, Result]:
    """What was seen of every case."""
    submissions = []
    for name, style in CASES:
        is_twisted = style == "twisted"
        files = twisted(course, name) if is_twisted else constant(course, name, style)
        id = json.dumps([name, style])
        submissions.append(Submission(id=id, files=files, digest=digest_of(files), path=""))
    looked_into = {json.dumps([name, "twisted"]) for name in COMPUTED}
    scopes = {one.id: Scope(diagnose=one.id in looked_into) for one in submissions}
    with Engine(course, Options()) as engine:
        return {result.submission.id: result for result in busy.graded(engine, submissions, scopes)}


@pytest.mark.parametrize(("name", "style"), CASES)
def test_every_answer_is_judged(results: dict[str, Result], name: str, style: str) -> None:
    seen = results[json.dumps([name, style])].observations
    assert [o for o in seen if o.outcome is Outcome.COULD_NOT_CHECK] == []
    faults = [o.staff for o in seen if o.staff and "tests/suites/" not in o.staff]
    assert faults == []
    assert any(o.outcome in (Outcome.FAILED, Outcome.STUDENT_ERROR) for o in seen)
