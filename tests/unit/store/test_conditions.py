"""A result is used again only if nothing has changed that it depends on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.store.conditions import (
    Conditions,
    changed_suites,
    conditions_of,
    digest_of_inputs,
)
from grader.submission.submission import Submission, read_submission
from grader.text.language import use_language
from tests.unit.samples import submission

TOY = Path(__file__).resolve().parents[2] / "toy_course"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "course"
    shutil.copytree(TOY, made, ignore=shutil.ignore_patterns("__pycache__"))
    return made


def conditions(root: Path, only: tuple[str, ...] = (), isolation: str = "full") -> Conditions:
    return conditions_of(find_course(root), only, isolation)


def changed(before: Conditions, after: Conditions) -> set[str]:
    old, new = asdict(before), asdict(after)
    return {name for name in old if old[name] != new[name]}


def append(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("rubric.yaml", {"points"}),
        ("reference/*.py", {"course"}),
        ("tests/suites/**/test_*.py", {"course"}),
        ("tests/suites/**/public/test_*.py", {"course"}),
    ],
)
def test_a_change_of_the_course_is_noticed(root: Path, pattern: str, names: set[str]) -> None:
    before = conditions(root)
    append(sorted(root.glob(pattern))[0])

    assert changed(before, conditions(root)) == names


def test_a_guide_for_those_who_mark_answers_runs_no_code(root: Path) -> None:
    before = conditions(root)
    (root / "reference" / "guides").mkdir()
    (root / "reference" / "guides" / "t1.why.md").write_text("- root: Names it.\n", "utf-8")

    assert changed(before, conditions(root)) == set()


def test_what_explains_an_exercise_runs_no_code(root: Path) -> None:
    before = conditions(root)
    [path, *_others] = sorted(root.glob("reference/exercises/*/mistakes.diff"))
    (path.parent / "explanations.toml").write_text("# A hint.\n", "utf-8")
    assert changed(before, conditions(root)) == set()

    append(path)
    assert changed(before, conditions(root)) == {"course"}


@dataclass(frozen=True)
class TwoSuites:
    """The suites of two exercises, and what they share."""

    root: Path
    mine: Path
    other: Path
    shared: Path

    def course_changes(self, path: Path) -> bool:
        """Whether a result of the first exercise counts no more once this file has changed."""
        slug = next(iter(find_course(self.root).rubric.exercises))
        before = conditions(self.root, (slug,))
        append(path)
        after = changed(before, conditions(self.root, (slug,)))
        assert after <= {"course"}
        return bool(after)


@pytest.fixture
def two(root: Path) -> TwoSuites:
    course = find_course(root)
    exercises = list(course.rubric.exercises.values())
    mine, other = (course.suite_files(one)[0] for one in (exercises[0], exercises[-1]))
    assert mine.stem != other.stem
    shared = root / "tests" / "suites" / "drawn.py"
    shared.write_text("numbers = 3\n", "utf-8")
    return TwoSuites(root, mine, other, shared)


def test_the_suite_of_an_exercise_that_is_not_graded_is_no_condition(two: TwoSuites) -> None:
    assert not two.course_changes(two.other)
    assert two.course_changes(two.mine)
    assert two.course_changes(two.shared)


def test_a_suite_that_another_one_uses_is_a_condition(two: TwoSuites) -> None:
    two.shared.write_text(f"from .{two.other.parent.name}.{two.other.stem} import Drawn\n", "utf-8")
    assert two.course_changes(two.other)


def test_it_is_known_of_which_exercise_a_suite_has_changed(two: TwoSuites) -> None:
    before = conditions(two.root)
    slugs = [*find_course(two.root).rubric.exercises]
    assert changed_suites(before, conditions(two.root)) == frozenset()

    append(two.other)
    assert changed_suites(before, conditions(two.root)) == {slugs[-1]}

    append(two.root / "rubric.yaml")
    append(two.mine)
    assert changed_suites(before, conditions(two.root)) == {slugs[0], slugs[-1]}


@pytest.mark.parametrize("pattern", ["reference/*.py", "reference/exercises/*/mistakes.diff"])
def test_what_all_exercises_may_see_is_a_change_of_all(two: TwoSuites, pattern: str) -> None:
    before = conditions(two.root)
    append(two.mine)
    append(sorted(two.root.glob(pattern))[0])
    assert changed_suites(before, conditions(two.root)) == frozenset()


def test_what_a_suite_uses_of_another_one_is_part_of_it(two: TwoSuites) -> None:
    append(two.mine)
    with two.mine.open("a", encoding="utf-8") as suite:
        suite.write(f"from .{two.other.stem} import Drawn\n")
    slugs = [*find_course(two.root).rubric.exercises]
    before = conditions(two.root)
    append(two.other)
    assert changed_suites(before, conditions(two.root)) == {slugs[0], slugs[-1]}


@pytest.mark.parametrize("name", ["kill_record.json", "small_calls.py"])
def test_what_lies_beside_its_suites_belongs_to_its_exercise(two: TwoSuites, name: str) -> None:
    path = sorted(two.root.glob("reference/exercises/*/kill_record.json"))[0].with_name(name)
    path.touch()
    before = conditions(two.root)
    append(path)
    assert changed_suites(before, conditions(two.root)) == {path.parent.name}


def test_a_copy_of_the_course_elsewhere_is_the_same_course(root: Path, tmp_path: Path) -> None:
    before = conditions(root)
    other = tmp_path / "moved"
    root.rename(other)
    cache = other / "reference" / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "x.pyc").write_bytes(b"1")

    assert conditions(other) == before


def test_exercises_tier_and_language_are_conditions(root: Path) -> None:
    every = conditions(root)
    slugs = tuple(find_course(root).rubric.exercises)
    assert conditions(root, slugs) == every
    assert changed(every, conditions(root, slugs[:1])) == {"course", "exercises"}
    assert changed(every, conditions(root, isolation="none")) == {"isolation"}
    use_language("ko")
    try:
        assert changed(every, conditions(root)) == {"language"}
    finally:
        use_language("en")


def test_what_computes_is_named(root: Path) -> None:
    libraries = conditions(root).libraries
    assert [part.split()[0] for part in libraries.split(", ")] == [
        "python",
        "torch",
        "numpy",
        "einops",
    ]
    assert "missing" not in libraries


ONE = submission(files={"a.py": b"1", "b.py": b"2"})


@pytest.mark.parametrize(
    "change",
    [
        lambda one: replace(one, digest="other"),
        lambda one: replace(one, answers={"answers.md": b"Because."}),
        lambda one: replace(one, skipped=("b.c: not read",)),
        lambda one: replace(one, set_aside=("torch.py: set aside",)),
        lambda one: replace(one, modified={"a.py": 2.0, "b.py": 1.0}),
    ],
)
def test_other_inputs_have_another_digest(change: Callable[[Submission], Submission]) -> None:
    assert digest_of_inputs(change(ONE)) != digest_of_inputs(ONE)


def test_a_copy_of_a_submission_is_the_same_submission(tmp_path: Path) -> None:
    def handed_in(name: str) -> Submission:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.py").write_text("x = 1\n", encoding="utf-8")
        return read_submission(folder, "student-001")

    assert digest_of_inputs(handed_in("first")) == digest_of_inputs(handed_in("second"))
    later = replace(ONE, modified={"a.py": 10.0, "b.py": 20.0})
    assert digest_of_inputs(later) == digest_of_inputs(
        replace(ONE, modified={"a.py": 1.0, "b.py": 2.0})
    )
