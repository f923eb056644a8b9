"""Every format is compared with a file to the letter, and read back as its system reads it."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from grader.submission.downloads import MOODLE, hand_ins, recognise
from tests.support.graded_results import enter_points, export, write_class

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
SCHEMA = HERE.parents[2] / "docs" / "class-results.schema.json"
POINTS = {
    "studentone_101": "1.5",
    "studenttwo_102": "1",
    "studentthree_103": "2",
    "학생_104": "0",
    "studentfive_105": "1/3",
}
TOTALS = {
    "six_106": "",
    "studentfive_105": "5.58",
    "studentone_101": "8",
    "studentthree_103": "",
    "studenttwo_102": "1",
    "학생_104": "0",
}


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of exports of a graded class, where points by a person are entered."""
    results = write_class(tmp_path / "course", asks=True)
    enter_points(results, POINTS, "Good, =1 < 2")
    monkeypatch.chdir(tmp_path / "course")
    return results / "exports"


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_canvas(out: Path) -> None:
    assert export("canvas", "--fill", str(GOLDEN / "canvas-exported.csv"), "--column", "Sums") == 1

    filled = (out / "canvas.csv").read_bytes()
    assert filled == golden("canvas-filled.csv")
    points = {row["ID"]: row["Sums (77)"] for row in rows(filled)[2:]}
    assert points == {
        "101": "8", "102": "1", "103": "4.00", "104": "0", "105": "EX", "109": "2.00",
    }  # fmt: skip
    # What was filled can be filled again, and stays the same.
    (out / "again.csv").write_bytes(filled)
    export("canvas", "--fill", str(out / "again.csv"))
    assert (out / "canvas.csv").read_bytes() == filled


def test_moodle(out: Path) -> None:
    assert export("moodle", "--fill", str(GOLDEN / "moodle-downloaded.csv")) == 1

    filled = (out / "moodle.csv").read_bytes()
    assert filled == golden("moodle-filled.csv")
    (out / "again.csv").write_bytes(filled)
    export("moodle", "--fill", str(out / "again.csv"))
    assert (out / "moodle.csv").read_bytes() == filled


