"""Names and words of students do nothing in any export, and no record breaks one."""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.batch.class_results import RECORDS, ByPerson
from grader.batch.gradebook import Given, row_of
from grader.batch.records import ClassRecords, RecordsError, read_records
from grader.course.rubric_file import load_rubric
from grader.export.exported import Choices, Exported, ExportError
from grader.export.formats import FORMATS, maker
from grader.export.graded_class import GradedClass, graded_class
from grader.grade.evidence import Cause, Note, Observation, Outcome, Where
from grader.report import json as json_report
from grader.report.content import report_on
from grader.report.html import page as html
from tests.support.graded_results import QUESTIONS, write_class
from tests.support.pages import everything
from tests.unit.export.test_formats import cells
from tests.unit.report.test_sinks import CONTROL, NASTY, Tags, is_harmless
from tests.unit.samples import CHECKS, FILES, RUBRIC, RUBRIC_TEXT, SampleResult, submission

FORMULA = tuple("=+-@|%＝＋－＠−")
TABLES = ("csv", "nbgrader", "mail-merge")
OF_RECORDS = ("json", "gradescope", "prairielearn", "pages", "moodle-feedback", "mail-merge")
RECORD_CASES = 300


def hostile_class(folder: Path, text: str) -> GradedClass:
    """Two students: all that one can choose is `text`; the other one handed in nothing."""
    cause = Cause("add.minus", "Subtracted.", 1, 1)
    seen = tuple(
        Observation(
            check, "Title.", Outcome.FAILED, text, text, cause, Where(text, 3), notes=(text,)
        )
        for check in CHECKS
    )
    notes = (Note("problem", text, Where(text, 3)), Note("note", text))
    result = SampleResult(submission(f"{text}_7", FILES), seen, notes)
    record = json_report.as_dict(report_on(result, RUBRIC, for_staff=True), for_staff=True)
    absent = {
        "submission": {"id": f"absent {text}", "digest": None},
        "problem": "handed in nothing",
    }
    (folder / RECORDS).mkdir(parents=True)
    (folder / RECORDS / "one.json").write_text(json.dumps(record), encoding="utf-8")
    (folder / "rubric.yaml").write_text(RUBRIC_TEXT + QUESTIONS, encoding="utf-8")
    rows = (row_of(record), row_of(absent))
    names = {rows[0].id: "one.json", rows[1].id: "two.json"}
    by_person = ByPerson(given={(row.id, "s1.why"): Given(RUBRIC.points, text) for row in rows})
    rubric = load_rubric(folder / "rubric.yaml")
    return graded_class(folder, ClassRecords(rows, names, ()), rubric, by_person)


def made(graded: GradedClass, format_: str) -> dict[str, bytes]:
    found: Exported = maker(format_)(graded, Choices())
    return {name: joined(content) for name, content in found.files}


def joined(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else "".join(content)).encode()


@pytest.mark.parametrize("text", NASTY)
def test_no_cell_is_a_formula(text: str, tmp_path: Path) -> None:
    graded = hostile_class(tmp_path / "results", text)

    for format_ in TABLES:
        (data,) = made(graded, format_).values()
        table = data.decode("utf-8-sig")
        assert CONTROL.search(table.replace("\r\n", "\n")) is None
        for separator in ",;\t":
            for line in csv.reader(io.StringIO(table), delimiter=separator):
                for cell in line:
                    assert not cell.lstrip(' "').startswith(FORMULA), cell


@pytest.mark.parametrize("text", NASTY)
def test_every_cell_of_a_workbook_is_a_text_or_a_number(text: str, tmp_path: Path) -> None:
    (data,) = made(hostile_class(tmp_path / "results", text), "xlsx").values()

    found = cells(data)  # which finds no formula
    assert {kind for line in found for kind, _text in line} <= {"s", "n"}
    assert [line[0][0] for line in found] == ["s", "s", "s"]


@pytest.mark.parametrize("text", NASTY)
def test_what_is_read_elsewhere_is_printable(text: str, tmp_path: Path) -> None:
    graded = hostile_class(tmp_path / "results", text)
    harmless = Tags()
    harmless.feed(html.rendered(everything()))

    for format_ in ("gradescope", "prairielearn"):
        for data in made(graded, format_).values():
            for words in strings(json.loads(data)):
                assert is_harmless(words), words
    for data in made(graded, "pages").values():
        tags = Tags()
        tags.feed(data.decode())
        assert is_harmless(data.decode())
        assert tags.found <= harmless.found
    (data,) = made(graded, "json").values()
    assert [s for s in strings(json.loads(data)) if CONTROL.search(s.replace("\n", ""))] == []


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from strings(part)


@pytest.mark.parametrize("text", NASTY)
def test_a_zip_leads_nowhere_else(text: str, tmp_path: Path) -> None:
    (data,) = made(hostile_class(tmp_path / "results", text), "moodle-feedback").values()

    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        for name in packed.namelist():
            folder, file = name.split("/")
            assert file == "feedback.html"
            assert folder.endswith("_7_assignsubmission_file_")
            assert folder.count("_") == 4
            assert not folder.startswith((".", " "))
            assert CONTROL.search(name) is None


def test_records_that_are_none_are_refused_in_words(tmp_path: Path) -> None:
    """A value of a record is changed into another kind, or is gone: a refusal, or a result."""
    results = write_class(tmp_path / "course")
    rubric = load_rubric(tmp_path / "course" / "rubric.yaml")
    path = results / RECORDS / "studentfive_105.json"
    whole = json.loads(path.read_text("utf-8"))
    draw = random.Random("records")
    refused = 0
    for number in range(RECORD_CASES):
        path.write_text(json.dumps(spoilt(whole, draw)), encoding="utf-8")
        try:
            graded = graded_class(results, read_records(results, rubric), rubric, ByPerson())
            made(graded, OF_RECORDS[number % len(OF_RECORDS)])
        except (RecordsError, ExportError) as error:
            refused += 1
            assert str(path) in str(error) or "nobody" in str(error) or "no record of" in str(error)
    assert RECORD_CASES / 4 < refused < RECORD_CASES


def spoilt(record: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Return a copy with one value changed, anywhere in it."""
    copy = json.loads(json.dumps(record))
    places = list(places_in(copy))
    holder, key = draw.choice(places)
    if isinstance(holder, dict) and draw.random() < 0.3:
        del holder[key]
    else:
        others: list[Any] = [None, 3, -1.5, "", "x", [], {}, [None], True, "1/0", {"a": 1}]
        holder[key] = draw.choice(others)
    return dict(copy)


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(pairs):
        yield value, key
        if isinstance(part, (dict, list)):
            yield from places_in(part)


def test_every_format_is_made_somewhere_here() -> None:
    here = {*TABLES, *OF_RECORDS, "xlsx"}
    assert FORMATS.keys() - here == {"canvas", "moodle"}  # see test_malformed_files.py
