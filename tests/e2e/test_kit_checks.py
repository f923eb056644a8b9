"""A kit checks without the course, and says what the course says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.cli.cli import main
from grader.course.course import find_course
from grader.course.misconceptions import apply_misconception
from grader.course.mistake_diff import read_mistakes
from grader.grade.evidence import Outcome
from grader.submission.submission import Submission, read_submission
from tools.kit_on_corpus import Verdicts, graded

pytestmark = pytest.mark.usefixtures("warm_nursery")

TOY = Path(__file__).parents[1] / "toy_course"
STEMS = ("f1_filters", "f2_learned")


@pytest.fixture(scope="module")
def kit(
    once: Callable[[str, Callable[[], str]], str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A kit of the toy course, far from it."""
    folder = tmp_path_factory.mktemp("student") / "kit"

    def released() -> str:
        assert main(["release", "--checks", "--out", str(folder), "--course", str(TOY)]) == 0
        return str(folder)

    return Path(once("kit of the toy course", released))


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
