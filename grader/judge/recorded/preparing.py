"""Run known mistakes ahead: `python -m grader.judge.recorded.preparing COURSE LANGUAGE`.

A mistake that a class makes for the first time would be run then, which takes seconds.

Process: preparer
Started by: parent, exec
Knows: the whole course. It runs the reference and known mistakes, and never a submission
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import torch

from ...course.course import Course, find_course
from ...messages.hello import hello
from ...text.language import language_in_use, use_language
from ...worker.jail.kernel import die_with_parent
from ..bind.roles import load_roles
from ..check_runner import CheckRunner
from ..checks.checks import Check
from ..checks.pytest_bridge import CollectionFailed
from ..diagnose.dictionary import RESEEDED
from ..mutants.kill_records import KillRecords, is_firm
from ..mutants.mutant_runs import AGAIN, AS_GRADED, PROBES, MutantRuns
from ..mutants.mutants import KnownMistake, Mutants
from ..reference.references import ReferenceBroken, References
from .kept_runs import KeptRuns

NOTHING_KEPT = "{path}: cannot be written, or other runs of the grader keep it for themselves"


class NotKept(Exception):
    """A file that takes nothing of what checks see; names it, and says what to do."""


class Preparation:
    """The known mistakes of a course, and the file that keeps what checks see of them.

    Raises:
        CollectionFailed, ReferenceBroken: the course has an error.
    """

    def __init__(self, course: Course) -> None:
        """Run nothing yet."""
        plans = hello(course).exercises
        stems = tuple(course.rubric.assignments.values())
        references = References(course.root, stems)
        modules = {stem: references.module(stem) for stem in stems}
        seed = course.rubric.seed
        runner = CheckRunner(course.root, seed, plans, modules, load_roles(course.root))
        self._checks: defaultdict[str, list[Check]] = defaultdict(list)
        for check in filter(is_firm, runner.checks):
            self._checks[check.exercise.slug].append(check)
        self._kept = KeptRuns(course.paths, seed)
        self._path = course.paths.known_runs(language_in_use())
        self._mutants = Mutants(course.root, references)
        self._runs = MutantRuns(modules, self._mutants, runner, kept=self._kept)
        self._records = KillRecords(course.root, runner.checks)

    def prepare(self, slug: str) -> int:
        """Run the mistakes of an exercise in its checks; return how many these are.

        What is kept already is not run again. Raises NotKept if the file takes nothing.
        """
        mistakes = tuple(self._mistakes(slug))
        kills = self._records.of(slug)
        alike = Counter(kills[mistake.entry.id] for mistake in mistakes)
        for mistake in mistakes:
            fails = kills[mistake.entry.id]
            self._run(slug, mistake, fails, is_alone=alike[fails] == 1)
            self._kept.write()  # whoever is ended here goes on here
        if not self._kept.is_usable:
            raise NotKept(NOTHING_KEPT.format(path=self._path))
        return len(mistakes)

    def _mistakes(self, slug: str) -> Iterator[KnownMistake]:
        checks, kills = self._checks[slug], self._records.of(slug)
        stem = checks[0].exercise.assignment if checks else ""
        yield from (one for one in self._mutants.reaching(stem) if one.entry.id in kills)

    def _run(
        self, slug: str, mistake: KnownMistake, fails: frozenset[str], *, is_alone: bool
    ) -> None:
        """Ask for what naming asks for; see `grader.judge.diagnose.dictionary`."""
        for check in self._checks[slug]:
            self._runs.of(mistake, check, "", AS_GRADED)
            if check.id in fails and len(fails) < PROBES:
                self._runs.of(mistake, check, "", AGAIN)
            if check.id in fails and not is_alone:
                self._runs.of(mistake, check, "", RESEEDED)


def main(root: str, language: str) -> int:
    """Prepare each exercise that stands in a line of the standard input; return the exit code.

    Writes a line of JSON for each: its slug, and its number of mistakes. With exit code 2 all that
    stands on the standard error is the reason, in words.
    """
    die_with_parent()
    torch.set_num_threads(1)  # as in a judge
    warnings.simplefilter("ignore")
    course = find_course(Path(root))
    use_language(language, course.root)
    # What code of the course prints is none of the answers.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        try:
            preparation = Preparation(course)
            for slug in map(str.strip, sys.stdin):
                print(json.dumps([slug, preparation.prepare(slug)]), file=out, flush=True)
        except (CollectionFailed, NotKept, ReferenceBroken) as error:
            print(error, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
