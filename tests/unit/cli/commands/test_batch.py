"""`grader batch` grades a class in parallel and says what became of it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click
import pytest

from grader.cli import cli
from grader.cli.commands.batch import run
from grader.grade.evidence import FLAG, Note, Where
from tests.support.full_disk import fill_up
from tests.unit.samples import SampleGrader, write_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_course(tmp_path / "course")
    monkeypatch.chdir(root)
    return root


def hand_in(folder: Path, *outcomes: str) -> Path:
    for number, outcome in enumerate(outcomes, start=1):
        place = folder / f"student-{number:03}"
        place.mkdir(parents=True)
        if outcome:
            (place / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    return folder


def batch(
    folder: Path,
    out: Path,
    grader: SampleGrader,
    jobs: int | None = None,
    isolation: str | None = None,
    points: tuple[Path, ...] = (),
) -> int:
    return run(
        folder,
        out,
        jobs=jobs,
        only=(),
        spawn=False,
        isolation=isolation,
        course_folder=None,
        written_points=points,
        open_engine=grader.opened,
    )


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        pytest.param(("passed", "passed"), 0, id="all points"),
        pytest.param(("passed", "failed"), 1, id="points missing"),
        pytest.param(("passed", "could_not_check"), 3, id="could not check"),
        pytest.param(("passed", ""), 3, id="unreadable"),
    ],
)
def test_the_exit_code_says_what_came_of_it(
    course: Path, outcomes: tuple[str, ...], code: int
) -> None:
    folder = hand_in(course / "class", *outcomes)

    assert batch(folder, course / "out", SampleGrader()) == code


def test_what_a_batch_prints(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = hand_in(Path("class"), "passed", "failed", "")

    batch(folder, Path("out"), SampleGrader())

    printed = capsys.readouterr()
    unreadable = (
        "class/student-003: no .py or .ipynb file that can be read. "
        "Hand in the assignment's own file, a .py or .ipynb."
    )
    assert printed.err == (
        f"[1/3] student-003: {unreadable}\n"
        "[2/3] student-001: 6.5 points\n"
        "[3/3] student-002: 0 points\n"
    )
    assert printed.out == (
        "                 s1.    s2.\n"
        "student          add   mean    total\n"
        "              of 3.5   of 3   of 6.5\n"
        "student-001      3.5      3      6.5\n"
        "student-002        0      0        0\n"
        "student-003        ?      ?        ?\n"
        "\n"
        f"student-003: {unreadable}\n"
        "3 submissions, 1 with all points, 1 without a result\n"
        "next: open out/gradebook.csv\n"
    )


def test_what_a_person_may_want_to_look_into_is_told_once_and_kept(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grader = SampleGrader(notes=(Note(FLAG, "s1.add: sum ran", Where("s1_sums.py", 3)),))
    batch(hand_in(course / "class", "passed"), course / "results", grader)

    assert "student-001: to look into: s1.add: sum ran (s1_sums.py:3)\n" in capsys.readouterr().out
    record = json.loads((course / "results" / "records" / "student-001.json").read_text())
    assert record["notes"] == []
    assert record["flags"] == [
        {"text": "s1.add: sum ran", "where": {"file": "s1_sums.py", "line": 3, "cell": None}}
    ]


def test_the_gradebook_has_everyone(course: Path) -> None:
    folder = hand_in(course / "class", "passed", "failed", "")

    batch(folder, course / "out", SampleGrader())

    with (course / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [(row["id"], row["total"]) for row in csv.DictReader(file)] == [
            ("student-001", "6.5"),
            ("student-002", "0"),
            ("student-003", ""),
        ]


@pytest.mark.parametrize(("jobs", "workers"), [(1, 1), (2, 2), (8, 3)])
def test_no_more_workers_are_started_than_there_is_work(
    course: Path, jobs: int, workers: int
) -> None:
    grader = SampleGrader()

    batch(hand_in(course / "class", *["passed"] * 3), course / "out", grader, jobs)

    assert getattr(grader.options, "workers") == workers  # noqa: B009


@pytest.mark.parametrize(("given", "wanted"), [(None, "full"), ("partial", "partial")])
def test_a_class_is_graded_with_full_isolation_unless_somebody_decided_otherwise(
    course: Path, given: str | None, wanted: str
) -> None:
    grader = SampleGrader()

    batch(hand_in(course / "class", "passed"), course / "out", grader, isolation=given)

    assert getattr(grader.options, "isolation") == wanted  # noqa: B009


def test_an_empty_class_is_a_mistake_in_the_command(course: Path) -> None:
    (course / "class").mkdir()

    with pytest.raises(click.ClickException, match="class: no submissions"):
        batch(course / "class", course / "out", SampleGrader())


@pytest.fixture
def asking(course: Path) -> Path:
    """The course with a question, and a class of three of whom one has answered."""
    with (course / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write("written:\n  s1.why: {points: 2, question: Why?}\n")
    hand_in(course / "class", "passed", "failed", "")
    answer(course, "Because.")
    return course


def answer(course: Path, text: str) -> None:
    file = course / "class" / "student-001" / "answers.md"
    file.write_text(f"<!-- answer: s1.why -->\n{text}\n", encoding="utf-8")


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def enter(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_what_a_batch_with_questions_prints(
    asking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert batch(Path("class"), Path("out"), SampleGrader()) == 3

    assert capsys.readouterr().out == (
        "                 s1.    s2.    auto-\n"
        "student          add   mean    matic\n"
        "              of 3.5   of 3   of 6.5\n"
        "student-001      3.5      3      6.5\n"
        "student-002        0      0        0\n"
        "student-003        ?      ?        ?\n"
        "\n"
        "student-003: class/student-003: no .py or .ipynb file that can be read. "
        "Hand in the assignment's own file, a .py or .ipynb.\n"
        "3 submissions, 1 with all automatic points, 1 without a result\n"
        "1 written answers, 0 of them graded by a person\n"
        "to grade answers: read out/written, fill out/written.csv, then: grader gradebook out\n"
        "next: open out/gradebook.csv\n"
    )


def test_points_that_a_person_entered_reach_the_gradebook(asking: Path) -> None:
    out = asking / "out"
    batch(asking / "class", out, SampleGrader())
    before = [row["total"] for row in table(out / "gradebook.csv")]
    enter(out / "written.csv", "student-001,s1.why,,2,,", "student-001,s1.why,1.5,2,good,")

    batch(asking / "class", out, SampleGrader())

    first, *_ = table(out / "gradebook.csv")
    assert before == ["", "", ""]
    assert (first["s1.why"], first["automatic"], first["total"], first["max"]) == (
        "1.5",
        "6.5",
        "8",
        "8.5",
    )
    assert "(1.5 points, `good`)" in (out / "written" / "s1.why.md").read_text(encoding="utf-8")
    entered = (out / "written.csv").read_text(encoding="utf-8")
    batch(asking / "class", out, SampleGrader())
    assert (out / "written.csv").read_text(encoding="utf-8") == entered


def test_a_full_disk_is_named_and_what_was_graded_is_kept(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, folder = course / "out", hand_in(course / "class", "passed", "failed", "passed")
    batch(folder, out, SampleGrader())
    before = (out / "gradebook.csv").read_bytes()
    first = (out / "records" / "student-001.json").stat().st_mtime_ns
    fill_up(monkeypatch, after_files=1)

    with pytest.raises(click.ClickException) as told:
        batch(folder, out, SampleGrader())

    records = out / "records"
    assert told.value.message == (
        f"{records / 'student-002.json'}: not written, because the disk is full. Free some space, "
        f"then run this again.\n1 of 3 submissions are graded and kept in {records}."
    )
    assert (records / "student-001.json").stat().st_mtime_ns > first
    assert json.loads((records / "student-002.json").read_text("utf-8"))["total"] == "0"
    assert (out / "gradebook.csv").read_bytes() == before
    assert sorted(path.name for path in records.iterdir()) == [
        "student-001.json", "student-002.json", "student-003.json",
    ]  # fmt: skip


def test_a_full_disk_leaves_the_points_that_people_entered(
    asking: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = asking / "out"
    batch(asking / "class", out, SampleGrader())
    enter(out / "written.csv", "student-001,s1.why,,", "student-001,s1.why,2,")
    entered = (out / "written.csv").read_bytes()
    fill_up(monkeypatch, after_files=4)  # three records and a sheet

    with pytest.raises(click.ClickException, match=r"written\.csv: not written, because the disk"):
        batch(asking / "class", out, SampleGrader())

    assert (out / "written.csv").read_bytes() == entered


def test_points_may_come_from_another_file(asking: Path) -> None:
    (asking / "filled.csv").write_text("id,question,points\nstudent-002,s1.why,0\n")

    batch(asking / "class", asking / "out", SampleGrader(), points=(asking / "filled.csv",))

    assert [row["s1.why"] for row in table(asking / "out" / "gradebook.csv")] == ["", "0", ""]


def test_an_answer_that_changed_since_is_told(
    asking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = asking / "out"
    batch(asking / "class", out, SampleGrader())
    enter(out / "written.csv", "student-001,s1.why,,", "student-001,s1.why,2,")
    answer(asking, "Something else.")

    batch(asking / "class", out, SampleGrader())

    told = "student-001: s1.why was answered anew after a person graded it\n"
    assert told in capsys.readouterr().out
    assert table(out / "gradebook.csv")[0]["s1.why"] == "2"
    enter(out / "written.csv", table(out / "written.csv")[0]["answer"], "")
    batch(asking / "class", out, SampleGrader())
    assert told not in capsys.readouterr().out


def test_wrong_points_stop_a_batch_before_it_grades(asking: Path) -> None:
    (asking / "filled.csv").write_text("id,question,points\nstudent-009,s1.why,3\n")
    grader = SampleGrader()

    with pytest.raises(click.ClickException, match=r"filled\.csv:2: no student 'student-009'"):
        batch(asking / "class", asking / "out", grader, points=(asking / "filled.csv",))

    assert (grader.options, (asking / "out").exists()) == (None, False)


def part(course: Path, students: tuple[str, ...] = (), limit: int | None = None) -> int:
    return run(
        Path("class"), Path("out"), jobs=None, only=(), spawn=False, course_folder=None,
        students=students, limit=limit, open_engine=SampleGrader().opened,
    )  # fmt: skip


def test_a_part_of_a_class_is_told_from_the_rest(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(course / "class", *["passed"] * 3, "failed", *["passed"] * 3)

    assert part(course, limit=2) == 0
    assert capsys.readouterr().out.endswith(
        "student-002      3.5      3      6.5\n"
        "\n"
        "2 submissions, 2 with all points, 0 without a result\n"
        "5 not graded in this run; the same command without --limit goes on: student-003, "
        "student-004, student-005, student-006, student-007\n"
        "next: open out/gradebook.csv\n"
    )
    assert part(course, ("student-004", "class/student-001"), limit=3) == 1
    assert capsys.readouterr().out.endswith(
        "2 submissions, 1 with all points, 0 without a result\n"
        "1 with the row and the record that they had: student-002\n"
        "4 not graded in this run; the same command without --student and --limit goes on: "
        "student-003, student-005, student-006, student-007\n"
        "1 of 2 were graded before and nothing has changed since; --again grades them anew\n"
        "next: open out/gradebook.csv\n"
    )


def test_an_unknown_student_ends_the_command_before_anything_is_written(course: Path) -> None:
    hand_in(course / "class", "passed")

    with pytest.raises(click.ClickException, match="student-01: nobody has this id; near it"):
        part(course, ("student-01",))

    assert not (course / "out").exists()


def other_form(
    course: Path, capsys: pytest.CaptureFixture[str], **given: object
) -> tuple[str, str]:
    """What is printed on both streams of a class with right, wrong, unknown and unreadable work."""
    hand_in(course / "class", "passed", "failed", "could_not_check", "")
    code = run(
        Path("class"), Path("out"), jobs=None, only=(), spawn=False, course_folder=None,
        open_engine=SampleGrader().opened, **given,  # type: ignore[arg-type]
    )  # fmt: skip
    printed = capsys.readouterr()
    assert code == 3
    return printed.out, printed.err


UNREADABLE = (
    "class/student-004: no .py or .ipynb file that can be read. "
    "Hand in the assignment's own file, a .py or .ipynb."
)
PROBLEMS = (
    f"student-004: {UNREADABLE}\n"
    "student-003: 6.5 points could not be checked\n"
    "4 submissions, 1 with all points, 1 without a result\n"
)


def test_a_quiet_batch_prints_problems_and_the_last_line(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert other_form(course, capsys, quiet=True) == (PROBLEMS, "")


def test_a_line_of_json_for_each_and_one_for_all(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = other_form(course, capsys, format_="json-lines")

    *lines, last = map(json.loads, out.splitlines())
    assert [tuple(line.values()) for line in sorted(lines, key=lambda line: line["id"])] == [
        ("submission", "student-001", "6.5", "6.5", None, 0.013),
        ("submission", "student-002", "0", "6.5", None, 0.013),
        ("submission", "student-003", None, "6.5", "6.5 points could not be checked", 0.013),
        ("submission", "student-004", None, "6.5", UNREADABLE, None),
    ]
    assert [*lines[0]] == ["type", "id", "points", "max", "problem", "seconds"]
    assert last == {
        "type": "summary", "submissions": 4, "complete": 1, "without_result": 1, "unchecked": 1,
        "earlier": 0, "kept": 0, "not_graded": [], "gradebook": "out/gradebook.csv", "exit_code": 3,
    }  # fmt: skip
    assert "[1/4] student-004" in err
    assert err.endswith(f"{PROBLEMS}next: open out/gradebook.csv\n")


def test_quiet_lines_leave_only_problems_on_the_standard_error(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = other_form(course, capsys, format_="json-lines", quiet=True)

    assert (len(out.splitlines()), err) == (5, PROBLEMS)


def test_the_exit_codes_stand_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["batch", "--help"]) == 0

    assert "  3    somebody could not be read or checked" in capsys.readouterr().out
