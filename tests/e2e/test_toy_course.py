"""A course about images, graded end to end: the engine knows no subject."""

from __future__ import annotations

import csv
import doctest
import importlib.util
import json
from pathlib import Path

import pytest

from grader import cli
from grader.commands.stubs import render
from grader.course import find_course
from tests.support.entries import Points, full_marks, graded, promises_kept

COURSE = Path(__file__).resolve().parents[1] / "toy_course"
STEMS = ("f1_filters", "f2_learned")


@pytest.fixture(scope="module")
def points() -> dict[str, Points]:
    return graded(COURSE)


def source(stem: str) -> str:
    return (COURSE / "reference" / f"{stem}.py").read_text(encoding="utf-8")


def hand_in(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for stem, text in files.items():
        (folder / f"{stem}.py").write_text(text, encoding="utf-8")
    return folder


def test_the_reference_gets_full_marks(points: dict[str, Points]) -> None:
    assert points["reference"] == full_marks(find_course(COURSE))


def test_the_stub_gets_nothing(points: dict[str, Points]) -> None:
    assert points["stub"] == dict.fromkeys(full_marks(find_course(COURSE)), 0)


def test_mistakes_and_right_ways_get_what_they_say(points: dict[str, Points]) -> None:
    assert promises_kept(COURSE, points) == []


def test_every_criterion_is_lost_by_a_mistake(points: dict[str, Points]) -> None:
    full = full_marks(find_course(COURSE))
    mistakes = [found for name, found in points.items() if name not in ("reference", "stub")]

    assert [key for key in full if not any(f.get(key, full[key]) == 0 for f in mistakes)] == [
        ("f1.blur", "shapes")  # three checks, of which no mistake fails all
    ]


def test_the_hand_outs_are_fresh() -> None:
    written = {path.name: path.read_text("utf-8") for path in (COURSE / "assignments").iterdir()}

    assert written == render(COURSE)


@pytest.mark.parametrize("stem", STEMS)
def test_the_examples_in_the_hand_outs_are_true(stem: str) -> None:
    spec = importlib.util.spec_from_file_location(stem, COURSE / "reference" / f"{stem}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0


def test_a_submission_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = source("f1_filters").replace("windows.mean", "windows.sum")
    flipped = source("f2_learned").replace("* self.kernel)", "* self.kernel.T)")
    folder = hand_in(tmp_path / "student-001", f1_filters=wrong, f2_learned=flipped)

    code = cli.main(["check", str(folder), "--course", str(COURSE), "--format", "json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 1
    assert {each["slug"]: each["points"] for each in report["exercises"]} == {
        "f1.blur": "2",
        "f1.sobel": "6",
        "f2.learned": "3",
    }
    outcomes = {o["check"]: o["outcome"] for e in report["exercises"] for o in e["checks"]}
    assert outcomes["f1.blur/outputs/test_values[3]"] == "failed"
    assert outcomes["f2.learned/outputs/test_values"] == "blocked"  # it needs the one above


def test_a_class_is_graded(tmp_path: Path) -> None:
    right = {stem: source(stem) for stem in STEMS}
    stubs = {name.removesuffix(".py"): text for name, text in render(COURSE).items()}
    hand_in(tmp_path / "class" / "student-001", **right)
    hand_in(tmp_path / "class" / "student-002", **{stem: stubs[stem] for stem in STEMS})
    out = tmp_path / "out"

    words = ["batch", str(tmp_path / "class"), "--out", str(out), "-j", "2"]
    assert cli.main([*words, "--course", str(COURSE)]) == 1

    with (out / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row["total"] for row in csv.DictReader(file)}
    assert rows == {"student-001": "20", "student-002": "0"}
