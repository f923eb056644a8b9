"""Whole courses solved in other right ways: for each definition one of its right answers, drawn."""

from __future__ import annotations

import ast
import random
import textwrap
from collections import defaultdict
from collections.abc import Iterator

from grader.course.course import Course
from grader.course.misconceptions import ALL, Variant
from grader.course.whole_definitions import read_variants

ONLY_ALONE = {
    "generate.room_prepared": "reads the model at the last of all places, and one that is given "
    "new tokens alone has fewer",
    "sdpa.scale_as_a_tensor": "makes its mask on the CPU, wherever its arguments are",
}
"""Right answers that another exercise cannot build on, and why."""


def solved_otherwise(course: Course, seed: int) -> dict[str, str]:
    """Return the text of each assignment, by stem."""
    draw = random.Random(seed)
    return {stem: _text(course, stem, draw) for stem in course.rubric.assignments.values()}


def _text(course: Course, stem: str, draw: random.Random) -> str:
    text = (course.paths.reference / f"{stem}.py").read_text(encoding="utf-8")
    by_definition = defaultdict(list)
    for variant in _variants(course, stem):
        by_definition[variant.target.partition(".")[0]].append(variant)
    names = _names(text)
    for definition in sorted(by_definition):
        variant = draw.choice(by_definition[definition])
        helpers = _names(variant.source) - {definition, variant.target.rpartition(".")[2]}
        if not helpers & names:  # two of one name would get in each other's way
            names |= helpers
            text = _replaced(text, variant)
    return text


def _variants(course: Course, stem: str) -> Iterator[Variant]:
    for slug, exercise in course.rubric.exercises.items():
        if exercise.assignment == stem:
            variants, _origin = read_variants(course.paths, slug)
            yield from (v for v in variants if v.earns == ALL and v.id not in ONLY_ALONE)


def _names(text: str) -> set[str]:
    return {getattr(node, "name", "") for node in ast.parse(text).body} - {""}


def _replaced(text: str, variant: Variant) -> str:
    body, code = ast.parse(text).body, variant.source
    for depth, name in enumerate(variant.target.split(".")):
        node = next(one for one in body if getattr(one, "name", None) == name)
        body = getattr(node, "body", [])
        code = textwrap.indent(code, "    ") if depth else code
    decorators = getattr(node, "decorator_list", [])
    first = min(one.lineno for one in (node, *decorators))
    lines = text.split("\n")
    return "\n".join([*lines[: first - 1], *code.split("\n"), *lines[node.end_lineno :]])
