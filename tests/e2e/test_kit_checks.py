"""A kit checks without the course, says what the course says, and brings its own grader."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import grader
from grader.cli.cli import main
from grader.course.course import find_course
from grader.course.misconceptions import apply_misconception
from grader.course.mistake_diff import read_mistakes
from grader.grade.evidence import Outcome
from grader.submission.submission import Submission, read_submission
from tests.support.clean_python import clean_python, kernel
from tools.kit_on_corpus import Verdicts, graded
from tools.notebooks import Notebook, printed, run

pytestmark = pytest.mark.usefixtures("warm_nursery")

TOY = Path(__file__).parents[1] / "toy_course"
STEMS = ("f1_filters", "f2_learned")


@pytest.fixture(scope="module")
def kit(
    once: Callable[[str, Callable[[], str]], str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A kit of the toy course, far from it."""
    folder = tmp_path_factory.mktemp("student") / "kit"

    def make() -> str:
        assert main(["release", "--out", str(folder), "--course", str(TOY)]) == 0
        return str(folder)

    return Path(once("kit of the toy course", make))


def answers() -> dict[str, dict[str, str]]:
    """Return what is handed in, by a name: the solution, and each known mistake of the course."""
    right = {s: (TOY / "reference" / f"{s}.py").read_text(encoding="utf-8") for s in STEMS}
    return {"right": right, **dict(_wrong(right))}


def _wrong(right: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    course = find_course(TOY)
    for slug, exercise in course.rubric.exercises.items():
        known = read_mistakes(course.paths, slug)
        for entry in known.entries:
            stem = exercise.assignment
            yield entry.id, {**right, stem: apply_misconception(right[stem], entry, known.origin)}


def handed_in(folder: Path) -> list[Submission]:
    for name, texts in answers().items():
        (folder / name).mkdir(parents=True)
        for stem, text in texts.items():
            (folder / name / f"{stem}.py").write_text(text, encoding="utf-8")
    return [read_submission(path, id=path.name) for path in sorted(folder.iterdir())]


def test_verdicts_and_causes_are_those_of_the_course(kit: Path, tmp_path: Path) -> None:
    submissions = handed_in(tmp_path)
    course, alone = graded(TOY, submissions), graded(kit, submissions)

    assert alone == course
    assert {outcome for outcome, _causes in alone["right"].values()} == {"passed"}
    assert alone["sobel.swapped"]["f1.sobel/outputs/test_values"] == ("failed", ("sobel.swapped",))
    assert len(submissions) == 19
    named = [name for name, one in alone.items() if name in _causes(one)]
    assert len(named) >= 14


def _causes(one: Verdicts) -> set[str]:
    return {id for _outcome, causes in one.values() for id in causes}


def test_nothing_of_the_reference_is_in_it(kit: Path) -> None:
    assert not list(kit.rglob("reference/*.py"))
    assert [path.name for path in (kit / "reference").iterdir()] == ["recorded.json.gz"]
    assert zipped_names(kit) == {"grader", f"attention_grader-{grader.__version__}.dist-info"}
    assert find_course(TOY).rubric.seed not in (kit / "rubric.yaml").read_text(encoding="utf-8")


def test_an_answer_that_was_not_recorded_is_left_to_the_course(kit: Path, tmp_path: Path) -> None:
    """With another seed its checks ask what nobody asked the reference."""
    other = shutil.copytree(kit, tmp_path / "kit")
    rubric = other / "rubric.yaml"
    text = rubric.read_text(encoding="utf-8")
    assert text.count("seed: ") == 1
    rubric.write_text(text.replace("seed: ", "seed: x"), encoding="utf-8")
    submissions = [one for one in handed_in(tmp_path / "in") if one.id in ("right", "blur.sum")]

    result = graded(other, submissions)

    for one in result.values():
        asked = [verdict for check, verdict in one.items() if "/outputs/" in check]
        assert set(asked) == {(Outcome.COULD_NOT_CHECK.value, ())}


def test_a_kit_with_checks_and_grader_is_the_same_byte_for_byte(kit: Path, tmp_path: Path) -> None:
    assert main(["release", "--out", str(tmp_path / "kit"), "--course", str(TOY)]) == 0
    once, again = ({file.relative_to(one): file.read_bytes() for file in released(one)}
                   for one in (kit, tmp_path / "kit"))  # fmt: skip
    assert once == again
    assert len(once) == 12


def released(kit: Path) -> Iterator[Path]:
    """Yield the files of a kit, without what grading with it leaves beside them."""
    for path in kit.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def zipped_names(kit: Path) -> set[str]:
    """Return the folders at the root of the wheel."""
    (wheel,) = (kit / "wheel").iterdir()
    return {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}


def begun(kit: Path) -> Notebook:
    """Return a notebook of the kit up to its first code, and a cell that says what came of it."""
    notebook: Notebook = json.loads((kit / "assignments" / "f1_filters.ipynb").read_text("utf-8"))
    cells = [{**cell, "source": "".join(cell["source"])} for cell in notebook["cells"]]
    first = next(number for number, cell in enumerate(cells) if cell["cell_type"] == "code")
    look = {**cells[first], "id": "look", "source": "print(Path.cwd().name, grader.__file__)"}
    return {**notebook, "cells": [*cells[: first + 1], look]}


def test_a_student_begins_with_the_kit_alone(
    kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Jupyter, on the command line, and in Colab, in an environment without the grader."""
    own = shutil.copytree(kit, tmp_path / "home" / "kit")
    for name, value in {"PIP_NO_INDEX": "1", "LANGUAGE": "en", "PYTHONPATH": ""}.items():
        monkeypatch.setenv(name, value)
    python = clean_python(tmp_path / "python")
    monkeypatch.setenv("JUPYTER_PATH", str(kernel(python, "clean", tmp_path / "jupyter")))
    missing = subprocess.run([python, "-c", "import grader"], cwd=own, capture_output=True)
    assert b"No module named 'grader'" in missing.stderr

    in_jupyter = printed(run(begun(own), own / "assignments", "clean"))
    in_colab = printed(run(begun(own), own.parent, "clean"))

    fits = f"grader {grader.__version__}, Python "
    for said, folder in ((in_jupyter, "assignments"), (in_colab, "kit")):
        assert fits in said and "these fit." in said
        assert f"{folder} {tmp_path / 'python'}" in said

    right = (TOY / "reference" / "f1_filters.py").read_text(encoding="utf-8")
    (own / "assignments" / "f1_filters.py").write_text(right, encoding="utf-8")
    command = [python.with_name("grader"), "check", "assignments/", "--only", "f1.blur"]
    done = subprocess.run(command, cwd=own, env={**os.environ}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "next: hand it in: every check that is here passed." in done.stdout
