"""Through which definitions an edit of a reference can be seen."""

from __future__ import annotations

from grader.course.uses import users, uses_of

REFERENCES = {
    "t1_first": """
SCALE = 2

def double(x):
    return SCALE * x

def twice(x):
    return double(double(x))

def alone(x):
    return x
""",
    "t2_second": """
from t1_first import twice as many

class Layer:
    def forward(self, x):
        return many(x)
""",
}


def test_an_edit_is_seen_by_whoever_uses_it_at_any_distance_and_by_nobody_else() -> None:
    uses = uses_of(REFERENCES)

    assert users(uses, ("t1_first", "SCALE")) == {
        ("t1_first", "SCALE"),
        ("t1_first", "double"),
        ("t1_first", "twice"),
        ("t2_second", "Layer"),
    }
    assert users(uses, ("t1_first", "alone")) == {("t1_first", "alone")}
    assert users(uses, ("t2_second", "Layer")) == {("t2_second", "Layer")}


def test_a_definition_that_nobody_mentions_is_seen_through_itself() -> None:
    assert users({}, ("t1_first", "double")) == {("t1_first", "double")}
