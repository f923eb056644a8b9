"""State the form of `rubric.yaml`: its keys, what may stand there, and what each means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grader.course.attempts import AttemptRule
from grader.course.feedback import Feedback, feedback
from grader.course.follow_through import FollowThrough, follow_through
from grader.course.late import late_policy
from grader.course.questions import located, written_items
from grader.course.rubric import Criterion, Exercise, Rubric, Scoring, Visibility
from grader.course.schema import (
    Described,
    choice,
    flag,
    listing,
    number,
    optional,
    record,
    required,
    table,
    text,
)
from grader.course.totals import totals_rules
from grader.text.language import marked

WORD = r"[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*"
_PREFIX = r"[a-z][a-z0-9]*"
_SLUG = rf"{_PREFIX}\.[a-z][a-z0-9_]*"
_IDENTIFIER = r"[^\W\d]\w*"
_DOTTED = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*"


def is_slug(word: str) -> bool:
    """Tell whether a word can be the slug of an exercise.

    >>> is_slug("a1.sums"), is_slug("a1"), is_slug("A1.Sums")
    (True, False, False)
    """
    return re.fullmatch(_SLUG, word) is not None


def _exercise(slug: str, **values: Any) -> Exercise:
    return Exercise(slug=slug, assignment="", **values)


def _rubric(_name: str, *, exercises: Mapping[str, Exercise], **values: Any) -> Rubric:
    assignments = values["assignments"]
    values["written"] = located(values["written"], assignments)
    placed = {
        slug: replace(exercise, assignment=assignments.get(slug.partition(".")[0], ""))
        for slug, exercise in exercises.items()
    }
    return Rubric(exercises=placed, **values)


_CRITERION = record(
    Criterion,
    points=required(number(), "What the criterion is worth."),
    visibility=required(
        choice(Visibility),
        "Who sees its checks: everybody, nobody before the work is handed in, or everybody once "
        "the deadline is over.",
    ),
    scoring=optional(
        choice(Scoring),
        Scoring.PARTIAL,
        "Whether each check earns its share, or only all of them together earn anything.",
    ),
    requires=optional(
        listing(text(marked("the name of a criterion, such as 'shapes'"), WORD)),
        (),
        "Criteria of the same exercise without which this one is not counted.",
    ),
)
_EXERCISE = record(
    _exercise,
    targets=required(
        listing(
            text(marked("the name of a function or class"), _IDENTIFIER),
            at_least_one=marked("at least one target"),
        ),
        "The functions and classes that students write.",
    ),
    criteria=required(
        table(
            marked("a criterion's name, such as 'shapes', as the key"),
            WORD,
            _CRITERION,
            at_least_one=marked("at least one criterion"),
        ),
        "What earns points. The class `TestShapes` of the suite belongs to `shapes`.",
    ),
    requires=optional(
        listing(
            text(
                marked("an exercise or exercise/criterion, such as 'a1.sums'"),
                rf"{_SLUG}(?:/{WORD})?",
            )
        ),
        (),
        "Other exercises or criteria that have to pass first; else this one waits.",
    ),
    banned=optional(
        listing(text(marked("a dotted name, such as 'torch.sum'"), _DOTTED)),
        (),
        "What the targets, and whatever they call, may not use.",
    ),
    no_loops=optional(
        listing(text(marked("the name of a target"), _IDENTIFIER)),
        (),
        "Targets that, with whatever they call, may not loop in Python.",
    ),
    follow_through=optional(
        follow_through(),
        FollowThrough(),
        "Where a mistake in what is used here has cost its points already.",
    ),
)
_RUBRIC = record(
    _rubric,
    course=required(text(marked("text")), "The name of the course."),
    seed=required(
        text(marked("text")),
        "Fresh checks draw their inputs from it. Keep it secret where you grade for marks.",
    ),
    assignments=required(
        table(
            marked("a slug prefix, such as 'a1', as the key"),
            _PREFIX,
            text(marked("the stem of the assignment's files, such as 'a1_sums'"), _IDENTIFIER),
            at_least_one=marked("at least one assignment"),
        ),
        "The file of each assignment, without its ending, by the beginning of its slugs.",
    ),
    exercises=required(
        table(
            marked("a slug, such as 'a1.sums', as the key"),
            _SLUG,
            _EXERCISE,
            at_least_one=marked("at least one exercise"),
        ),
        "The exercises, in the order in which reports show them.",
    ),
    operators=optional(
        table(
            marked("a dotted name that is banned, such as 'torch.sum', as the key"),
            _DOTTED,
            listing(text(marked("an operator of torch, such as 'aten::sum'"), r"\w+::\w+")),
            at_least_one=marked("at least one name"),
        ),
        {},
        "The operators of torch that run for a banned name, however it was called.",
    ),
    written=optional(written_items(), {}, "Questions that a person grades."),
    name_hidden_checks=optional(
        flag(), False, "Whether reports to students may name hidden checks, one by one."
    ),
    late=optional(late_policy(), None, "The deadlines, and what it costs to miss one."),
    totals=optional(
        totals_rules(), None, "The lowest that is left out, bonuses, and caps on totals."
    ),
    feedback=optional(
        feedback(), Feedback(), "What a student has to find out before a report says it."
    ),
    rests_on=optional(
        table(
            marked("a criterion's name, such as 'shapes', as the key"),
            WORD,
            listing(text(marked("the name of a criterion, such as 'shapes'"), WORD)),
            at_least_one=marked("at least one criterion"),
        ),
        {},
        "By criterion, those that earn nothing in an exercise where every check of it fails.",
    ),
    attempts=optional(
        choice(AttemptRule), None, "Which counts of several hand-ins of one student."
    ),
)


def rubric_form() -> Described[Rubric]:
    """Return the form of `rubric.yaml`, of which its page of reference is made."""
    return _RUBRIC
