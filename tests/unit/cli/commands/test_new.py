"""`grader new` adds an exercise, or says what is in the way and writes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.cli import cli
from grader.cli.commands.new import Words, run
from grader.course.course import find_course
from tests.support.full_disk import fill_up

ROOT = Path(__file__).resolve().parents[4]
ASSIGNMENTS = sorted(path.stem for path in (ROOT / "reference").glob("a[0-9]*_*.py"))


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course begun with `f1.blur`."""
    root = tmp_path / "filters"
    assert run(Words("f1.blur", "box_blur", assignment="f1_filters", begin=root), "a-seed") == 0
    monkeypatch.chdir(root)
    return root


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_course_is_begun_with_an_exercise(course: Path) -> None:
    assert sorted(contents(course)) == [
        "assignments/f1_filters.ipynb",
        "assignments/f1_filters.py",
        "reference/blank_answers.py",
        "reference/exercises/f1.blur/mistakes.diff",
        "reference/exercises/f1.blur/small_calls.py",
        "reference/exercises/f1.blur/variants.py",
        "reference/f1_filters.py",
        "rubric.yaml",
        "tests/suites/f1_filters/public/test_blur.py",
        "tests/suites/f1_filters/test_blur.py",
    ]
    assert find_course(course).rubric.seed == "a-seed"


def test_the_same_words_give_the_same_course(course: Path, tmp_path: Path) -> None:
    again = tmp_path / "again" / "filters"
    run(Words("f1.blur", "box_blur", assignment="f1_filters", begin=again), "a-seed")

    assert contents(again) == contents(course)


def test_the_seed_of_a_course_is_its_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = str(tmp_path / name)
        words = ["f1.blur", "--target", "blur", "--assignment", "f1_filters", "--begin", folder]
        assert cli.main(["new", *words]) == 0

    seeds = {find_course(tmp_path / name).rubric.seed for name in ("one", "two")}
    assert len(seeds) == 2


def test_a_second_exercise_moves_no_line(course: Path) -> None:
    before = contents(course)

    assert cli.main(["new", "f1.edges", "--target", "Edges"]) == 0

    after = contents(course)
    assert set(after) - set(before) == {
        "reference/exercises/f1.edges/mistakes.diff",
        "reference/exercises/f1.edges/small_calls.py",
        "reference/exercises/f1.edges/variants.py",
        "tests/suites/f1_filters/public/test_edges.py",
        "tests/suites/f1_filters/test_edges.py",
    }
    written = [name for name in before if not name.startswith("assignments/")]
    assert len(written) == 8
    assert [name for name in written if not _is_part(before[name], after[name])] == []


def test_windows_line_ends_stay(course: Path) -> None:
    for name in ("rubric.yaml", "reference/f1_filters.py"):
        path = course / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert cli.main(["new", "f1.edges", "--target", "Edges"]) == 0

    for name in ("rubric.yaml", "reference/f1_filters.py"):
        assert b"\n" not in (course / name).read_bytes().replace(b"\r\n", b"")


