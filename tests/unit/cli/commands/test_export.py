"""`grader export`: what it says, what it refuses, and what a person decides."""

from __future__ import annotations

import csv
import shlex
import sys
from pathlib import Path

import pytest

from grader.cli import cli
from grader.cli.commands.export import left_out_in_words
from tests.support.full_disk import fill_up
from tests.support.graded_results import enter_points, export, write_class

CANVAS = """\
Student,ID,SIS Login ID,Section,Sums (77)
    Points Possible,,,,65
"One, Student",101,s1,A,
"Two, Student",102,s2,A,1
"Nobody, Student",109,s9,A,2
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = write_class(tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    Path("canvas.csv").write_text(CANVAS, encoding="utf-8")
    return found


def grades(path: Path, id: str, column: str) -> dict[str, str]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return {row[id]: row[column] for row in csv.DictReader(lines)}


def test_it_says_who_is_not_in_it(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("canvas.csv").read_bytes()

    assert export("canvas", "--fill", "canvas.csv") == 1

    said = capsys.readouterr()
    assert said.out == ("2 students with points, 4 without\nnext: open out/exports/canvas.csv\n")
    assert said.err == (
        "filled: 'Sums (77)'\n"
        "the maximum there is 65, and here 6.5: points are written as they are; --scale makes "
        "them points of the maximum there\n"
        "not in this class, left as it is: Nobody, Student\n"
        "without points: six_106: not in the file\n"
        "without points: studentfive_105: not in the file\n"
        "without points: studentthree_103: not in the file\n"
        "without points: 학생_104: not in the file\n"
    )
    assert Path("canvas.csv").read_bytes() == before


def test_many_with_the_same_reason_share_a_line() -> None:
    many = [(f"student-{number:03}", "handed in nothing") for number in range(1, 7)]
    left_out = [*many[:3], ("student-009", "not in the file"), *many[3:]]
    assert [*left_out_in_words(left_out)] == [
        "6 students, handed in nothing: student-001, student-002, student-003, student-004, "
        "student-005, student-006",
        "student-009: not in the file",
    ]
    assert [*left_out_in_words(many[:2])] == [
        "student-001: handed in nothing",
        "student-002: handed in nothing",
    ]


def test_everybody_in_it_is_exit_code_0(
    tmp_path: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in ("three", "six"):
        roster = Path("roster.csv")
        kept = [one for one in roster.read_text("utf-8").splitlines() if line not in one]
        roster.write_text("\n".join(kept), encoding="utf-8")
    record = next((results / "records").glob("studentthree*"))
    record.unlink()
    gradebook = results / "gradebook.csv"
    lines = gradebook.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("studentthree", "six"))]
    gradebook.write_text("".join(kept), encoding="utf-8")

    assert export("csv") == 0

    assert capsys.readouterr().out.startswith("4 students with points\n")


def test_points_of_another_maximum(results: Path) -> None:
    export("canvas", "--fill", "canvas.csv", "--scale")

    assert grades(results / "exports" / "canvas.csv", "ID", "Sums (77)") == {
        "": "65", "101": "65", "102": "0", "109": "2",
    }  # fmt: skip


def test_who_handed_in_nothing_is_0_only_if_somebody_decides_so(results: Path) -> None:
    export("csv")
    assert grades(results / "exports" / "grades.csv", "id", "points")["six_106"] == ""

    export("csv", "--absent-is-zero")

    found = grades(results / "exports" / "grades.csv", "id", "points")
    assert (found["six_106"], found["studentthree_103"]) == ("0", "")


def test_an_answer_that_nobody_graded_leaves_the_points_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = write_class(tmp_path / "asking", asks=True)
    monkeypatch.chdir(tmp_path / "asking")
    enter_points(results, {"studentone_101": "2"})

    assert export("csv") == 1

    assert "studenttwo_102: nobody has given points for s1.why" in capsys.readouterr().err
    found = grades(results / "exports" / "grades.csv", "id", "points")
    assert (found["studentone_101"], found["studenttwo_102"]) == ("8.5", "")
    export("csv", "--empty-is-zero")
    assert grades(results / "exports" / "grades.csv", "id", "points")["studenttwo_102"] == "0"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["canvas"], "--as canvas fills the gradebook exported from Canvas. Name it: --fill FILE"),
        (["moodle"], "--as moodle fills the grading worksheet downloaded from Moodle."),
        (["csv", "--fill", "canvas.csv"], "--fill says nothing to --as csv. Leave it out."),
        (["csv", "--scale"], "--scale says nothing to --as csv. Leave it out."),
        (["pages", "--cause", "x"], "--cause says nothing to --as pages. Leave it out."),
        (["json", "--submissions", "class"], "--submissions says nothing to --as json."),
        (["csv", "--column", "x"], "--column says nothing to --as csv. Leave it out."),
        (["canvas", "--fill", "canvas.csv", "--out", "canvas.csv"],
         "--out is the file to fill, canvas.csv, which stays. Name another one."),
        (["canvas", "--fill", "none.csv"], "none.csv: cannot be read (No such file or directory)"),
        (["canvas", "--fill", "canvas.csv", "--column", "Sum"],
         "canvas.csv:1: no column 'Sum' - expected 'Sums (77)'"),
        (["moodle", "--fill", "canvas.csv"], "canvas.csv:2: no participant in 'Points Possible'"),
        (["mail-merge", "--cause", "add.minsu"],
         "nobody here has the cause 'add.minsu' - did you mean 'add.minus'?"),
        (["excel"], "'excel' is not one of"),
    ],
)  # fmt: skip
def test_what_is_refused(
    results: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert export(*words) == 2

    assert message in " ".join(capsys.readouterr().err.split())
    assert not (results / "exports").exists() or not any((results / "exports").iterdir())


def test_a_folder_that_nobody_graded_into_is_refused(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["export", "class", "--as", "csv"]) == 2

    said = capsys.readouterr().err
    assert "class/gradebook.csv: no such file. Grade a class first:" in said
    assert said.rstrip().endswith("batch DIR --out class")


def test_a_workbook_without_the_package_names_the_command(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)

    assert export("xlsx") == 2

    assert "pip install 'XlsxWriter>=3.2,<4'" in capsys.readouterr().err


def test_pages_show_the_code_that_was_graded_and_no_other(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = results / "exports" / "pages" / "studentfive_105.html"
    export("pages")
    assert "return a - b" not in page.read_text("utf-8")
    assert "the pages show no code; with --submissions DIR they do" in capsys.readouterr().err

    export("pages", "--submissions", "class")
    assert "return a - b" in page.read_text("utf-8")

    (changed,) = Path("class").glob("studentfive*")
    changed.write_text(changed.read_text("utf-8").replace("a - b", "a * b"), encoding="utf-8")
    export("pages", "--submissions", "class")
    text = page.read_text("utf-8")
    assert "a - b" not in text
    assert "a * b" not in text
    assert "1 pages show no code" in capsys.readouterr().err


def test_pages_of_an_earlier_export_are_named(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = results / "exports" / "pages" / "somebody.html"
    stale.parent.mkdir(parents=True)
    stale.write_text("")

    export("pages")

    assert "of an earlier export, and not of this one: somebody.html" in capsys.readouterr().err


def test_students_read_their_language(results: Path) -> None:
    export("pages", "--lang", "ko")
    export("gradescope", "--lang", "ko")

    page = (results / "exports" / "pages" / "studentfive_105.html").read_text("utf-8")
    text = (results / "exports" / "gradescope" / "studentfive_105" / "results.json").read_text()
    assert '<html lang="ko"' in page
    assert "검사 2개 중 1개를 통과했습니다." in text


def test_a_full_disk_leaves_the_last_export_as_it_was(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    export("csv")
    before = (results / "exports" / "grades.csv").read_bytes()
    fill_up(monkeypatch)

    assert export("csv", "--absent-is-zero") == 2

    assert "grades.csv: not written, because the disk is full" in capsys.readouterr().err
    assert (results / "exports" / "grades.csv").read_bytes() == before


def test_a_record_without_what_a_page_needs_is_refused(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (record,) = (results / "records").glob("___104*")
    record.write_text(record.read_text("utf-8").replace('"needs"', '"old"'), encoding="utf-8")

    assert export("pages") == 2

    assert "not a record of this grader. Grade the class again" in capsys.readouterr().err


def test_the_commands_of_the_guide(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them is run as it stands there, in a folder with files of these names."""
    guide = (Path(__file__).parents[4] / "docs" / "guide-ta.md").read_text("utf-8")
    commands = [line for line in guide.splitlines() if line.startswith("grader export results/")]
    results.rename("results")
    Path("class").rename("submissions")
    exported = Path(__file__).parents[2] / "export" / "golden"
    Path("canvas.csv").write_text(CANVAS.replace("Sums", "Attention"), encoding="utf-8")
    Path("worksheet.csv").write_bytes((exported / "moodle-downloaded.csv").read_bytes())

    codes = {}
    for line in commands:
        words = shlex.split(line.replace("sdpa.unscaled", "add.minus"))
        codes[words[4]] = cli.main(words[1:])

    assert codes == {
        "canvas": 1, "moodle": 1, "moodle-feedback": 1, "pages": 1, "xlsx": 1, "mail-merge": 0,
    }  # fmt: skip
    assert {path.name for path in Path("results/exports").iterdir()} == {
        "canvas.csv", "moodle.csv", "moodle-feedback.zip", "pages", "grades.xlsx",
        "mail-merge.csv",
    }  # fmt: skip
    capsys.readouterr()
