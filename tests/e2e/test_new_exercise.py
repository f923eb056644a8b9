"""What `grader new` writes grades at once, and what it says of itself holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.commands.new import Words, run
from grader.course import find_course
from tests.support.entries import Points, full_marks, graded, promises_kept


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A function, a class, and a class in an assignment of its own."""
    root = tmp_path_factory.mktemp("new") / "filters"
    run(Words("f1.blur", "box_blur", assignment="f1_filters", begin=root), "a-seed")
    run(Words("f1.edges", "Edges", course=root), "")
    run(Words("f2.learned", "learned", "class", "f2_learning", course=root), "")
    return root


@pytest.fixture(scope="module")
def points(course: Path) -> dict[str, Points]:
    return graded(course)


def test_the_reference_gets_full_marks(course: Path, points: dict[str, Points]) -> None:
    assert points["reference"] == full_marks(find_course(course))


def test_the_stub_gets_nothing(course: Path, points: dict[str, Points]) -> None:
    assert points["stub"] == dict.fromkeys(full_marks(find_course(course)), 0)


def test_every_mistake_and_every_right_way_gets_what_it_says(
    course: Path, points: dict[str, Points]
) -> None:
    assert promises_kept(course, points) == []


def test_every_criterion_is_lost_by_a_mistake(course: Path, points: dict[str, Points]) -> None:
    full = full_marks(find_course(course))
    mistakes = [found for name, found in points.items() if name not in ("reference", "stub")]

    assert [key for key in full if all(found.get(key, full[key]) for found in mistakes)] == []


def test_a_broken_promise_is_found(course: Path, points: dict[str, Points]) -> None:
    """The positive control: the same search, where it must find something."""
    wrong = {**points, "blur.with_exp": points["blur.gate_alone"]}

    assert promises_kept(course, wrong)[0] == "blur.with_exp f1.blur/outputs: 0"
