"""A course about images, graded end to end: the engine knows no subject."""

from __future__ import annotations

import csv
import doctest
import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from grader.cli import cli
from grader.handouts.generation import render
from tests.support.validated import validated

pytestmark = pytest.mark.usefixtures("warm_nursery")

COURSE = Path(__file__).resolve().parents[1] / "toy_course"
STEMS = ("f1_filters", "f2_learned")


def source(stem: str) -> str:
    return (COURSE / "reference" / f"{stem}.py").read_text(encoding="utf-8")


def hand_in(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for stem, text in files.items():
        (folder / f"{stem}.py").write_text(text, encoding="utf-8")
    return folder


def test_nothing_is_missing_in_it() -> None:
    """Reference, stubs, mistakes, right ways and blank answers get what they should."""
    code, report = validated(COURSE)

    assert report["problems"] == []
    assert code == 0
    assert [row["slug"] for row in report["exercises"]] == ["f1.blur", "f1.sobel", "f2.learned"]


def test_a_weaker_suite_is_told(tmp_path: Path) -> None:
    """The positive control: the same proof of a course in which a check looks away."""
    spoilt = shutil.copytree(COURSE, tmp_path / "spoilt")
    suite = spoilt / "tests/suites/f1_filters/test_blur.py"
    text = suite.read_text("utf-8")
    suite.write_text(text.replace("wanted, what=", "student.box_blur(images, 3), what="))

    code, report = validated(spoilt, "--exercise", "f1.blur")

    messages = [problem["message"] for problem in report["problems"]]
    assert code == 1
    assert "blur.sum: costs nothing in f1.blur/borders" in messages


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
    flipped = source("f2_learned").replace("* self.kernel)", "* self.kernel.flip(0, 1))")
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
