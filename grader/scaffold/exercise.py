"""The files of a course with one exercise more. Pure: texts in, texts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from . import templates
from .python_text import with_definition, with_entries, with_imports
from .rubric_text import add_exercise

RUBRIC = "rubric.yaml"
BLANK_ANSWERS = "reference/blank_answers.py"
Kind = Literal["function", "class"]


@dataclass(frozen=True)
class Wish:
    """The exercise that somebody wants to have."""

    slug: str
    target: str
    kind: Kind
    stem: str
    """The assignment's files: `f1_filters`."""

    @property
    def short(self) -> str:
        """The slug without its assignment."""
        return self.slug.partition(".")[2]

    @property
    def words(self) -> dict[str, str]:
        """What templates are filled in with."""
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
        """Its hidden and its public suite."""
        folder = f"tests/suites/{self.stem}"
        return f"{folder}/test_{self.short}.py", f"{folder}/public/test_{self.short}.py"

    @property
    def edited(self) -> tuple[str, ...]:
        """The files that it shares with others, as far as they are there."""
        names = ("", "misconceptions/", "variants/")
        own = (f"reference/{folder}{self.stem}.py" for folder in names)
        return (RUBRIC, *own, BLANK_ANSWERS)


def new_rubric(wish: Wish, course: str, seed: str) -> str:
    """The rubric of a course that consists of this exercise."""
    head = templates.RUBRIC_HEAD.substitute(wish.words, course=course, seed=seed)
    entry = templates.RUBRIC_ENTRY.substitute(wish.words)
    return head + "".join(f"  {line}" for line in entry.splitlines(keepends=True))


def changed_files(wish: Wish, rubric: str, there: Mapping[str, str]) -> dict[str, str]:
    """Path and text of every file that is new or no longer the same, but for the hand-outs.

    `rubric` is the rubric with the exercise in it; `there` holds the files named by `wish.edited`
    that exist. Raises ScaffoldError.
    """
    _, reference, misconceptions, variants, _ = wish.edited
    is_class = wish.kind == "class"
    hidden, public = (
        (templates.HIDDEN_CLASS, templates.PUBLIC_CLASS)
        if is_class
        else (templates.HIDDEN_FUNCTION, templates.PUBLIC_FUNCTION)
    )
    blank_answers = {} if BLANK_ANSWERS in there else {BLANK_ANSWERS: templates.BLANK_ANSWERS}
    return {
        **blank_answers,
        RUBRIC: rubric,
        reference: _reference(wish, there.get(reference, ""), reference),
        misconceptions: _entries(wish, misconceptions, there, "MISCONCEPTIONS"),
        variants: _entries(wish, variants, there, "VARIANTS"),
        wish.suites[0]: hidden.substitute(wish.words),
        wish.suites[1]: public.substitute(wish.words),
    }


def extended_rubric(wish: Wish, rubric: str, *, new_assignment: bool) -> str:
    """The rubric of an existing course with the exercise in it. Raises ScaffoldError."""
    return add_exercise(
        rubric,
        slug=wish.slug,
        entry=templates.RUBRIC_ENTRY.substitute(wish.words),
        assignment=wish.stem if new_assignment else None,
    )


def _reference(wish: Wish, text: str, file: str) -> str:
    template = templates.CLASS if wish.kind == "class" else templates.FUNCTION
    head = templates.REFERENCE_HEAD.substitute(wish.words).rstrip("\n")
    wanted = {"torch": "import torch"}
    if wish.kind == "class":
        wanted["nn"] = "from torch import nn"
    source = with_imports(text or f"{head}\n", wanted, file)
    return with_definition(source, wish.target, template.substitute(wish.words), file)


def _entries(wish: Wish, file: str, there: Mapping[str, str], variable: str) -> str:
    head, for_function, for_class = templates.ENTRIES[variable]
    entries = for_class if wish.kind == "class" else for_function
    name = variable.removesuffix("S").capitalize()
    source = there.get(file) or head.substitute(wish.words)
    source = with_imports(source, {name: f"from grader.misconceptions import {name}"}, file)
    own = f"_{wish.short.upper()}"
    return with_entries(source, variable, entries.substitute(wish.words), own, file)
