"""`grader check` finds the course, grades what was meant, and exits with what came of it."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from grader.cli.commands.check.grading import run
from grader.grade.evidence import Cause
from tests.support.archives import zipped
from tests.unit.samples import SampleGrader, write_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_course(tmp_path / "course")
    monkeypatch.chdir(root)
    return root


def check(path: Path | None = None, *only: str, format_: str = "text", **more: object) -> int:
    settings: dict[str, object] = {"spawn": False, "course_folder": None, **more}
    settings.setdefault("opener", lambda _tell: SampleGrader().opened)
    return run(path, only=only, format_=format_, **settings)  # type: ignore[arg-type]


def put(path: Path, outcome: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#{outcome}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("passed", 0),
        ("carried", 0),
        ("failed", 1),
        ("not_attempted", 1),
        ("student_error", 1),
        ("timed_out", 1),
        ("blocked", 1),
        ("could_not_check", 3),
    ],
)
def test_the_exit_code_says_what_came_of_it(course: Path, outcome: str, code: int) -> None:
    assert check(put(course / "hand-in" / "s1_sums.py", outcome).parent) == code


def test_the_assignments_are_graded_by_default(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check() == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "sums  assignments"
    assert last == "next: open assignments/s1_sums.py:4 (s1.add)"


def test_paths_are_from_where_one_is(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(course / "assignments")

    assert check() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "next: open s1_sums.py:4 (s1.add)"


def test_a_folder_with_hand_outs_is_graded_where_one_is(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = put(course / "work" / "s1_sums (1).py", "passed").parent
    monkeypatch.chdir(folder)

    assert check() == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("named", [None, Path("..") / "course"], ids=["found", "named"])
def test_where_another_folder_is_graded_it_says_so(
    course: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    named: Path | None,
) -> None:
    place = course / "notes" if named is None else course.parent / "notes"
    place.mkdir()
    monkeypatch.chdir(place)
    graded = course / "assignments"

    assert check(course_folder=named) == 1
    assert capsys.readouterr().err == f"no hand-outs in {place}: grading {graded}\n"


@pytest.mark.parametrize(
    ("path", "named"),
    [("my work/s1_sums.py", "my work"), ("s1_sums.py", "s1_sums.py")],
    ids=["a folder", "a file"],
)
def test_work_that_lies_beside_is_pointed_to(
    course: Path, path: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put(course / path, "passed")
    put(course / "reference" / "s1_sums.py", "passed")

    assert check(None, "s1") == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("sums  assignments\n")
    quoted = f"'{named}'" if " " in named else named
    assert captured.err == (
        f"no folder is named: grading assignments. For {named}: grader check {quoted} --only s1\n"
    )


def test_commands_that_are_told_keep_the_course(
    course: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    grader = SampleGrader(cause=Cause("add.minus", "Subtracted.", 2, 2))
    work = put(tmp_path / "x" / "s1_sums.py", "failed").parent
    (course / "reference" / "mistakes").mkdir(parents=True)  # a course that explains

    assert check(work, course_folder=Path("course"), opener=lambda _tell: grader.opened) == 1
    assert "why:  grader explain add.minus --course course\n" in capsys.readouterr().out


def test_a_single_file_is_graded_on_its_own_assignment(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grader = SampleGrader()

    file = put(course / "hand-in" / "my s2_means (1).py", "passed")

    code = check(file, opener=lambda _tell: grader.opened)

    assert code == 0
    assert getattr(grader.options, "only") == ("s2.mean",)  # noqa: B009
    assert "total  3 / 3 points" in capsys.readouterr().out


def test_an_archive_is_graded_like_the_folder_in_it(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = put(course / "hand-in" / "s1_sums.py", "passed").parent
    archive = course / "student-001.zip"
    archive.write_bytes(zipped({"s1_sums.py": b"#passed\n"}))

    assert check(folder, format_="json") == check(archive, format_="json") == 0

    as_folder, as_archive = (json.loads(one) for one in _documents(capsys.readouterr().out))
    assert as_folder.pop("submission")["digest"] == as_archive.pop("submission")["digest"]
    assert as_folder == as_archive


def _documents(text: str) -> list[str]:
    first, second = text.rstrip().split("}\n{")
    return [first + "}", "{" + second]


def test_a_file_of_no_assignment_is_refused_with_the_names(course: Path) -> None:
    path = put(course / "hand-in" / "essay.py", "passed")

    with pytest.raises(click.ClickException) as refused:
        check(path)

    assert refused.value.message == (
        f"{path}: the name of this file matches no assignment. "
        "Rename it to one of: s1_sums.py, s2_means.py"
    )


def test_a_file_under_another_name_is_refused_with_the_one_it_should_have(course: Path) -> None:
    path = put(course / "work" / "hw2_final.py", "passed\nclass Mean:\n    pass")

    with pytest.raises(click.ClickException) as refused:
        check(path)

    assert refused.value.message == (f"{path}: this file defines Mean: rename it to s2_means.py")


def test_only_grades_and_counts_what_was_named(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(None, "s2", format_="json") == 1
    report = json.loads(capsys.readouterr().out)
    assert [exercise["slug"] for exercise in report["exercises"]] == ["s2.mean"]
    assert report["max_points"] == "3"


@pytest.mark.parametrize(
    ("path", "only", "says"),
    [
        pytest.param("nowhere", (), "no such file or folder", id="path"),
        pytest.param(None, ("s1.ad",), "did you mean 's1.add'?", id="exercise"),
    ],
)
def test_mistakes_are_said_in_words(
    course: Path, path: str | None, only: tuple[str, ...], says: str
) -> None:
    with pytest.raises(click.ClickException, match=says.replace("?", r"\?")):
        check(None if path is None else course / path, *only)


def test_every_error_of_a_rubric_is_told(course: Path) -> None:
    (course / "rubric.yaml").write_text("course: 1\nexercise: {}\n", encoding="utf-8")

    with pytest.raises(click.ClickException) as refused:
        check()

    assert len(refused.value.message.splitlines()) > 1
    assert all("rubric.yaml:" in line for line in refused.value.message.splitlines())


def test_outside_of_a_course_none_is_taken_from_the_path(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(click.ClickException, match=r"not inside a course; .* --course DIR"):
        check(course / "assignments")


@pytest.mark.parametrize("path", [".", "s1_sums.py", "assignments/../s1_sums.py"])
def test_no_course_is_taken_from_what_is_graded(course: Path, path: str) -> None:
    put(course / "s1_sums.py", "passed")

    with pytest.raises(click.ClickException) as refused:
        check(Path(path))

    assert refused.value.message == (
        f"{course / 'rubric.yaml'}: a course inside the submission is not used. "
        "Change into the course folder, or name it: --course DIR"
    )


def test_a_course_around_what_is_graded_may_be_named(course: Path) -> None:
    file = put(course / "s1_sums.py", "passed")

    assert check(file, course_folder=course) == 0


def test_a_course_around_a_submission_with_one_of_its_own_is_taken(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(course / "class/student-001/s1_sums.py", "passed")
    (course / "class/student-001/rubric.yaml").write_text("course: theirs\n", encoding="utf-8")
    monkeypatch.chdir(course / "class/student-001")

    assert check(Path()) == 0

    said = capsys.readouterr().out
    assert said.startswith("sums\n")
    assert "rubric.yaml is set aside: a submission is never graded by its own" in said


def test_a_named_course_is_used(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert check(put(tmp_path / "x" / "s1_sums.py", "passed").parent, course_folder=course) == 0


def test_a_link_is_refused_and_a_path_through_one_is_not(course: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(put(course / "x/hand-in/s1_sums.py", "passed").parent.parent)
    (course / "x/student-001").symlink_to(course / "x/hand-in")

    with pytest.raises(click.ClickException, match="links are not followed"):
        check(course / "x/student-001")
    assert check(tmp_path / "link" / "hand-in") == 0


def test_no_report_takes_the_place_of_the_standard_output(course: Path) -> None:
    (course / "stdout").symlink_to("/proc/self/fd/1")

    with pytest.raises(click.ClickException, match="not a file"):
        check(files=[("json", course / "stdout")])

    assert (course / "stdout").is_symlink()


def test_one_run_gives_every_report(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grader = SampleGrader()
    files = [
        ("junit", Path("ci/junit.xml")),
        ("markdown", Path("ci/summary.md")),
        ("json", Path("report.json")),
        ("text", Path("report.txt")),
    ]

    assert check(files=files, opener=lambda _tell: grader.opened) == 1

    printed = capsys.readouterr().out
    assert printed.startswith("sums  assignments\n")
    assert Path("ci/junit.xml").read_text(encoding="utf-8").startswith("<?xml ")
    assert Path("ci/summary.md").read_text(encoding="utf-8").startswith("## sums: 0 / 6.5 points")
    assert json.loads(Path("report.json").read_text(encoding="utf-8"))["course"] == "sums"
    assert Path("report.txt").read_text(encoding="utf-8") == printed
    assert sorted(path.name for path in (course / "ci").iterdir()) == ["junit.xml", "summary.md"]


@pytest.mark.parametrize(
    ("format_", "start"), [("junit", "<?xml "), ("markdown", "## sums"), ("json", "{\n")]
)
def test_every_format_can_be_printed(
    course: Path, format_: str, start: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(format_=format_) == 1
    assert capsys.readouterr().out.startswith(start)


def test_an_old_report_is_gone_when_a_run_breaks(course: Path) -> None:
    Path("junit.xml").write_text("all points", encoding="utf-8")

    with pytest.raises(click.ClickException):
        check(course / "nowhere", files=[("junit", Path("junit.xml"))])

    assert not Path("junit.xml").exists()


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param(["."], "not a file", id="folder"),
        pytest.param(["a.xml", "./a.xml"], "two reports would go to this file", id="twice"),
        pytest.param(["assignments/s1_sums.py"], "would overwrite code", id="code"),
        pytest.param(
            ["rubric.yaml/a.xml"], "rubric.yaml exists and is not a folder", id="below a file"
        ),
    ],
)
def test_a_place_for_no_report_is_refused_before_grading(
    course: Path, files: list[str], says: str
) -> None:
    grader = SampleGrader()

    with pytest.raises(click.ClickException, match=says):
        check(files=[("junit", Path(file)) for file in files], opener=lambda _tell: grader.opened)

    assert grader.options is None
    assert (course / "rubric.yaml").is_file()


@pytest.mark.parametrize("answer", ["", "Because."], ids=["empty", "answered"])
@pytest.mark.parametrize(("outcome", "code"), [("passed", 0), ("failed", 1)])
def test_a_written_answer_changes_no_exit_code(
    course: Path, outcome: str, code: int, answer: str
) -> None:
    with (course / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write("written:\n  s1.why: {points: 2, question: Why?}\n")
    put(course / "work" / "s1_sums.py", outcome)
    (course / "work" / "answers.md").write_text(f"<!-- answer: s1.why -->\n{answer}\n")

    assert check(course / "work") == code


HINTS = '["s1.add"]\nwhy = "A sum."\nhints = ["Look.", "Think.", "Add them."]\n'


@pytest.mark.parametrize(("words", "hints"), [(HINTS, 1), ("", 0)], ids=["with hints", "without"])
def test_a_page_has_the_hints_that_the_course_has(
    course: Path, capsys: pytest.CaptureFixture[str], words: str, hints: int
) -> None:
    if words:
        folder = course / "reference/exercises/s1.add"
        folder.mkdir(parents=True)
        (folder / "explanations.toml").write_text(words, encoding="utf-8")
    work = put(course / "hand-in" / "s1_sums.py", "failed").parent
    page = course / "report.html"

    assert check(work, "s1.add", format_="html", files=[("html", page)]) == 1
    text = page.read_text(encoding="utf-8")
    assert capsys.readouterr().out == text
    assert text.startswith("<!doctype html>")
    assert text.count("Add them.") == hints


def test_hints_that_cannot_be_read_are_said_before_anything_is_graded(course: Path) -> None:
    folder = course / "reference/exercises/s1.add"
    folder.mkdir(parents=True)
    (folder / "explanations.toml").write_text("[", encoding="utf-8")
    work = put(course / "hand-in" / "s1_sums.py", "failed").parent

    with pytest.raises(click.ClickException, match=r"explanations.toml: not valid TOML"):
        check(work, format_="html")
    assert check(work) == 1
