"""Name every file of a course's reference: per assignment, per exercise, and common to all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ASSIGNMENTS = "assignments"
"""The folder of the hand-outs, in a course and in a kit."""
DATA = "data"
"""The folder in it with the files that notebooks read."""


@dataclass(frozen=True)
class CoursePaths:
    """The files of the course at `root`, even if they do not exist."""

    root: Path

    @property
    def reference(self) -> Path:
        """Return the folder of all that only the authors of a course see, but for the suites."""
        return self.root / "reference"

    @property
    def suites(self) -> Path:
        """Return the folder of the suites, with all that they share."""
        return self.root / "tests" / "suites"

    @property
    def mistakes(self) -> Path:
        """Return the folder of what exercises share: mistakes, families of edits, words."""
        return self.reference / "mistakes"

    @property
    def families(self) -> Path:
        """Return the edits that fit several exercises."""
        return self.mistakes / "families.diff"

    @property
    def criteria(self) -> Path:
        """Return the first hint of each criterion."""
        return self.mistakes / "criteria.toml"

    @property
    def observations(self) -> Path:
        """Return the explanations of what is seen where no mistake is known."""
        return self.mistakes / "observations.toml"

    @property
    def shared_causes(self) -> Path:
        """Return the explanations that mistakes of several exercises share."""
        return self.mistakes / "shared.toml"

    @property
    def places(self) -> Path:
        """Return the patterns of code in which mistakes sit."""
        return self.mistakes / "places.toml"

    @property
    def blank_answers(self) -> Path:
        """Return the answers without any understanding, and what each may earn."""
        return self.reference / "blank_answers.py"

    @property
    def exercises(self) -> Path:
        """Return the folder with a folder for each exercise."""
        return self.reference / "exercises"

    @property
    def roles(self) -> Path:
        """Return the names and layouts by which parameters are found."""
        return self.reference / "roles.py"

    @property
    def diagnosis(self) -> Path:
        """Return what the course knows about its subject, for diagnosis."""
        return self.reference / "diagnosis.py"

    @property
    def equal_edits(self) -> Path:
        """Return the edits of the reference that are no mistakes."""
        return self.reference / "equal_edits.toml"

    @property
    def recording(self) -> Path:
        """Return the recorded answers, which a student's kit has in place of the reference."""
        return self.reference / "recorded.json.gz"

    def known_runs(self, language: str) -> Path:
        """Return what the grader keeps between runs of what checks see of known mistakes."""
        return self.reference / "__pycache__" / f"known_runs.{language}.sqlite"

    @property
    def axis_words(self) -> Path:
        """Return the words for places along axes, for what is said of small calls."""
        return self.reference / "axis_words.py"

    @property
    def notebooks(self) -> Path:
        """Return the list of notebooks that the course was made from."""
        return self.reference / "notebooks.py"

    @property
    def demos(self) -> Path:
        """Return the folder with the demos that notebooks end with, by assignment."""
        return self.reference / "demos"

    @property
    def lectures(self) -> Path:
        """Return the folder with the text that notebooks have beside that of the hand-outs."""
        return self.reference / "lectures"

    def solution(self, stem: str) -> Path:
        """Return the worked solution of an assignment."""
        return self.reference / f"{stem}.py"

    def guide(self, slug: str) -> Path:
        """Return the guide for marking a written answer."""
        return self.reference / "guides" / f"{slug}.md"

    def exercise(self, slug: str) -> ExercisePaths:
        """Return the files of an exercise."""
        return ExercisePaths(self.exercises / slug)

    def all_exercises(self) -> tuple[ExercisePaths, ...]:
        """Return the files of every exercise that has a folder, sorted by slug."""
        return tuple(ExercisePaths(path) for path in sorted(self.exercises.glob("*/")))

    @property
    def explains(self) -> bool:
        """Tell whether this copy of the course explains mistakes: a student's copy does not."""
        own = (exercise.explanations for exercise in self.all_exercises())
        return self.mistakes.is_dir() or any(path.is_file() for path in own)

    def shown(self, path: Path) -> str:
        """Return a path as messages show it: from the course's root."""
        return path.relative_to(self.root).as_posix()


@dataclass(frozen=True)
class ExercisePaths:
    """The files of one exercise, even if they do not exist."""

    folder: Path

    @property
    def slug(self) -> str:
        return self.folder.name

    @property
    def mistakes(self) -> Path:
        """Return the mistakes that people make in it."""
        return self.folder / "mistakes.diff"

    @property
    def variants(self) -> Path:
        """Return other right ways to write it."""
        return self.folder / "variants.py"

    @property
    def blank_answers(self) -> Path:
        """Return answers without any understanding, beyond those made for every exercise."""
        return self.folder / "blank_answers.py"

    @property
    def explanations(self) -> Path:
        """Return the words about the exercise, and about some of its mistakes."""
        return self.folder / "explanations.toml"

    @property
    def kill_record(self) -> Path:
        """Return the generated record of who fails which check."""
        return self.folder / "kill_record.json"

    @property
    def small_calls(self) -> Path:
        """Return the small calls of its targets among which a counterexample is looked for."""
        return self.folder / "small_calls.py"
