"""Draw pairs of known mistakes and put both into one answer."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ..course.misconceptions import Misconception, MisconceptionError, Origin, apply_misconception
from .data import CourseData
from .trials import Kind, ValidationTrial

PAIRS = 50
AND = " and "


def pairs_of(data: CourseData, count: int) -> Iterator[ValidationTrial]:
    """Yield answers with two mistakes in one exercise, drawn from all that fit together.

    Each exercise gives about as many.
    """
    draw = random.Random("pairs")
    waiting = [_shuffled(data, slug, draw) for slug in data.slugs]
    made = 0
    while waiting and made < count:
        for pairs in list(waiting):
            pair = next(pairs, None)
            if pair is None:
                waiting.remove(pairs)
            elif made < count:
                made += 1
                yield pair


def _shuffled(data: CourseData, slug: str, draw: random.Random) -> Iterator[ValidationTrial]:
    own = [each for each in data.misconceptions if slug in each.slugs]
    stem = data.course.rubric.exercises[slug].assignment
    own = [each for each in own if each.stem == stem]
    pairs = [(one, other) for i, one in enumerate(own) for other in own[i + 1 :]]
    draw.shuffle(pairs)
    for one, other in pairs:
        assert isinstance(other.entry, Misconception)
        try:
            source = apply_misconception(one.source, other.entry, Origin(other.place, {}))
        except MisconceptionError:
            continue  # both stand in the same place
        yield ValidationTrial(
            f"{one.entry.id}{AND}{other.entry.id}", Kind.MISCONCEPTION, (slug,), {stem: source}
        )
