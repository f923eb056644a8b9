"""A reader's account of a text has the one shape there is, or is a violation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.wire.faults import Violation
from grader.wire.survey_report import (
    CodeFinding,
    CodeSpot,
    CodeUse,
    NumberList,
    TargetSurvey,
    encoded_survey,
    survey_report,
)

SURVEY = {
    "a": {
        "f": TargetSurvey(
            uses=(CodeUse("torch.bmm", "torch.bmm(x, y)", "a.py", None, 3),),
            loops=(CodeFinding("for i in x:", "a.ipynb", 2, 4),),
            opaque=(CodeFinding("exec(x)", "a.py", None, 5),),
            numbers=(NumberList(20, "a.py", None, 6),),
            again=(CodeFinding("f calls itself", "a.py", None, 7),),
            places={"26": CodeSpot("a.py", None, 8)},
        ),
        "g": TargetSurvey(),
    }
}


def sent() -> Any:
    return json.loads(json.dumps(encoded_survey(SURVEY)))


def test_a_survey_arrives_as_it_was_sent() -> None:
    assert survey_report(sent()) == SURVEY


@pytest.mark.parametrize("value", [None, [], {"a": []}, {"a": {"f": {}}}], ids=repr)
def test_what_is_no_survey_is_a_violation(value: Any) -> None:
    with pytest.raises(Violation):
        survey_report(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("more", []),
        ("uses", {}),
        ("uses", ["torch.bmm"]),
        ("uses", [["torch.bmm"]]),
        ("uses", [["torch.bmm", "text", "a.py", None, "3"]]),
        ("loops", [["for", "a.py", None, True]]),
        ("loops", [["for", "a.py", None, 3]] * 1_001),
        ("numbers", [["20", "a.py", None, 6]]),
        ("places", []),
        ("places", {"26": ["a.py", None, None]}),
    ],
)
def test_anything_unexpected_is_a_violation(kind: str, value: Any) -> None:
    whole = sent()
    whole["a"]["f"][kind] = value
    with pytest.raises(Violation):
        survey_report(whole)
