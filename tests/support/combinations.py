"""Typical mistakes of a course, combined over several assignments as students combine them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from grader.course.course import Course
from grader.course.misconceptions import Misconception, Origin, apply_misconception
from grader.course.mistake_diff import mistakes_of_assignment
from grader.submission.submission import Submission, digest_of

STEMS = (
    ("a1_attention", "a2_masking"),
    ("a2_masking", "a3_multi_head"),
    ("a1_attention", "a2_masking", "a3_multi_head"),
    ("a2_masking", "a3_multi_head", "a4_vit"),
    ("a1_attention", "a2_masking", "a3_multi_head", "a5_decoder"),
)
"""Each with what its files import."""
SEED = 8
Known = Sequence[tuple[str, Misconception, Origin]]
"""Mistakes, each with the stem of its assignment before it."""


def combinations(course: Course, count: int) -> Iterator[Submission]:
    """Submissions of several assignments, right but for some mistakes of the course's list; one of
    these at least stands in what other exercises are built on."""
    draw = random.Random(SEED)
    known = {stem: _known(course, stem) for stem in {*sum(STEMS, ())}}
    calls = (exercise.follow_through.calls for exercise in course.rubric.exercises.values())
    used = {name for names in calls for name in names}
    for number in range(count):
        stems = STEMS[number % len(STEMS)]
        first = [one for stem in stems for one in known[stem] if _name(one[1]) in used]
        chosen = [draw.choice(first), *(draw.choice(known[stem]) for stem in stems)]
        yield _made(course, f"combination-{number:02}", stems, chosen)


def _known(course: Course, stem: str) -> Known:
    found = mistakes_of_assignment(course.paths, stem)
    return [(stem, e, each.origin) for each in found for e in each.entries if e.mistakes]


def _name(entry: Misconception) -> str:
    return entry.target.partition(".")[0]


def _made(course: Course, name: str, stems: Sequence[str], chosen: Known) -> Submission:
    texts = {stem: course.reference(stem).read_text(encoding="utf-8") for stem in stems}
    wrong: dict[str, str] = {}
    for stem, entry, origin in chosen:
        target = _name(entry)
        if target in wrong:  # two edits of one place do not fit each other
            continue
        texts[stem] = apply_misconception(texts[stem], entry, origin)
        wrong[target] = entry.id
    files = {f"{stem}.py": text.encode() for stem, text in texts.items()}
    return Submission(name, files, digest_of(files), f"{name} ({', '.join(wrong.values())})")
