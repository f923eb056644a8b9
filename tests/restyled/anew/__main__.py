"""Run as `python -m tests.restyled.anew SET [STYLE]`: what is said of the programs of a set.

Instead of a set, `prove` grades nothing: it asks the oracle whether each program is right, and each
edit wrong. `--counts` tells the numbers alone, for a set that nobody may look into yet.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from grader.course.course import Course, find_course
from grader.engine.engine import Options
from grader.validate.data import CourseData, read_course
from grader.validate.diagnosis import graded_for_real
from grader.validate.trials import Kind, ValidationTrial, kills
from tests.restyled.anew.programs import HELD_OUT, TUNED, unproven
from tests.restyled.anew.third import THIRD, THIRD_EVEN, THIRD_ODD, unproven_of_third
from tests.restyled.anew.verdicts import Row, Told, counted, row_of
from tests.restyled.by_hand import Program

SETS = {"tuned": TUNED, "held-out": HELD_OUT, "third-odd": THIRD_ODD, "third-even": THIRD_EVEN}


def sources(programs: Sequence[Program]) -> Iterator[tuple[Program, str, str]]:
    """Yield each program, right and with each of its mistakes: program, mistake, source."""
    for program in programs:
        yield program, "", program.source
        for mistake, text, by in program.mistakes:
            assert program.source.count(text) == 1, (program.style, mistake)
            yield program, mistake, program.source.replace(text, by)


def rows_of(course: Course, programs: Sequence[Program]) -> list[Row]:
    """Grade the programs for real, and return the verdict on each."""
    data = read_course(course)
    answers = list(sources(programs))
    trials = [_trial(data, number, *answer) for number, answer in enumerate(answers)]
    slugs = tuple(dict.fromkeys(program.slug for program in programs))
    results = graded_for_real(replace(data, slugs=slugs), trials, Options(workers=1))
    known = {each.entry.id for each in data.misconceptions}
    return [
        row_of(program, mistake, [o for o in results[trial.id].observations if kills(o)], known)
        for (program, mistake, _), trial in zip(answers, trials, strict=True)
    ]


def _trial(
    data: CourseData, number: int, program: Program, mistake: str, source: str
) -> ValidationTrial:
    stem = data.course.rubric.exercises[program.slug].assignment
    id = f"{number} {program.slug} {mistake}"
    return ValidationTrial(id, Kind.MISCONCEPTION, (program.slug,), {stem: source})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.restyled.anew")
    parser.add_argument("set", choices=[*SETS, "prove"])
    parser.add_argument("style", nargs="?", default="", help="only programs whose style has this")
    parser.add_argument("--counts", action="store_true", help="print the numbers alone")
    options = parser.parse_args()
    if options.set == "prove":
        doubts = [id for p in (*TUNED, *HELD_OUT) if options.style in p.style for id in unproven(p)]
        doubts += [d for p in THIRD if options.style in p.style for d in unproven_of_third(p)]
        print("\n".join(doubts) or "every program is right, and every edit of it wrong")
        return 1 if doubts else 0
    programs = [p for p in SETS[options.set] if options.style in p.style]
    rows = rows_of(find_course(Path(__file__).parent), programs)
    for row in () if options.counts else rows:
        if row.mistake or row.failed:
            print(f"{row.told:10} {row.id}  [{', '.join(row.causes)}]")
        if row.told is Told.SILENT or (row.failed and not row.mistake):
            print("           failed:", ", ".join(row.failed))
    print(counted(rows))
    spoilt = any(not row.mistake and row.failed for row in rows)
    return 1 if spoilt or any(row.told is Told.FALSE for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