def test_a_worksheet_changes_in_two_columns_only(out: Path) -> None:
    export("moodle", "--fill", str(GOLDEN / "moodle-downloaded.csv"))

    before = golden("moodle-downloaded.csv").split(b"\r\n")
    after = (out / "moodle.csv").read_bytes().split(b"\r\n")
    changed = [n for n, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    assert changed == [1, 4, 5]
    for number in changed:
        old, new = (next(csv.reader([line.decode()])) for line in (before[number], after[number]))
        assert [(o, n) for k, (o, n) in enumerate(zip(old, new, strict=True)) if k not in (4, 8)
                and o != n] == []  # fmt: skip


def test_feedback_for_moodle(out: Path) -> None:
    assert export("moodle-feedback", "--fill", str(GOLDEN / "moodle-downloaded.csv")) == 1
    with zipfile.ZipFile(out / "moodle-feedback.zip") as packed:
        names = packed.namelist()
        pages = {name: packed.read(name).decode() for name in names}
    assert names == golden("moodle-feedback.txt").decode().splitlines()
    assert all("<html" in page for page in pages.values())

    unpacked = out / "unpacked"
    for name, page in pages.items():
        (unpacked / name).parent.mkdir(parents=True)
        (unpacked / name).write_text(page, encoding="utf-8")
    assert recognise(unpacked.iterdir()) == MOODLE
    found, nobodys = hand_ins(unpacked.iterdir(), MOODLE)
    assert nobodys == ()
    assert {one.id.rpartition("_")[2] for one in found} == {"101", "102", "103", "104", "105"}


def test_csv(out: Path) -> None:
    assert export("csv") == 1

    found = (out / "grades.csv").read_bytes()
    assert found == golden("grades.csv")
    assert {row["id"]: row["points"] for row in rows(found)} == TOTALS


def test_xlsx(out: Path) -> None:
    assert export("xlsx") == 1

    data = (out / "grades.xlsx").read_bytes()
    found = cells(data)
    listed = "\n".join("\t".join(f"{kind}:{text}" for kind, text in row) for row in found)
    assert listed + "\n" == golden("grades-xlsx.txt").decode()
    assert [row[0][1] for row in found[1:]] == list(TOTALS)
    assert export("xlsx") == 1
    assert (out / "grades.xlsx").read_bytes() == data


def cells(data: bytes) -> list[list[tuple[str, str]]]:
    """Kind and text of every cell of a workbook: `s` is a text, `n` a number; there is no other."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        sheet = ElementTree.fromstring(file.read("xl/worksheets/sheet1.xml"))
        texts = ElementTree.fromstring(file.read("xl/sharedStrings.xml"))
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    shared = ["".join(one.itertext()) for one in texts.findall(f"{space}si")]
    found = []
    for row in sheet.iter(f"{space}row"):
        line = []
        for cell in row.iter(f"{space}c"):
            assert cell.find(f"{space}f") is None
            kind, value = cell.get("t", "n"), cell.findtext(f"{space}v") or ""
            line.append((kind, shared[int(value)] if kind == "s" else value))
        found.append(line)
    return found


def test_nbgrader(out: Path) -> None:
    assert export("nbgrader") == 1

    found = (out / "nbgrader.csv").read_bytes()
    assert found == golden("nbgrader.csv")
    sums: dict[str, Fraction] = {}
    for row in rows(found):
        if row["score"]:
            sums[row["student_id"]] = sums.get(row["student_id"], Fraction(0)) + Fraction(
                row["score"]
            )
    assert sums.keys() == {id for id, total in TOTALS.items() if total}
    assert sums["studentone_101"] == 8


@pytest.mark.parametrize("format_", ["gradescope", "prairielearn"])
def test_results_json(out: Path, format_: str) -> None:
    assert export(format_) == 1

    folder = out / format_
    assert {path.name.partition("~")[0] for path in folder.iterdir()} == {
        "studentone_101", "studenttwo_102", "studentfive_105", "___104",
    }  # fmt: skip
    text = (folder / "studentfive_105" / "results.json").read_text("utf-8")
    assert text == golden(f"{format_}.json").decode()


def test_gradescope_adds_up(out: Path) -> None:
    export("gradescope")

    for path in (out / "gradescope").rglob("results.json"):
        results = json.loads(path.read_text("utf-8"))
        assert results["score"] == pytest.approx(sum(t["score"] for t in results["tests"]))
        assert all(0 <= test["score"] <= test["max_score"] for test in results["tests"])
        shown = {test["name"]: test["visibility"] for test in results["tests"]}
        assert shown["s1.add: outputs"] == "after_published"  # the hidden criterion
        assert shown["s1.add: shapes"] == "visible"


def test_prairielearn_adds_up(out: Path) -> None:
    export("prairielearn")

    for path in (out / "prairielearn").rglob("results.json"):
        results = json.loads(path.read_text("utf-8"))
        points = sum(test["points"] for test in results["tests"])
        most = sum(test["max_points"] for test in results["tests"])
        assert results["score"] == pytest.approx(points / most, abs=1e-6)
        assert 0 <= results["score"] <= 1


def test_json(out: Path) -> None:
    assert export("json") == 1

    text = (out / "class.json").read_text("utf-8")
    digests = re.sub(r'"[0-9a-f]{64}"', '"(digest)"', text)
    assert digests == golden("class.json").decode()
    values, schema = json.loads(text), json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(values, schema, jsonschema.Draft202012Validator)
    assert [student["id"] for student in values["students"]] == list(TOTALS)
    assert values["students"][1]["points"] == "67/12"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda values: values.update(more=1),
        lambda values: values.update(format="grader.class/2"),
        lambda values: values["students"][0].update(points=3),
        lambda values: values["students"][0].pop("late"),
        lambda values: values["students"][1]["exercises"][0].update(points="many"),
    ],
    ids=["a key", "another format", "a number", "a key missing", "a word"],
)
def test_the_schema_refuses_what_is_another_form(out: Path, spoil: object) -> None:
    export("json")
    values = json.loads((out / "class.json").read_text("utf-8"))
    spoil(values)  # type: ignore[operator]

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, json.loads(SCHEMA.read_text("utf-8")))


def test_mail_merge(out: Path) -> None:
    assert export("mail-merge") == 0

    found = (out / "mail-merge.csv").read_bytes()
    assert found == golden("mail-merge.csv")
    (row,) = rows(found)
    assert (row["id"], row["cause"], row["points"]) == ("studentfive_105", "add.minus", "5.58")


def test_pages(out: Path) -> None:
    assert export("pages", "--submissions", "class") == 1

    names = sorted(path.name.partition("~")[0] for path in (out / "pages").iterdir())
    assert names == [
        "___104", "studentfive_105.html", "studentone_101.html", "studentthree_103.html",
        "studenttwo_102.html",
    ]  # fmt: skip
    page = (out / "pages" / "studentfive_105.html").read_text("utf-8")
    assert "Subtracted instead of adding." in page
    assert "automatic, and 0.33 of 2 by a person" in page
    assert "Good, =1 &lt; 2" in page
    assert "return a - b" in page
    assert "http" not in page.replace("http-equiv", "")
