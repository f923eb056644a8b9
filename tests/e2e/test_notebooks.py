"""Notebooks as handed in, through the whole engine."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome, Where
from grader.report.content import Report, report_on
from grader.submission.submission import read_submission
from tools.notebooks import Notebook, solution, solved

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
STEMS = sorted(path.stem for path in (ROOT / "reference").glob("a[0-9]*_*.py"))
STEM = "a1_attention"
WAYS = {"fork": Options(), "spawn": Options(spawn=True, isolation="none")}
FLOWED = {"output_type": "stream", "name": "stdout", "text": ["Epoch 1: loss 0.6931\n"] * 3}


@pytest.fixture(scope="module")
def course() -> Course:
    return find_course(ROOT)


@pytest.fixture(scope="module", params=["fork", "spawn"])
def engine(request: pytest.FixtureRequest, course: Course) -> Iterator[Engine]:
    with Engine(course, WAYS[request.param]) as engine:
        yield engine


def graded(engine: Engine, folder: Path) -> Report:
    (result,) = engine.grade([read_submission(folder)])
    return report_on(result, engine.course.rubric)


def write(folder: Path, **files: str | Mapping[str, Any]) -> Path:
    for name, content in files.items():
        stem, _, kind = name.rpartition("_")
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{stem}.{kind}").write_text(text, encoding="utf-8")
    return folder


def solved_notebook(stem: str) -> Notebook:
    """The hand-out with the reference pasted in, then run."""
    notebook = solved(stem)
    for count, cell in enumerate(cell for cell in notebook["cells"] if "outputs" in cell):
        cell["execution_count"] = count + 1
        cell["outputs"] = [FLOWED]
    return notebook


def cells(*sources: str, **metadata: Any) -> dict[str, Any]:
    return {
        "cells": [
            {"cell_type": "code", "metadata": {}, "source": source, "outputs": [FLOWED]}
            for source in sources
        ],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def test_the_hand_out_with_the_reference_pasted_in_gets_full_marks(
    engine: Engine, tmp_path: Path
) -> None:
    folder = write(tmp_path, **{f"{stem}_ipynb": solved_notebook(stem) for stem in STEMS})

    report = graded(engine, folder)

    assert report.grade.complete
    assert [note for note in report.notes if note.kind == "problem"] == []
    assert report.entries == {stem: f"{stem}.ipynb" for stem in STEMS}


def test_the_hand_out_as_it_is_is_not_attempted(engine: Engine, tmp_path: Path) -> None:
    for stem in STEMS:
        handed_out = (ROOT / "assignments" / f"{stem}.ipynb").read_bytes()
        (tmp_path / f"{stem}.ipynb").write_bytes(handed_out)

    report = graded(engine, tmp_path)

    assert {seen.outcome for seen in report.observations} <= {
        Outcome.NOT_ATTEMPTED,
        Outcome.BLOCKED,
    }
    assert report.notes == ()


def test_50_mb_of_outputs_cost_nothing(engine: Engine, tmp_path: Path) -> None:
    notebook = solved_notebook(STEM)
    image = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" * 4_600_000}}
    notebook["cells"][-1]["outputs"] = [image]
    folder = write(tmp_path, **{f"{STEM}_ipynb": notebook})
    assert (folder / f"{STEM}.ipynb").stat().st_size > 50_000_000
    slugs = [
        slug
        for slug, exercise in engine.course.rubric.exercises.items()
        if exercise.assignment == STEM
    ]

    start = time.perf_counter()
    report = graded(engine, folder)

    assert time.perf_counter() - start < 30
    assert all(
        exercise.grade.points == exercise.grade.max_points
        for exercise in report.exercises
        if exercise.exercise.slug in slugs
    )


RIGHT = solution(STEM)
WRONG = f"""{RIGHT}

def scaled_dot_product_attention(query, key, value, mask=None):
    return value, value
"""
SLUG = "a1.sdpa"


def sdpa(report: Report) -> Fraction:
    (found,) = [one.grade for one in report.exercises if one.exercise.slug == SLUG]
    return found.points / found.max_points


@pytest.mark.parametrize(
    ("py_s", "notebook_s", "chosen", "reason"),
    [
        pytest.param(1_000_000, 2_000_000, "ipynb", "it was changed last", id="notebook newer"),
        pytest.param(2_000_000, 1_000_000, "py", "it was changed last", id="py newer"),
        pytest.param(1_000_000, 1_000_001, "py", "their times do not tell", id="together"),
    ],
)
def test_of_two_edited_kinds_the_newer_counts_and_both_are_named(
    engine: Engine, tmp_path: Path, py_s: int, notebook_s: int, chosen: str, reason: str
) -> None:
    texts = {"py": WRONG, "ipynb": WRONG} | {chosen: RIGHT}
    folder = write(tmp_path, **{f"{STEM}_py": texts["py"], f"{STEM}_ipynb": cells(texts["ipynb"])})
    os.utime(folder / f"{STEM}.py", (py_s, py_s))
    os.utime(folder / f"{STEM}.ipynb", (notebook_s, notebook_s))

    report = graded(engine, folder)

    assert report.entries == {STEM: f"{STEM}.{chosen}"}
    assert sdpa(report) == 1
    (problem,) = [note.text for note in report.notes if note.kind == "problem"]
    assert f"{STEM}.py" in problem and f"{STEM}.ipynb" in problem
    assert reason in problem


def test_an_untouched_hand_out_never_wins_however_new_it_is(engine: Engine, tmp_path: Path) -> None:
    stub = (ROOT / "assignments" / f"{STEM}.py").read_text(encoding="utf-8")
    folder = write(tmp_path, **{f"{STEM}_py": stub, f"{STEM}_ipynb": cells(RIGHT)})
    os.utime(folder / f"{STEM}.ipynb", (1_000_000, 1_000_000))

    report = graded(engine, folder)

    assert report.entries == {STEM: f"{STEM}.ipynb"}
    assert sdpa(report) == 1


def test_an_error_is_placed_by_file_cell_and_line(engine: Engine, tmp_path: Path) -> None:
    broken = "%matplotlib inline\ndef scaled_dot_product_attention(query, key, value, mask=None):\n"
    folder = write(
        tmp_path, **{f"{STEM}_ipynb": cells("import torch", broken + "    return 1 / 0\n")}
    )

    places = {
        seen.where
        for seen in graded(engine, folder).observations
        if seen.exercise == SLUG and seen.outcome is Outcome.STUDENT_ERROR
    }

    assert places == {Where(f"{STEM}.ipynb", line=3, cell=2)}


def test_one_assignment_alone_still_finds_the_students_notebook_of_another(
    course: Course, tmp_path: Path
) -> None:
    """With `--only`, an import of an assignment that is not graded means the solved file too."""
    uses = "from a1_attention import SOLVED_HERE\n" + solution("a2_masking")
    stub = (ROOT / "assignments" / f"{STEM}.py").read_text(encoding="utf-8")
    marked = RIGHT + "\nSOLVED_HERE = True\n"
    folder = write(
        tmp_path,
        a2_masking_py=uses + "\nassert SOLVED_HERE\n",
        **{f"{STEM}_py": stub, f"{STEM}_ipynb": cells(marked)},
    )

    with Engine(course, Options(only=("a2.causal_attention",))) as engine:
        (result,) = engine.grade([read_submission(folder)])

    assert {seen.outcome for seen in result.observations} == {Outcome.PASSED}
    assert [note for note in result.loading if note.kind == "problem"] == []
