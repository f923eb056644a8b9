"""The kit is what students get: the same byte for byte, in their languages, and nothing secret."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from grader.cli.cli import main
from grader.course.course import find_course
from grader.release.kit import KitParts, kit_files
from grader.submission.submission import read_submission
from grader.submission.written_answers import written_answers

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests" / "toy_course"
SOLUTION = "windows = wide.unfold(1, side, 1).unfold(2, side, 1)"


def written(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_kit_of_the_course_is_written_byte_for_byte_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--no-checks", "--no-wheel", "--course", str(ROOT)]
    for name in ("one", "two"):
        assert main(["release", "--out", str(tmp_path / name), *words]) == 0
    kit = written(tmp_path / "one")

    assert kit == written(tmp_path / "two")
    wrote = f"wrote {tmp_path / 'one'}: {len(kit)} files, no secret line in them"
    assert wrote in capsys.readouterr().out
    handed_out = written(ROOT / "assignments")
    assert len(handed_out) > 20
    assert {name: kit[f"assignments/{name}"] for name in handed_out} == handed_out
    assert sorted(kit.keys() - {f"assignments/{name}" for name in handed_out}) == [
        ".github/workflows/grade.yml",
        "README.md",
        "assignments/ko/README.md",
    ]


def test_the_workflow_is_the_one_that_is_documented_and_tried() -> None:
    documented = ROOT / "docs" / "examples" / "github-workflow.yml"
    kit = kit_files(find_course(TOY), ["en"])
    assert kit[".github/workflows/grade.yml"] == documented.read_bytes()


def test_a_kit_in_one_language_has_plain_names() -> None:
    korean = kit_files(find_course(ROOT), ["ko"])
    handed_out = written(ROOT / "assignments" / "ko")
    for path in (ROOT / "assignments" / "data").iterdir():
        assert korean[f"assignments/data/{path.name}"] == path.read_bytes()
    assert {name: korean[f"assignments/{name}"] for name in handed_out} == handed_out
    assert "## 어디에서 무엇을 검사하는가" in korean["README.md"].decode()


def test_points_of_hidden_criteria_are_added_up_and_not_named() -> None:
    points = kit_files(find_course(TOY), ["en"])["README.md"].decode()
    assert "| f1.blur | `box_blur` | shapes 1, outputs 3 | 4 |\n" in points
    assert "borders" not in points
    assert "\n20 points in all.\n" in points


def test_one_planted_line_of_the_reference_makes_a_release_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a question, which students read in hand-outs."""
    course = tmp_path / "toy"
    shutil.copytree(TOY, course)
    asking = "\nwritten:\n  f1.why:\n    points: 1\n    question: >-\n      Explain {}.\n"
    rubric = course / "rubric.yaml"
    text = rubric.read_text(encoding="utf-8")
    words = ["--no-checks", "--course", str(course), "--out"]

    rubric.write_text(text + asking.format("windows"), encoding="utf-8")
    assert main(["release", *words, str(tmp_path / "control")]) == 0
    rubric.write_text(text + asking.format(f"`{SOLUTION}`"), encoding="utf-8")
    assert main(["release", *words, str(tmp_path / "kit")]) == 2

    errors = capsys.readouterr().err
    assert "assignments/f1_filters.ipynb: holds a line of reference/f1_filters.py:" in errors
    assert "which no student may get" in errors
    assert not (tmp_path / "kit").exists()


def test_a_kit_goes_to_a_folder_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "work.py").write_text("mine", encoding="utf-8")
    assert main(["release", "--out", str(tmp_path), "--course", str(TOY)]) == 2
    assert f"{tmp_path}: is not empty. Name a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["work.py"]


def test_a_language_without_hand_outs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--out", str(tmp_path / "kit"), "--course", str(TOY)]
    assert main(["release", *words, "--languages", "ko"]) == 2
    assert "the course has no hand-outs in that language" in capsys.readouterr().err


def test_in_a_kit_nobody_has_answered_a_question_yet(tmp_path: Path) -> None:
    """Its hand-outs ask in both languages, and know an empty answer in both."""
    nothing = KitParts(record=lambda: gzip.compress(b"{}", mtime=0))
    for name, data in kit_files(find_course(ROOT), ["en", "ko"], nothing).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    questions = find_course(tmp_path).rubric.written
    handed_in = read_submission(tmp_path / "assignments")

    answers = written_answers(handed_in, questions, questions.values())

    assert len(answers) == len(questions) > 3
    assert {one.text for one in answers} == {""}
