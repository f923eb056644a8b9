"""Known mistakes in other people's words: are they still named, and nothing that is not there?"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.course.course import Course
from grader.course.rubric import POLICY
from grader.engine.engine import Options
from grader.validate.data import CourseData, Edited, read_course
from grader.validate.diagnosis import NamedCauses, Verdict, graded_for_real, named_causes
from grader.validate.trials import Kind, ValidationTrial, kills
from tests.restyled.by_hand import PROGRAMS
from tests.restyled.styles import STYLES, restyled

EACH = 14
"""So many mistakes are written in each style of `STYLES`."""
NOT_FOR = {"renamed": ("SelfAttentionV1", "SelfAttentionV2")}
"""Style -> definitions that it breaks: `copy_v2_to_v1` goes by the names of their parameters."""
UNMADE = {"where": "tilde_on_numbers"}
"""Style -> mistakes that it makes others of: `~` refuses numbers, and `logical_not` takes them."""


@dataclass(frozen=True)
class Restyled:
    """A mistake in another style, or a right program in it, whose `truth` is empty."""

    style: str
    truth: str
    slug: str
    stem: str
    source: str

    @property
    def id(self) -> str:
        return f"{self.truth or 'right'} in {self.slug}, {self.style}"


def by_machine(data: CourseData, each: int = EACH) -> Iterator[Restyled]:
    """For each style so many mistakes, drawn from those that it changes, and the reference."""
    for name, style in STYLES.items():
        draw = random.Random(name)
        chosen = list(data.misconceptions)
        draw.shuffle(chosen)
        found = 0
        controls: set[tuple[str, str]] = set()
        for mistake in chosen:
            definition = mistake.entry.target.partition(".")[0]
            source = restyled(mistake.source, [definition], style)
            slug = next((s for s in data.slugs if _asks_for(data, s, definition)), "")
            if definition in NOT_FOR.get(name, ()) or UNMADE.get(name) in mistake.entry.mistakes:
                continue
            if found >= each or source == mistake.source or not slug or _breaks_a_rule(mistake):
                continue
            found += 1
            yield Restyled(name, mistake.entry.id, slug, mistake.stem, source)
            if (slug, definition) not in controls:
                controls.add((slug, definition))
                right = restyled(data.references[mistake.stem], [definition], style)
                yield Restyled(f"{name} of {definition}", "", slug, mistake.stem, right)


def _breaks_a_rule(mistake: Edited) -> bool:
    """That is read in the text, and nothing to diagnose."""
    return any(criterion == POLICY for _, criterion in mistake.named)


def _asks_for(data: CourseData, slug: str, definition: str) -> bool:
    return definition in data.course.rubric.exercises[slug].targets


def by_hand(data: CourseData) -> Iterator[Restyled]:
    """The programs of `by_hand`, right and spoilt."""
    for program in PROGRAMS:
        if program.slug not in data.slugs:
            continue
        stem = data.course.rubric.exercises[program.slug].assignment
        yield Restyled(program.style, "", program.slug, stem, program.source)
        for id, text, by in program.mistakes:
            assert program.source.count(text) == 1, (program.style, id)
            yield Restyled(program.style, id, program.slug, stem, program.source.replace(text, by))


def said(course: Course, answers: Sequence[Restyled], options: Options) -> list[NamedCauses]:
    """What is said of each, in order."""
    data = read_course(course)
    trials = [
        ValidationTrial(answer.id, Kind.MISCONCEPTION, (answer.slug,), {answer.stem: answer.source})
        for answer in answers
    ]
    slugs = tuple(dict.fromkeys(answer.slug for answer in answers))
    results = graded_for_real(replace(data, slugs=slugs), trials, options)
    known = {each.entry.id for each in data.misconceptions}
    rows = []
    for answer in answers:
        failed = [o for o in results[answer.id].observations if kills(o)]
        truths = {answer.truth} if answer.truth else set()
        rows.append(named_causes(answer.id, answer.slug, failed, truths, known))
    return rows


def summary(rows: Iterable[NamedCauses]) -> dict[Verdict, int]:
    rows = list(rows)
    return {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
