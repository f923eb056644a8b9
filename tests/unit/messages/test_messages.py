"""What parent and judge tell each other arrives as it was sent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from grader.course.scope import Scope
from grader.grade.evidence import Cause, Note, Observation, Outcome, Picture, Weights, Where
from grader.messages.answers import (
    Answer,
    CheckFacts,
    CheckStarted,
    Failed,
    Gone,
    GradedSubmission,
    Ready,
    TooBusy,
    Trace,
    UnknownName,
    answer_in,
    answer_message,
)
from grader.messages.exercise_plan import ExercisePlan
from grader.messages.grade_request import GradeRequest, grade_request_in
from grader.messages.hello import Hello, hello_in
from grader.submission.file_choice import Choice
from grader.wire.faults import Violation
from grader.wire.frame import Message
from grader.wire.isolation_record import IsolationRecord

FULL = Observation(
    "a/b/c",
    "Title.",
    Outcome.FAILED,
    cause=Cause("a.b", "Because.", 1, 2),
    where=Where("a.py", 3, likely=True),
    notes=("one",),
    also=(Cause("a.c", "Or.", 1, 2),),
    picture=Picture("leaks", "title", ((1.0, 2.0),)),
    weights=Weights(((0.5, None),), ((0.25, 0.75),), ("rows", "columns"), cut=True),
)
GRADED = GradedSubmission(
    observations=(FULL, Observation("a/b/d", "Title.", Outcome.PASSED)),
    without=(),
    notes=(Note("problem", "Broken.", Where("a.py", 1)), Note("note", "Odd.")),
    choices={"a": Choice("a.py", {"a.py": "edited"})},
    isolation=IsolationRecord("full", ("seccomp",)),
    duration_ms=1.5,
    trace=Trace({"a/b/c": [["1", [0.5]]]}, {"a/b/c": ("matches",)}, {}, (("t.py", "SEEN"),)),
)
ANSWERS = [
    Ready(
        (CheckFacts("a/b/c", "Title.", "t.py", 3, False, "skip"),),
        (UnknownName(("exercises", "a", "targets", 0), "torch", "nm", ("nn",), "write nn"),),
    ),
    CheckStarted("a", 1, 2),
    Failed("no suite"),
    Gone("killed"),
    TooBusy("waited"),
    GRADED,
]
PLAN = ExercisePlan(
    slug="a",
    assignment="a1",
    targets=("f", "g"),
    suites=("t.py",),
    hidden=frozenset({"values"}),
    calls={"f": "b"},
    copied=True,
    banned=("torch.bmm",),
    no_loops=("f",),
    operators={"torch.bmm": ("aten::bmm",)},
    policy=True,
)
HELLO = Hello("grader", ("/site",), "/course", "s", (PLAN,), {"a1": ("f", "g")}, True, "ko")
FILES = {"a.py": b"x = 1", "b.py": b""}
SCOPE = Scope(only=("a",), unknown=("m",), seen_in=(("a1", "f"),), about=(("a1", "g"),))


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda one: type(one).__name__)
def test_an_answer_arrives_as_it_was_sent(answer: Answer) -> None:
    assert answer_in(through_json(answer_message(answer))) == answer


@pytest.mark.parametrize("hello", [HELLO, replace(HELLO, seed=None, live=True, trace=True)])
def test_a_course_arrives_as_it_was_described(hello: Hello) -> None:
    assert hello_in(through_json(hello.encoded())) == hello


@pytest.mark.parametrize("scope", [Scope(), SCOPE])
def test_a_submission_arrives_as_it_was_sent(scope: Scope) -> None:
    request = GradeRequest(FILES, {"a1": "a.py"}, "digest", scope, {"a1": ("b.py",)})
    meta, contents = request.encoded()

    assert grade_request_in(Message(through_json(meta), bytearray(b"".join(contents)))) == request


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"t": "passed"},
        {"t": "failed"},
        {"t": "failed", "why": 5},
        {"t": "failed", "why": "no suite", "more": 1},
        {"t": "at", "exercise": "a", "number": True, "count": 2},
        {"t": "ready", "checks": {}, "unknown": []},
        {"t": "ready", "checks": [["a/b/c", "Title."]], "unknown": []},
    ],
    ids=str,
)
def test_what_is_no_answer_is_a_violation(meta: dict[str, Any]) -> None:
    with pytest.raises(Violation):
        answer_in(meta)
