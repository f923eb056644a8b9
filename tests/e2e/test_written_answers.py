"""From hand-out to gradebook: a class answers in words, a person grades, and the points add up."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from grader.cli import cli
from grader.course.question_text import PLACEHOLDER
from grader.handouts.generation import write as write_handouts
from grader.store.store import STORE_FILE, open_store
from tests.support.courses import write_course

pytestmark = pytest.mark.usefixtures("warm_nursery")

REFERENCE = '''\
    """Assignment 1: steps."""


    def work(step: int) -> int:
        """Return the step."""
        # BEGIN SOLUTION
        return step
        # END SOLUTION
    '''
SUITE = """
    class TestOutputs:
        def test_step(self, student, expect):
            '''The step is returned.'''
            expect.true(student.work(1) == 1, observed="another step", expected="the step")
"""
WRITTEN = """\
written:
  t1.why:
    points: 2
    question: Why is a step returned?
"""
CANARY = "written-answer-canary"
FATAL = f"""\
=cmd|'/c calc'!A1
\x1b]0;title\x07\x1b[31mred <script>alert(1)</script> 한국어 답입니다 \u202eabc
```
import os; os.environ["{CANARY}"] = "1"; raise SystemExit(9)
```
"""
RIGHT, WRONG = "return step", "return step + 1"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one exercise, one question and its hand-outs."""
    root = tmp_path_factory.mktemp("course")
    write_course(root, targets="work", reference=REFERENCE, suite=SUITE)
    with (root / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(WRITTEN)
    guide = root / "reference" / "guides" / "t1.why.md"
    guide.parent.mkdir()
    guide.write_text("- 2 points: because.\n", encoding="utf-8")
    write_handouts(root)
    return root


@pytest.fixture(scope="module")
def graded(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of four, graded once; the folder that holds `class` and `out`."""
    place = tmp_path_factory.mktemp("place")
    solved = (course / "assignments" / "t1_toy.py").read_text("utf-8")
    stub = next(line.strip() for line in solved.splitlines() if "raise NotImpl" in line)
    answers = (course / "assignments" / "answers.md").read_text("utf-8")
    notebook = (course / "assignments" / "t1_toy.ipynb").read_text("utf-8")
    in_json = json.dumps(stub)[1:-1]

    def put(student: str, files: dict[str, str]) -> None:
        folder = place / "class" / student
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\r\n")

    assert PLACEHOLDER in answers
    assert PLACEHOLDER in notebook
    assert in_json in notebook
    hostile = answers.replace(PLACEHOLDER, FATAL)
    put("student-001", {"t1_toy.py": solved.replace(stub, RIGHT), "answers.md": hostile})
    done = notebook.replace(in_json, WRONG).replace(PLACEHOLDER, "Because it was taken.")
    put("student-002", {"t1_toy.ipynb": done})
    put("student-003", {"answers.md": answers.replace(PLACEHOLDER, "No code, but words.")})
    put("student-004", {"t1_toy.py": solved.replace(stub, RIGHT), "answers.md": answers})
    assert batch(course, place) == 1
    return place


def batch(course: Path, place: Path, *more: str) -> int:
    folders = [str(place / "class"), "--out", str(place / "out"), "--course", str(course)]
    return cli.main(["batch", *folders, "--isolation", "partial", "-j", "1", *more])


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def record(graded: Path, student: str) -> dict[str, object]:
    path = graded / "out" / "records" / f"{student}.json"
    found: dict[str, object] = json.loads(path.read_text("utf-8"))
    return found


def test_automatic_points_are_those_of_the_code(graded: Path) -> None:
    found = rows(graded / "out" / "gradebook.csv")

    columns = ("automatic", "automatic_max", "by_a_person", "total", "max")
    assert [[row[column] for column in columns] for row in found] == [
        ["4", "4", "", "", "6"],
        ["0", "4", "", "", "6"],
        ["0", "4", "", "", "6"],
        ["4", "4", "", "", "6"],
    ]


def test_answers_wait_for_a_person(graded: Path) -> None:
    found = rows(graded / "out" / "written.csv")

    assert [(row["id"], row["points"], row["state"]) for row in found] == [
        ("student-001", "", "answered (16 words)"),
        ("student-002", "", "answered (4 words)"),
        ("student-003", "", "answered (4 words)"),
        ("student-004", "", "empty"),
    ]


def test_a_person_reads_them_beside_the_evidence(graded: Path) -> None:
    text = (graded / "out" / "written" / "t1.why.md").read_text("utf-8")

    assert "- 2 points: because." in text
    assert "4 words, `t1_toy.ipynb cell" in text
    assert "| `t1.toy` | 0 / 4 | outputs |" in text
    assert "한국어 답입니다" in text


def test_nothing_in_an_answer_was_carried_out_or_kept_raw(graded: Path) -> None:
    assert CANARY in json.dumps(record(graded, "student-001"))
    assert CANARY not in os.environ
    store = graded / "out" / STORE_FILE
    with open_store(store) as opened:
        kept = [json.dumps(result.record, ensure_ascii=False) for result in opened.history()]
    files = [path for path in (graded / "out").rglob("*.*") if path.name != store.name]
    assert len(kept) == 4
    for data in [*(text.encode() for text in kept), *(path.read_bytes() for path in files)]:
        assert b"\x1b" not in data
        assert b"\\u001b" not in data
        assert "\u202e".encode() not in data
        assert b"\\u202e" not in data
    cells = [cell for row in rows(graded / "out" / "written.csv") for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_a_persons_points_make_the_total_and_stay(course: Path, graded: Path) -> None:
    filled = graded / "filled.csv"
    lines = "student-001,t1.why,2\nstudent-002,t1.why,1/2\nstudent-003,t1.why,1\n"
    filled.write_text(f"id,question,points\n{lines}", encoding="utf-8")
    assert batch(course, graded, "--written-points", str(filled)) == 1
    first = (graded / "out" / "gradebook.csv").read_bytes()

    assert batch(course, graded) == 1

    assert (graded / "out" / "gradebook.csv").read_bytes() == first
    totals = [row["total"] for row in rows(graded / "out" / "gradebook.csv")]
    assert totals == ["6", "0.5", "1", ""]


def test_ticked_items_reach_the_student_and_follow_the_rubric_without_running_code(
    course: Path, graded: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rubric = course / "rubric.yaml"
    before, guide = rubric.read_text("utf-8"), course / "reference" / "guides" / "t1.why.md"
    out, at = graded / "out", ["--course", str(course)]
    rubric.write_text(before + "    scheme: {because: 3/2, whole: 1, guess: -1/2}\n", "utf-8")
    guide.write_text("- because: Gives the reason.\n- whole: All of it.\n", "utf-8")
    filled = graded / "ticked.csv"
    lines = "student-001,t1.why,because guess\nstudent-002,t1.why,because whole\n"
    filled.write_text(f"id,question,ticked,points\n{lines}", encoding="utf-8")

    assert cli.main(["gradebook", str(out), "--written-points", str(filled), *at]) == 0
    rubric.write_text(before + "    scheme: {because: 1, whole: 1, guess: -1/2}\n", "utf-8")
    capfd.readouterr()
    assert cli.main(["regrade", str(out), "--isolation", "partial", "--commit", *at]) == 0
    shown = capfd.readouterr().out
    assert cli.main(["export", str(out), "--as", "pages", *at]) in (0, 1)

    assert "student-001  t1.why: 1 -> 0.5  (ticked: because, guess)" in shown
    assert "the code of 0 ran again" in shown
    first, second, *_rest = rows(out / "gradebook.csv")
    assert (first["t1.why"], first["total"]) == ("0.5", "4.5")
    assert first["t1.why ticked"] == "Gives the reason. (+1); guess (-0.5)"
    assert second["t1.why"] == "2"
    page = (out / "exports" / "pages" / "student-001.html").read_text("utf-8")
    assert "Gives the reason. (+1)<br>guess (-0.5)" in page
    rubric.write_text(before, "utf-8")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("student-009,t1.why,1", "filled.csv:2: no student 'student-009' in this batch"),
        ("student-001,t1.why,2.5", "filled.csv:2: t1.why gives at most 2 points, got 2.5"),
        ("student-001,t1.why,two", "filled.csv:2: expected points >= 0, got 'two'"),
    ],
    ids=["unknown student", "too many", "no number"],
)
def test_wrong_points_are_told_and_nothing_is_graded(
    course: Path, graded: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str],
    line: str, message: str,
) -> None:  # fmt: skip
    filled = tmp_path / "filled.csv"
    filled.write_text(f"id,question,points\n{line}\n", encoding="utf-8")

    assert batch(course, graded, "--written-points", str(filled)) == 2

    assert message in capfd.readouterr().err


@pytest.mark.parametrize(
    ("student", "code", "says"),
    [
        ("student-001", 0, "t1.why  answered, 16 words  (up to 2)"),
        ("student-004", 0, "t1.why  empty  (up to 2)"),
    ],
)
def test_a_student_is_told_whether_an_answer_was_found(
    course: Path, graded: Path, capfd: pytest.CaptureFixture[str],
    student: str, code: int, says: str,
) -> None:  # fmt: skip
    where = str(graded / "class" / student)

    assert cli.main(["check", where, "--course", str(course), "--isolation", "partial"]) == code

    out = capfd.readouterr().out
    assert says in out
    assert "4 / 4 points automatic, and up to 2 more by a person" in out
