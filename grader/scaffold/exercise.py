"""The files of a course with one exercise more. Pure: texts in, texts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Literal

from . import class_example, function_example, heads
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


@dataclass(frozen=True)
class Entries:
    """Entries for one of a module's tuples."""

    kind: str
    variable: str
    text: Template


def new_rubric(wish: Wish, course: str, seed: str) -> str:
    """The rubric of a course that consists of this exercise."""
    head = heads.RUBRIC_HEAD.substitute(wish.words, course=course, seed=seed)
    entry = heads.RUBRIC_ENTRY.substitute(wish.words)
    return head + "".join(f"  {line}" for line in entry.splitlines(keepends=True))


def changed_files(wish: Wish, rubric: str, there: Mapping[str, str]) -> dict[str, str]:
    """Path and text of every file that is new or no longer the same, but for the hand-outs.

    `rubric` is the rubric with the exercise in it; `there` holds the files named by `wish.edited`
    that exist. Raises ScaffoldError.
    """
    _, reference, misconceptions, variants, _ = wish.edited
    example = class_example if wish.kind == "class" else function_example
    blank_answers = {} if BLANK_ANSWERS in there else {BLANK_ANSWERS: heads.BLANK_ANSWERS}
    return {
        **blank_answers,
        RUBRIC: rubric,
        reference: _reference(wish, example.DEFINITION, there.get(reference, ""), reference),
        misconceptions: _entries(
            wish,
            there.get(misconceptions) or heads.MISCONCEPTIONS_HEAD.substitute(wish.words),
            Entries("Misconception", "MISCONCEPTIONS", example.MISCONCEPTIONS),
            misconceptions,
        ),
        variants: _entries(
            wish,
            there.get(variants) or heads.VARIANTS_HEAD.substitute(wish.words),
            Entries("Variant", "VARIANTS", example.VARIANTS),
            variants,
        ),
        wish.suites[0]: example.HIDDEN.substitute(wish.words),
        wish.suites[1]: example.PUBLIC.substitute(wish.words),
    }


def extended_rubric(wish: Wish, rubric: str, *, new_assignment: bool) -> str:
    """The rubric of an existing course with the exercise in it. Raises ScaffoldError."""
    return add_exercise(
        rubric,
        slug=wish.slug,
        entry=heads.RUBRIC_ENTRY.substitute(wish.words),
        assignment=wish.stem if new_assignment else None,
    )


def _reference(wish: Wish, definition: Template, text: str, file: str) -> str:
    head = heads.REFERENCE_HEAD.substitute(wish.words).rstrip("\n")
    wanted = {"torch": "import torch"}
    if wish.kind == "class":
        wanted["nn"] = "from torch import nn"
    source = with_imports(text or f"{head}\n", wanted, file)
    return with_definition(source, wish.target, definition.substitute(wish.words), file)


def _entries(wish: Wish, source: str, entries: Entries, file: str) -> str:
    wanted = {entries.kind: f"from grader.misconceptions import {entries.kind}"}
    source = with_imports(source, wanted, file)
    own = f"_{wish.short.upper()}"
    text = entries.text.substitute(wish.words)
    return with_entries(source, entries.variable, text, own, file)
