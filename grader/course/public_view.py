"""Write the rubric that students get: another seed, and hidden criteria without names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

import yaml

from grader.course.rubric import Exercise, Rubric, Visibility
from grader.course.yaml_source import LOADER

HIDDEN = "rest"
"""The criterion with the points of all hidden ones of an exercise."""


KEPT = ("course", "seed", "assignments", "exercises", "operators", "written", "feedback")
"""Keys of the file; the others, such as deadlines with their exceptions, are the staff's."""
KEPT_OF_QUESTIONS = ("points", "question")


def public_rubric(text: str, rubric: Rubric, slugs: Collection[str], seed: str) -> str:
    """Return `rubric.yaml` for a kit with these exercises, from its text and what was read of that.

    `seed` takes the place of the course's, from which the inputs of hidden checks are drawn.
    """
    whole: dict[str, Any] = yaml.load(text, Loader=LOADER)
    content = {key: whole[key] for key in KEPT if key in whole}
    content["seed"] = seed
    content["exercises"] = {
        slug: _exercise(whole["exercises"][slug], rubric, slug, slugs)
        for slug in rubric.exercises
        if slug in slugs
    }
    banned = {name for slug in content["exercises"] for name in rubric.exercises[slug].banned}
    if "operators" in content:
        rows = content["operators"].items()
        content["operators"] = {name: each for name, each in rows if name in banned}
    for slug, question in content.get("written", {}).items():
        content["written"][slug] = {key: question[key] for key in KEPT_OF_QUESTIONS}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _exercise(
    content: Mapping[str, Any], rubric: Rubric, slug: str, slugs: Collection[str]
) -> dict[str, Any]:
    exercise = rubric.exercises[slug]
    public = _public(exercise)
    criteria = {name: _with_known(content["criteria"][name], public) for name in public}
    own = exercise.criteria.items()
    rest = sum((one.points for name, one in own if name not in public), Fraction(0))
    if rest:
        criteria[HIDDEN] = {"points": str(rest), "visibility": Visibility.HIDDEN.value}
    known = [
        f"{slug}{end}"
        for slug in slugs
        for end in ("", *(f"/{name}" for name in _public(rubric.exercises[slug])))
    ]
    result = {**_with_known(content, known), "criteria": criteria}
    paid = exercise.follow_through.calls
    for name in [name for name, other in paid.items() if other not in slugs]:
        result["follow_through"] = {k: v for k, v in result["follow_through"].items() if k != name}
    return result


def _with_known(content: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Leave out of `requires` what students do not know of."""
    requires = [name for name in content.get("requires", ()) if name in known]
    rest = {key: value for key, value in content.items() if key != "requires"}
    return {**rest, "requires": requires} if requires else rest


def _public(exercise: Exercise) -> tuple[str, ...]:
    rows = exercise.criteria.values()
    return tuple(one.name for one in rows if one.visibility is Visibility.PUBLIC)
