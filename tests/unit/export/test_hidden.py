"""What students get says no more than their own report, though the records say more."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from grader.report import junit, markdown
from grader.report.content import Report
from grader.report.html import page as html
from grader.report.record import report_of
from tests.support.graded_results import (
    SECRET_FLAG,
    SECRET_PASSED,
    SECRET_STAFF,
    SHOWN_FAILED,
    export,
    write_class,
)
from tests.unit.samples import RUBRIC

SECRETS = (SECRET_PASSED, SECRET_STAFF, SECRET_FLAG, "test_secret")
STUDENT = "studentfive_105"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = write_class(tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    return found


def everything_in(path: Path) -> str:
    """All text of an export, whatever it is packed in."""
    texts = []
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as packed:
                texts += [packed.read(name).decode() for name in packed.namelist()]
        elif file.is_file():
            texts.append(file.read_text("utf-8"))
    return "\n".join(texts)


def test_the_records_hold_the_secrets(results: Path) -> None:
    """The positive control: the search finds each of them where it is."""
    text = everything_in(results / "records")

    assert [secret for secret in SECRETS if secret not in text] == []


@pytest.mark.parametrize(
    ("format_", "shown"),
    [
        ("gradescope", SHOWN_FAILED),
        ("prairielearn", SHOWN_FAILED),
        ("pages", SHOWN_FAILED),
        ("moodle-feedback", SHOWN_FAILED),
        ("mail-merge", "Subtracted instead of adding."),
    ],
)
def test_what_students_get_tells_no_secret(results: Path, format_: str, shown: str) -> None:
    export(format_)

    text = everything_in(results / "exports")
    assert shown in text
    assert [secret for secret in SECRETS if secret in text] == []


def lines_of(text: str) -> set[str]:
    return {line.strip("- ") for line in text.splitlines() if line.strip("- ")}


@pytest.mark.parametrize("format_", ["gradescope", "prairielearn"])
def test_every_line_on_a_check_stands_in_the_report(results: Path, format_: str) -> None:
    """Word for word: what is observed, expected, the cause and the place."""
    export(format_)
    report = report_of(json.loads((results / "records" / f"{STUDENT}.json").read_text()), RUBRIC)
    shown = " ".join(said(report).split())
    path = results / "exports" / format_ / STUDENT / "results.json"
    tests = json.loads(path.read_text("utf-8"))["tests"]

    lines = {line for test in tests for line in lines_of(test["output"])}
    of_checks = {line for line in lines if not line.endswith("passed.")}
    assert SHOWN_FAILED in of_checks
    for line in of_checks:
        label, _colon, words = line.partition(": ")
        assert " ".join(words.split()) in shown, line
        assert label in shown, line


def said(report: Report) -> str:
    return html.rendered(report) + markdown.rendered(report) + junit.rendered(report)


def test_gradescope_says_nothing_of_hidden_criteria_at_once(results: Path) -> None:
    export("gradescope")

    for path in (results / "exports").rglob("results.json"):
        values = json.loads(path.read_text("utf-8"))
        hidden = [test for test in values["tests"] if test["name"] == "s1.add: outputs"]
        assert [test["visibility"] for test in hidden] == ["after_published"]
        assert "outputs" not in values["output"]
        assert values["stdout_visibility"] == "hidden"


def test_the_list_of_causes_leaves_out_what_cost_nothing(results: Path) -> None:
    """A cause of a check that passed, or was carried, stands in no report."""
    path = results / "records" / f"{STUDENT}.json"
    record = json.loads(path.read_text("utf-8"))
    checks = [check for exercise in record["exercises"] for check in exercise["checks"]]
    (failed,) = [check for check in checks if check["cause"]]
    assert failed["outcome"] == "failed"
    failed["outcome"] = "carried"
    path.write_text(json.dumps(record), encoding="utf-8")

    assert export("mail-merge") == 0

    text = (results / "exports" / "mail-merge.csv").read_text("utf-8-sig")
    assert text.splitlines() == ["id,points,max_points,cause,in_words,exercises,shared_by"]