def test_it_says_what_is_left_to_write(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["new", "f1.edges", "--target", "Edges"])

    said = capsys.readouterr().out
    assert "wrote tests/suites/f1_filters/test_edges.py\n" in said
    assert "wrote assignments/f1_filters.ipynb\n" in said
    assert "  reference/f1_filters.py:35  say in one line what it computes.\n" in said
    assert said.endswith("after that run: grader validate --exercise f1.edges\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["f1.blur", "--target", "blur2"], "rubric.yaml:10: exercise f1.blur is there already."),
        (["f1.two", "--target", "box_blur"], "rubric.yaml:10: box_blur is a target of f1.blur."),
        (["F1.Two", "--target", "two"], "'F1.Two' is no slug"),
        (["f1.two", "--target", "1st"], "'1st' is no name for a function or a class."),
        (["f1.two", "--target", "class"], "'class' is no name for a function or a class."),
        (["f2.two", "--target", "two"], "rubric.yaml:6: no assignment 'f2' - expected 'f1'."),
        (
            ["f1.two", "--target", "two", "--assignment", "other"],
            "rubric.yaml:6: assignment 'f1' is called f1_filters.",
        ),
        (
            ["f2.two", "--target", "two", "--assignment", "f1_filters"],
            "rubric.yaml:6: 'f1_filters' is no name for a new assignment's files.",
        ),
        (["f1.two", "--target", "helper"], "reference/f1_filters.py:32: helper is there already."),
        (["f1.used", "--target", "two"], "tests/suites/f1_filters/test_used.py:1: is there alr"),
    ],
)
def test_nothing_is_overwritten_or_half_written(
    course: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with (course / "reference/f1_filters.py").open("a") as file:
        file.write("\ndef helper(x):\n    return x\n")
    (course / "tests/suites/f1_filters/test_used.py").write_text("# somebody's work\n")
    before = contents(course)

    assert cli.main(["new", *words]) == 2

    said = capsys.readouterr().err
    assert message in said
    assert "Next" in said
    assert contents(course) == before


def test_a_course_is_not_begun_twice(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(course)
    words = ["f1.two", "--target", "two", "--assignment", "f1_filters", "--begin", str(course)]

    assert cli.main(["new", *words]) == 2

    said = capsys.readouterr().err
    assert f"{course}/rubric.yaml:1: a course is there already. Next: leave out --begin" in said
    assert contents(course) == before


def test_a_course_is_not_begun_in_another(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--begin", str(tmp_path / "b"), "--course", str(course)]

    assert cli.main(["new", "f1.two", "--target", "two", *words]) == 2

    assert "leave out --course" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_a_reference_that_was_broken_before_is_told_first(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "reference/f1_filters.py").write_text("def f(:\n")
    before = contents(course)

    assert cli.main(["new", "f1.two", "--target", "two"]) == 2

    assert "reference/f1_filters.py:1: not valid Python" in capsys.readouterr().err
    assert contents(course) == before


def test_a_file_that_cannot_be_read_is_told(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "reference/blank_answers.py").write_bytes(b"# caf\xe9\n")
    before = contents(course)

    assert cli.main(["new", "f1.two", "--target", "two"]) == 2

    assert "reference/blank_answers.py:1: cannot be read" in capsys.readouterr().err
    assert contents(course) == before


def test_a_disk_that_is_full_leaves_nothing_behind(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(course)
    fill_up(monkeypatch, after_files=2)

    assert cli.main(["new", "f1.two", "--target", "two"]) == 2

    assert "not written, because the disk is full" in capsys.readouterr().err
    assert contents(course) == before


@pytest.mark.parametrize("stem", ASSIGNMENTS)
def test_it_fits_into_this_course(stem: str, tmp_path: Path) -> None:
    """Beside what is new, an exercise changes its assignment's module and the rubric alone."""
    for name in ("reference", "tests/suites"):
        ignore = shutil.ignore_patterns("__pycache__", "*.mo")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    shutil.copy(ROOT / "rubric.yaml", tmp_path)
    before = contents(tmp_path)

    assert run(Words(f"{stem[:2]}.an_example", "AnExample", course_folder=tmp_path), "") == 0

    after = contents(tmp_path)
    changed = {name for name, text in before.items() if after[name] != text}
    assert changed == {"rubric.yaml", f"reference/{stem}.py"}
    assert [name for name in changed if not _is_part(before[name], after[name])] == []
    slug, suites = f"{stem[:2]}.an_example", f"tests/suites/{stem}"
    new = {name for name in set(after) - set(before) if not name.startswith("assignments/")}
    assert new == {
        f"reference/exercises/{slug}/mistakes.diff",
        f"reference/exercises/{slug}/small_calls.py",
        f"reference/exercises/{slug}/variants.py",
        f"{suites}/test_an_example.py",
        f"{suites}/public/test_an_example.py",
    }
    assert slug in find_course(tmp_path).rubric.exercises


def _is_part(old: bytes, new: bytes) -> bool:
    """Whether every line of the old text is in the new one, in the same order."""
    lines = iter(new.splitlines())
    return all(line in lines for line in old.splitlines())
