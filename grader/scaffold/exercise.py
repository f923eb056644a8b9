"""Write the files of a course with one exercise more. Pure: texts in, texts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Literal

from .python_text import with_definition, with_imports
from .rubric_text import add_exercise
from .templates import Templates

RUBRIC = "rubric.yaml"
Kind = Literal["function", "class"]


@dataclass(frozen=True)
class SharedFiles:
    """The files that an exercise shares with others, by their paths from the course's root."""

    reference: str
    blank_answers: str

    @property
    def all(self) -> tuple[str, ...]:
        return RUBRIC, self.reference, self.blank_answers


@dataclass(frozen=True)
class Wish:
    """The exercise that somebody wants to have."""

    slug: str
    target: str
    kind: Kind
    stem: str
    """The stem of the assignment's files: `f1_filters`."""
    folder: str
    """The folder of the exercise's own files, from the course's root."""
    shared: SharedFiles

    @property
    def short(self) -> str:
        """Return the slug without its assignment."""
        return self.slug.partition(".")[2]

    @property
    def words(self) -> dict[str, str]:
        """Return the words that templates are filled in with."""
        return {
            "slug": self.slug,
            "short": self.short,
            "prefix": self.slug.partition(".")[0],
            "target": self.target,
            "stem": self.stem,
            "nn": "from torch import nn\n" if self.kind == "class" else "",
        }

    @property
    def suites(self) -> tuple[str, str]:
        """Return the paths of its hidden and its public suite."""
        folder = f"tests/suites/{self.stem}"
        return f"{folder}/test_{self.short}.py", f"{folder}/public/test_{self.short}.py"


def new_rubric(wish: Wish, templates: Templates, course: str, seed: str) -> str:
    """Return the rubric of a course that consists of this exercise."""
    head = _filled(templates.course["rubric.yaml"], wish, course=course, seed=seed)
    entry = _filled(templates.rubric_entry, wish)
    return head + "".join(f"  {line}" for line in entry.splitlines(keepends=True))


def changed_files(
    wish: Wish, templates: Templates, rubric: str, there: Mapping[str, str]
) -> dict[str, str]:
    """Return path and text of every file that is new or changed, except for the hand-outs.

    `rubric` is the rubric with the exercise in it; `there` holds the files named by `wish.shared`
    that exist. Raises ScaffoldError.
    """
    reference, blank_answers = wish.shared.reference, wish.shared.blank_answers
    may_earn = _filled(templates.course["blank_answers.py"], wish)
    return {
        **({} if blank_answers in there else {blank_answers: may_earn}),
        RUBRIC: rubric,
        reference: _reference(wish, templates, there.get(reference, "")),
        **{f"{wish.folder}/{n}": _filled(text, wish) for n, text in templates.exercise.items()},
        wish.suites[0]: _filled(templates.hidden, wish),
        wish.suites[1]: _filled(templates.public, wish),
    }


def extended_rubric(wish: Wish, templates: Templates, rubric: str, *, new_assignment: bool) -> str:
    """Return the rubric of an existing course with the exercise in it.

    Raises ScaffoldError if it cannot be added.
    """
    return add_exercise(
        rubric,
        slug=wish.slug,
        entry=_filled(templates.rubric_entry, wish),
        assignment=wish.stem if new_assignment else None,
    )


def _reference(wish: Wish, templates: Templates, text: str) -> str:
    head = _filled(templates.course["assignment.py"], wish).rstrip("\n")
    wanted = {"torch": "import torch"}
    if wish.kind == "class":
        wanted["nn"] = "from torch import nn"
    file = wish.shared.reference
    source = with_imports(text or f"{head}\n", wanted, file)
    return with_definition(source, wish.target, _filled(templates.definition, wish), file)


def _filled(text: str, wish: Wish, **more: str) -> str:
    return Template(text).substitute(wish.words, **more)
