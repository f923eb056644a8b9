"""`written` in a rubric: questions that a person grades.

written:
  a1.why_scale:
    points: 3
    question: Why are the scores divided by the square root of the head width?

How to mark an answer stands in `reference/guides/<slug>.md`: a rubric is handed out, that is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.follow_through import SLUG
from grader.problem import Trail, did_you_mean, quoted
from grader.schema import Form, number, record, required, table, text
from grader.yaml_source import Place

_TEXT = r"(?s:(?!.*<!--).*\S.*)"
"""An HTML comment in a question would hide what follows it, or look like the place to answer."""


@dataclass(frozen=True)
class Wording:
    """How a hand-out in another language asks a question."""

    text: str
    """Heading and question."""
    placeholder: str
    """What stands where the answer goes."""


@dataclass(frozen=True)
class WrittenItem:
    """One question, and what it is worth."""

    slug: str
    assignment: str
    """The stem of the assignment whose hand-out asks it."""
    points: Fraction
    question: str
    wordings: tuple[Wording, ...] = ()


def _item(slug: str, *, points: Fraction, question: str) -> WrittenItem:
    return WrittenItem(slug, "", points, question.strip())


def written_items() -> Form[dict[str, WrittenItem]]:
    """A table of questions by slug."""
    item = record(
        _item,
        points=required(_points_to_give()),
        question=required(text("a question, without HTML comments", _TEXT)),
    )
    return table("a slug, such as 'a1.why',", SLUG, item, at_least_one="question")


def _points_to_give() -> Form[Fraction]:
    exactly = number()

    def read(at: Place | None) -> Fraction:
        told = len(at.source.problems) if at else 0
        points = exactly(at)
        if at and not points and len(at.source.problems) == told:
            at.problem("expected points > 0: a person has nothing to give here")
        return points

    return read


def located(
    items: Mapping[str, WrittenItem], assignments: Mapping[str, str]
) -> dict[str, WrittenItem]:
    """The same items, each with the stem of its assignment."""
    return {
        slug: replace(item, assignment=assignments.get(slug.partition(".")[0], ""))
        for slug, item in items.items()
    }


def item_problems(
    items: Mapping[str, WrittenItem], assignments: Mapping[str, str], exercises: Collection[str]
) -> Iterator[tuple[Trail, str]]:
    """Every question has an assignment and a slug of its own."""
    for slug in items:
        prefix, dot, _ = slug.partition(".")
        if dot and assignments and prefix not in assignments:
            hint = did_you_mean(prefix, assignments)
            yield ("written", slug), f"unknown assignment {quoted(prefix)}{hint}"
        if slug in exercises:
            yield ("written", slug), f"{quoted(slug)} is an exercise already"


def asked_with(
    items: Mapping[str, WrittenItem], exercises: Mapping[str, str], slugs: Iterable[str]
) -> tuple[WrittenItem, ...]:
    """The questions of assignments all of whose exercises are among `slugs`.

    `exercises` gives each exercise's assignment.
    """
    chosen = set(slugs)
    partly = {stem for slug, stem in exercises.items() if slug not in chosen}
    whole = {exercises[slug] for slug in chosen} - partly
    return tuple(item for item in items.values() if item.assignment in whole)
