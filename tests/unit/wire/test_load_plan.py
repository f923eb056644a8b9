"""The judge's requests to load or read a submission arrive as they were sent."""

from __future__ import annotations

import json

import pytest

from grader.wire.faults import Violation
from grader.wire.frame import Message
from grader.wire.load_plan import (
    LoadPlan,
    Wanted,
    load_plan_in,
    load_request,
    survey_request,
    wanted_in,
)

PLAN = LoadPlan(
    files={"a.py": b"x = 1", "b/c.ipynb": b"", "d.py": b"y"},
    entries={"a": "a.py"},
    targets={"a": ("f", "g")},
    stubs={"a": {"f": "digest"}},
    skip=frozenset({("a.py", 3), ("a.py", 1)}),
    others={"a": ("b/c.ipynb",)},
    counted={"torch.bmm": ("aten::bmm",)},
)
WANTED = Wanted({"a": ("f",)}, {"F": ("forward",)}, ("torch.bmm",), {"1": ("_ @ _",)})
BYTES = bytearray(b"x = 1y")


def test_a_plan_arrives_as_it_was_sent() -> None:
    assert load_plan_in(Message(json.loads(json.dumps(load_request(PLAN))), BYTES)) == PLAN


def test_questions_arrive_beside_the_plan() -> None:
    message = Message(json.loads(json.dumps(survey_request(PLAN, WANTED))), BYTES)

    assert (load_plan_in(message), wanted_in(message)) == (PLAN, WANTED)


@pytest.mark.parametrize("payload", [b"x = 1", b"x = 1yz"])
def test_files_of_another_size_are_a_violation(payload: bytes) -> None:
    with pytest.raises(Violation):
        load_plan_in(Message(load_request(PLAN), bytearray(payload)))
