"""What `grader new` writes is proven at once, up to its TODOs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from grader.cli import cli
from grader.cli.commands.new import Words, run
from tests.support.validated import validated

pytestmark = pytest.mark.usefixtures("warm_nursery")

Validated = tuple[int, dict[str, Any]]
SLUGS = ["f1.blur", "f1.edges", "f2.learned"]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A function, a class, and a class in an assignment of its own."""
    root = tmp_path_factory.mktemp("new") / "filters"
    run(Words("f1.blur", "box_blur", assignment="f1_filters", begin=root), "a-seed")
    run(Words("f1.edges", "Edges", course_folder=root), "")
    run(Words("f2.learned", "learned", "class", "f2_learning", course_folder=root), "")
    return root


@pytest.fixture(scope="module")
def found(course: Path) -> Validated:
    return validated(course)


def test_nothing_is_missing_but_what_the_todos_say(found: Validated) -> None:
    code, report = found
    messages = [problem["message"] for problem in report["problems"]]

    assert code == 1
    assert len(messages) == 11 + 9 + 11
    assert [message for message in messages if not message.startswith("TODO: ")] == []


def test_every_todo_has_its_place(course: Path, found: Validated) -> None:
    for problem in found[1]["problems"]:
        lines = (course / problem["file"]).read_text(encoding="utf-8").splitlines()
        assert "TODO(" in lines[problem["line"] - 1]


@pytest.mark.parametrize("slug", SLUGS)
def test_the_scaffold_grades(slug: str, found: Validated) -> None:
    (row,) = [row for row in found[1]["exercises"] if row["slug"] == slug]

    assert row["reference"] == row["points"] == "10.00"
    assert row["checks"] == 4
    assert row["killed"] == row["misconceptions"] == row["distinct"] == 4
    assert row["full_marks"] == row["variants"] == 1


def test_without_its_todos_it_is_green(course: Path, tmp_path: Path) -> None:
    done = shutil.copytree(course, tmp_path / "done")
    for path in done.rglob("*"):
        if path.suffix in (".py", ".yaml", ".diff"):
            path.write_text(re.sub(r"TODO\([a-z0-9.]+\): ", "", path.read_text("utf-8")), "utf-8")
    assert cli.main(["stubs", "--course", str(done)]) == 0

    code, report = validated(done, "--write")

    assert report["problems"] == []
    assert code == 0


def test_a_scaffold_that_is_wrong_is_told(course: Path, tmp_path: Path) -> None:
    """The positive control: a check that nobody fails is found between the TODOs."""
    spoilt = shutil.copytree(course, tmp_path / "spoilt")
    suite = spoilt / "tests/suites/f1_filters/test_blur.py"
    suite.write_text(suite.read_text("utf-8").replace("expect.unchanged", "(lambda f, x: f(x))"))

    problems = validated(spoilt, "--exercise", "f1.blur")[1]["problems"]

    assert [p["message"] for p in problems if "TODO" not in p["message"]] != []
