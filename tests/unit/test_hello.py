"""What a judge says of a check arrives as it was said."""

from __future__ import annotations

import dataclasses
import json

import pytest

from grader.evidence import Cause, Observation, Outcome, Picture, Weights, Where
from grader.hello import observation

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


@pytest.mark.parametrize("said", [FULL, Observation("a/b/c", "Title.", Outcome.PASSED)])
def test_an_observation_comes_through_the_pipe(said: Observation) -> None:
    assert observation(json.loads(json.dumps(dataclasses.asdict(said)))) == said
