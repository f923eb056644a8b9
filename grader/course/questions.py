"""Read `written` in a rubric: questions that a person grades.

written:
  a1.why_scale:
    points: 3
    question: Why are the scores divided by the square root of the head width?

`reference/guides/<slug>.md` says how to mark an answer: students get the rubric, but not that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.course.follow_through import SLUG
from grader.course.mark_schemes import SchemeItem, most_of, scheme
from grader.course.schema import (
    Form,
    above_zero,
    optional,
    record,
    required,
    table,
    text,
)
from grader.text.language import _, marked
from grader.text.points import exact
from grader.text.problem import Trail, did_you_mean, quoted

_TEXT = r"(?s:(?!.*<!--).*\S.*)"
"""An HTML comment in a question would hide what follows it, or look like the place to answer."""


@dataclass(frozen=True)
class Wording:
    """The words in which a hand-out in another language asks a question."""

    text: str
    """Heading and question."""
    placeholder: str
    """The line that stands in the place of the answer."""


@dataclass(frozen=True)
class WrittenItem:
    """One question and its points."""

    slug: str
    assignment: str
    """The stem of the assignment whose hand-out asks it."""
    points: Fraction
    question: str
    wordings: tuple[Wording, ...] = ()
    scheme: tuple[SchemeItem, ...] = ()
    """The items that can be ticked for it; empty if points are entered as a number."""


def _item(
    slug: str, *, points: Fraction, question: str, scheme: tuple[SchemeItem, ...]
) -> WrittenItem:
    return WrittenItem(slug, "", points, question.strip(), scheme=scheme)


def written_items() -> Form[dict[str, WrittenItem]]:
    """Return the form for a table of questions by slug."""
    item = record(
        _item,
        points=required(
            above_zero(marked("expected points > 0: a person has nothing to give here")),
            "The most that a person can give.",
        ),
        question=required(
            text(marked("a question, without HTML comments"), _TEXT),
            "The question as the hand-out asks it, in Markdown.",
        ),
        scheme=optional(
            scheme(), (), "Items that can be ticked in place of entering a number of points."
        ),
    )
    return table(
        marked("a slug, such as 'a1.why', as the key"),
        SLUG,
        item,
        at_least_one=marked("at least one question"),
    )


def located(
    items: Mapping[str, WrittenItem], assignments: Mapping[str, str]
) -> dict[str, WrittenItem]:
    """Return the same items, each with the stem of its assignment."""
    return {
        slug: replace(item, assignment=assignments.get(slug.partition(".")[0], ""))
        for slug, item in items.items()
    }


def item_problems(
    items: Mapping[str, WrittenItem], assignments: Mapping[str, str], exercises: Collection[str]
) -> Iterator[tuple[Trail, str]]:
    """Yield what is wrong with questions: their assignment, their slug, or their mark scheme."""
    for slug, item in items.items():
        if item.scheme and (most := most_of(item.scheme)) < item.points:
            few = _(
                "these items give {most} points in all, and the question has {points}",
                most=exact(most),
                points=exact(item.points),
            )
            yield ("written", slug, "scheme"), few
        prefix, dot, _rest = slug.partition(".")
        if dot and assignments and prefix not in assignments:
            hint = did_you_mean(prefix, assignments)
            unknown = _("unknown assignment {name}{hint}", name=quoted(prefix), hint=hint)
            yield ("written", slug), unknown
        if slug in exercises:
            taken = _("{slug} is an exercise already - choose another slug", slug=quoted(slug))
            yield ("written", slug), taken


def items_of(
    items: Mapping[str, WrittenItem], exercises: Mapping[str, str], slugs: Iterable[str]
) -> tuple[WrittenItem, ...]:
    """Return the questions of assignments all of whose exercises are among `slugs`.

    `exercises` gives each exercise's assignment.
    """
    chosen = set(slugs)
    partly = {stem for slug, stem in exercises.items() if slug not in chosen}
    whole = {exercises[slug] for slug in chosen} - partly
    return tuple(item for item in items.values() if item.assignment in whole)
