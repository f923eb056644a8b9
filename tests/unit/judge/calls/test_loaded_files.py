"""Why there is nothing to check is said in words that name a file."""

from __future__ import annotations

import pytest

from grader.judge.calls.faults import NotDefined
from grader.judge.calls.loaded_files import LoadedFiles
from grader.wire.load_plan import LoadPlan
from grader.wire.load_report import LoadReport, ModuleReport, TargetReport

MISSING = {"double": TargetReport()}


@pytest.mark.parametrize(
    ("report", "observed"),
    [
        (LoadReport(), "no file t1_toy.py or t1_toy.ipynb was handed in"),
        (
            LoadReport({"t1_toy": ModuleReport("", MISSING)}),
            "no file t1_toy.py or t1_toy.ipynb was handed in",
        ),
        (
            LoadReport({"t1_toy": ModuleReport("t1_toy (1).py", MISSING)}),
            "t1_toy (1).py does not define double",
        ),
    ],
    ids=["no report", "no file", "a file"],
)
def test_what_lacks_a_name_is_said(report: LoadReport, observed: str) -> None:
    files = LoadedFiles(LoadPlan({}, {}, {}, {}), report)

    with pytest.raises(NotDefined) as caught:
        files.kind("t1_toy", "double")

    assert caught.value.observed == observed
