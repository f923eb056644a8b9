"""The classes of course notebooks get the causes of the mistakes that are in them, and no others.

Each class for which a cause is stated is graded as it stands; all of them, with every selection of
their mistakes, with GRADER_EVERY_WAY=1.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.course.course import Course, find_course
from grader.course.scope import Scope
from grader.engine.engine import Engine, Options
from grader.submission.submission import read_submission
from tests.support.notebook_classes import NotebookClass, notebook_classes, solved_beside

CLASSES = {one.name: one for one in notebook_classes()}
EVERY_WAY = bool(os.environ.get("GRADER_EVERY_WAY"))
CASES = [
    (one.name, selection)
    for one in CLASSES.values()
    for selection in one.selections()
    if EVERY_WAY or (selection == one.as_it_stands and one.named[selection])
]

pytestmark = pytest.mark.usefixtures("warm_nursery")


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], set[str]]:
    """The causes that are named for each case, graded in one run on its own exercise."""
    course = find_course(Path(__file__).parent)
    folder = tmp_path_factory.mktemp("classes")
    submissions, scopes = [], {}
    for number, (name, selection) in enumerate(CASES):
        own = written(CLASSES[name], selection, course, folder / str(number))
        submissions.append(read_submission(own, id=str(number)))
        scopes[str(number)] = Scope(only=(CLASSES[name].exercise,))
    with Engine(course, Options(workers=1)) as engine:
        results = list(engine.grade(submissions, scopes))
    return {
        CASES[int(result.submission.id)]: {
            cause.id
            for seen in result.observations
            for cause in (seen.cause, *seen.also)
            if cause is not None and not cause.is_observation
        }
        for result in results
    }


def written(one: NotebookClass, selection: str, course: Course, folder: Path) -> Path:
    folder.mkdir()
    files = solved_beside(one.written(selection), one.exercise, course)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("name", "selection"), CASES)
def test_the_causes_of_its_mistakes_are_named(
    name: str, selection: str, named: dict[tuple[str, str], set[str]]
) -> None:
    assert named[name, selection] == set(CLASSES[name].named[selection])


@pytest.mark.parametrize("name", CLASSES)
def test_every_selection_is_stated(name: str) -> None:
    assert list(CLASSES[name].named) == list(CLASSES[name].selections())
