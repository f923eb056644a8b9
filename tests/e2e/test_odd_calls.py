"""However a submission calls a function that a suite hands to it, it is the submission that is
judged: the suite's own function is never found broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import Outcome
from tests.support.courses import submission

pytestmark = pytest.mark.usefixtures("warm_nursery")

SOURCE = """
import torch
from torch import nn


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        fn = self.fn
        return x + {call}
"""
RIGHT = "fn(x, **kwargs)"
ODD = {
    "a tuple": "fn((x,), **kwargs)",
    "keywords as a dictionary": "fn(x, kwargs)",
    "keywords by place": "fn(x, *kwargs.values())",
    "keywords dropped": "fn(x)",
    "a keyword invented": "fn(x, mask=None, **kwargs)",
    "x by another name": "fn(input=x, **kwargs)",
    "no arguments": "fn()",
    "nothing": "fn(None, **kwargs)",
    "a text": "fn('x', **kwargs)",
    "an object": "fn(object(), **kwargs)",
    "itself": "fn(fn, **kwargs)",
    "the module": "fn(nn.Linear(3, 3), **kwargs)",
    "a scalar": "fn(x.sum(), **kwargs)",
    "other shapes": "fn(x[:, :2], **kwargs)",
    "integers": "fn(x.long(), **kwargs)",
    "the meta device": "fn(x.to('meta'), **kwargs)",
    "keywords of texts": "fn(x, **{k: 'text' for k in kwargs})",
    "keywords of nothing": "fn(x, **dict.fromkeys(kwargs))",
    "twice": "fn(fn(x, **kwargs), **kwargs)",
    "its result is asked for more": "fn(x, **kwargs).output",
}


def source(name: str) -> str:
    return SOURCE.format(call=ODD.get(name, RIGHT))


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    submissions = [submission({"a4_vit.py": source(name)}, id=name) for name in [*ODD, "right"]]
    course = find_course(Path(__file__).parent)
    with Engine(course, Options(only=("a4.mlp",))) as engine:
        return {result.submission.id: result for result in engine.grade(submissions)}


@pytest.mark.parametrize("name", ODD)
def test_every_call_is_judged(results: dict[str, Result], name: str) -> None:
    found = results[name].observations
    assert [o for o in found if o.outcome is Outcome.COULD_NOT_CHECK] == []
    keywords = [o for o in found if "/keywords/" in o.check]
    assert any(o.outcome in (Outcome.FAILED, Outcome.STUDENT_ERROR) for o in keywords)


def test_the_right_call_is_right(results: dict[str, Result]) -> None:
    keywords = [o.outcome for o in results["right"].observations if "/keywords/" in o.check]
    assert keywords == [Outcome.PASSED] * 3


def test_an_invented_keyword_stands_in_public_reports_alone(results: dict[str, Result]) -> None:
    told = {o.check: o.observed for o in results["a keyword invented"].observations}
    words = "called fn with (…, a keyword that it does not have)"
    assert told["a4.mlp/outputs/test_residual_of_a_function"] == f"{words}: mask"
    assert told["a4.mlp/keywords/test_function_without_any"] == words
