"""`python -m tests.restyled.unseen`: mistakes in programs that nobody here has written before.

Each program is right, or differs from the hand-out in names alone, and its mistakes were put into
it in its own words. Naming may be tuned on the one half and is measured on the other.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course.course import find_course
from grader.engine.engine import Options
from grader.validate.data import CourseData, read_course
from grader.validate.diagnosis import NamedCauses, Verdict
from tests.restyled.by_hand import Program
from tests.restyled.table import Restyled, said
from tests.restyled.unseen_held_out import HELD_OUT
from tests.restyled.unseen_tuned import TUNED

OF_ANOTHER = "|"
"""Begins the truth of a mistake that the bank of that exercise does not have: no name is right."""


def answers_of(data: CourseData, programs: Sequence[Program]) -> Iterator[Restyled]:
    """The programs, right and with each of their mistakes."""
    for program in programs:
        stem = data.course.rubric.exercises[program.slug].assignment
        yield Restyled(program.style, "", program.slug, stem, program.source)
        for id, text, by in program.mistakes:
            assert program.source.count(text) == 1, (program.style, id)
            wrong = program.source.replace(text, by)
            yield Restyled(program.style, id, program.slug, stem, wrong)


def main() -> int:
    course = find_course(Path(__file__).parent)
    data = read_course(course)
    accused = 0
    for title, programs in (("tuned on", TUNED), ("held out", HELD_OUT)):
        answers = list(answers_of(data, programs))
        rows = said(course, answers, Options(workers=os.cpu_count() or 1))
        print(title)
        for program in programs:
            pairs = zip(answers, rows, strict=True)
            own = [(a, row) for a, row in pairs if a.style == program.style]
            print(f"  {program.slug:20} {program.style:42} {_counted(own)}")
            accused += sum(bool(row.causes) for a, row in own if not a.truth)
    return 1 if accused else 0


def _counted(rows: Sequence[tuple[Restyled, NamedCauses]]) -> str:
    known, other = Counter[Verdict](), 0
    for answer, row in rows:
        if answer.truth.startswith(OF_ANOTHER):
            other += row.verdict is Verdict.WRONG
        elif answer.truth:
            known[row.verdict] += 1
    told = ", ".join(f"{known[verdict]} {verdict}" for verdict in Verdict)
    return f"{told} of {known.total()}; unknown mistakes with a false name: {other}"


if __name__ == "__main__":
    sys.exit(main())
