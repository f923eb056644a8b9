"""`make restyled`: what is said of known mistakes in other people's words."""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from pathlib import Path

from grader.course.course import find_course
from grader.engine.engine import Options
from grader.validate.data import read_course
from grader.validate.diagnosis import NamedCauses, Verdict
from tests.restyled.table import by_hand, by_machine, said, summary

TARGET = Fraction(90, 100)


def main() -> int:
    course = find_course(Path(__file__).parent)
    data = read_course(course)
    answers = [*by_hand(data), *by_machine(data)]
    rows = said(course, answers, Options(workers=os.cpu_count() or 1))
    mistakes = [(a, row) for a, row in zip(answers, rows, strict=True) if a.truth]
    right = [(a, row) for a, row in zip(answers, rows, strict=True) if not a.truth]
    for style in dict.fromkeys(answer.style for answer, _ in mistakes):
        own = [row for answer, row in mistakes if answer.style == style]
        print(f"{style:28} {len(own):4} mistakes: {_told(own)}")
    for answer, row in mistakes:
        if row.verdict is not Verdict.NAMED:
            print(f"  {row.verdict:7} {answer.id}: {', '.join(row.causes) or row.observed}")
    spoilt = [(answer, row) for answer, row in right if row.observed or row.causes]
    for answer, row in spoilt:
        print(f"  not right  {answer.id}: {row.observed}")
    found = summary(row for _, row in mistakes)
    share = Fraction(found[Verdict.NAMED], len(mistakes))
    print(f"{'all':28} {len(mistakes):4} mistakes: {_told([row for _, row in mistakes])}")
    print(f"{'right programs':28} {len(right):4}: {len(right) - len(spoilt)} with full marks")
    return 0 if share >= TARGET and not found[Verdict.WRONG] and not spoilt else 1


def _told(rows: list[NamedCauses]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in summary(rows).items())


if __name__ == "__main__":
    sys.exit(main())
