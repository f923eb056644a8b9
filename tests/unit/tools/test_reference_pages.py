"""The pages of reference are what the code says today, and leave nothing out."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from grader.cli.cli import COMMANDS
from grader.course.rubric_form import rubric_form
from grader.course.schema import Described, record, required
from grader.report.content import report_on
from grader.report.json import as_dict
from tests.unit.samples import RUBRIC, SampleResult
from tools import reference_pages
from tools.reference_pages import DOCS, REPORT_SCHEMA, pages


def test_they_are_fresh() -> None:
    assert reference_pages.stale() == []


def test_a_stale_page_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_pages, "PAGES", {"commands.md": lambda: "another page"})

    assert reference_pages.main(["--check"]) == 1


def test_every_command_and_every_one_of_its_options_is_there() -> None:
    page = pages()[DOCS / "commands.md"]

    assert re.findall(r"^## grader (\S+)$", page, re.MULTILINE) == list(COMMANDS)
    assert "| `--sealed FILE` | Write the course to FILE, encrypted and signed" in page


def test_every_key_of_a_rubric_has_a_meaning() -> None:
    records = list(reference_pages._records("rubric.yaml", rubric_form()))

    assert [title for title, _form in records] == [
        "rubric.yaml",
        "exercises …",
        "exercises … criteria …",
        "written …",
        "late",
        "totals",
        "totals drop …",
        "totals bonuses …",
        "totals caps …",
        "feedback",
    ]
    keys = [(title, name, key) for title, form in records for name, key in form.keys.items()]
    assert len(keys) > 25
    assert [(title, name) for title, name, key in keys if not key.meaning] == []
    assert all(isinstance(key.form, Described) for _title, _name, key in keys)


def test_a_key_without_a_form_that_speaks_is_refused() -> None:
    silent = record(lambda _name, **values: values, word=required(lambda _place: "a word"))

    with pytest.raises(AssertionError, match="does not say what it reads"):
        list(reference_pages._rows(silent))


def test_the_schema_takes_a_report_and_nothing_beside() -> None:
    schema = json.loads(REPORT_SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    report = json.loads(json.dumps(as_dict(report_on(SampleResult(), RUBRIC), for_staff=True)))

    assert [error.message for error in validator.iter_errors(report)] == []
    assert not validator.is_valid({**report, "another": 1})
    assert not validator.is_valid({**report, "points": 2.5})
