"""Make the recording for a kit: run public checks on the reference and on all known mistakes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ...course.course import Course
from ...course.feedback import CauseTiming
from ...course.kill_record import read_kills
from ...course.misconceptions import apply_variant
from ...course.paths import CoursePaths
from ...course.whole_definitions import read_variants
from ...grade.evidence import Outcome
from ...handouts.stub_digests import stub_digests
from ...messages.exercise_plan import ExercisePlan
from ...messages.hello import hello
from ..bind.roles import load_roles
from ..calls.client import LocalClient
from ..check_runner import CheckRunner
from ..checks.check_trace import CheckTrace, Draw, printed
from ..checks.checks import Check
from ..diagnose.dictionary import RESEEDED
from ..diagnose.knowledge import constants_of, load_knowledge
from ..mutants.kill_records import rule_against_names
from ..mutants.mutant_runs import AGAIN, AS_GRADED
from ..mutants.mutants import KnownMistake, Mutants
from ..reference.references import References
from .recorder import ReferenceListener, definitions
from .recording import Recording, run_key, written_trace

DRAWS = (AS_GRADED, AGAIN, RESEEDED)


class RecordingFailed(Exception):
    """A course whose reference does not pass its own public checks."""


def recording_of(course: Course, seed: str) -> Recording:
    """Return the recording of all public checks of a course.

    They draw from `seed`, which is the kit's own and not the course's. Where reports do not name
    causes at once, a kit knows none. Raises RecordingFailed.
    """
    return _Making(course, seed).made()


def public_plans(course: Course) -> tuple[ExercisePlan, ...]:
    """Return the exercises that have a public suite, with that alone."""
    plans = (replace(plan, suites=_public(plan.suites)) for plan in hello(course).exercises)
    return tuple(plan for plan in plans if plan.suites)


def _public(suites: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in suites if Path(path).parent.name == "public")


class _Making:
    """One run over all public checks of a course."""

    def __init__(self, course: Course, seed: str) -> None:
        self._root, self._rubric = course.root, course.rubric
        self._plans = public_plans(course)
        stems = tuple(course.rubric.assignments.values())
        self._recorder = ReferenceListener()
        # What student code calls of an earlier exercise is kept as well: it may be called where a
        # wrong function is to cost nothing a second time.
        copied = References(self._root, stems, finish=self._recorder.hear_functions)
        self._kept_copy = {stem: copied.module(stem) for stem in stems}
        plain = References(self._root, stems)
        self._modules = {stem: plain.module(stem) for stem in stems}
        listening = self._recorder.listening(self._modules)
        self._runner = CheckRunner(
            self._root, seed, self._plans, listening, load_roles(self._root),
            listen=self._recorder.listen,
        )  # fmt: skip
        self._mutants = Mutants(self._root, plain)
        self._traces: dict[str, int] = {}
        self._runs: dict[str, int] = {}
        self._kills: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
        self._mistakes: dict[str, dict[str, KnownMistake]] = {stem: {} for stem in stems}
        self._requested: dict[str, tuple[str, ...]] = {}

    def made(self) -> Recording:
        by_exercise: defaultdict[str, list[Check]] = defaultdict(list)
        for check in self._runner.checks:
            by_exercise[check.exercise.slug].append(check)
        for checks in by_exercise.values():
            self._record(checks)
        names: dict[str, set[str]] = defaultdict(set)
        for check in self._runner.checks:
            names[check.exercise.assignment] |= {
                *self._requested[check.id],
                *check.exercise.targets,
            }
        targets = {plan.assignment: () for plan in self._plans} | _targets(self._rubric)
        return Recording(
            definitions=definitions(self._modules, names),
            modules=self._recorder.modules,
            answers=self._recorder.answers.content(),
            mistakes={
                stem: list(map(_row, known.values())) for stem, known in self._mistakes.items()
            },
            kills=self._kills,
            requested=self._requested,
            traces=tuple(json.loads(text) for text in self._traces),
            runs=self._runs,
            knowledge=self._knowledge(),
            stubs=stub_digests(self._root, targets),
        )

    def _knowledge(self) -> dict[str, Any]:
        """Return what the course tells of its subject, for the constants of these suites."""
        knowledge = load_knowledge(self._root)
        sizes = [constants_of(check.item.module) for check in self._runner.checks]
        distinct = sorted({tuple(sorted(each.items())) for each in sizes})
        return {
            "axes": dict(knowledge.axes),
            "more_sizes": [[each, dict(knowledge.more_sizes(dict(each)))] for each in distinct],
            "empty_row": knowledge.empty_row,
        }

    def _record(self, checks: Sequence[Check]) -> None:
        """Record what the checks of one exercise see."""
        right: dict[tuple[str, Draw], int] = {}
        for check in checks:
            with self._recorder.deaf():
                self._requested[check.id] = tuple(sorted(self._runner.requested_names(check)))
            for draw in DRAWS:
                trace = self._trace(check, self._kept_copy, draw)
                if trace.outcome is not Outcome.PASSED:
                    raise RecordingFailed(f"{check.id}: {trace.outcome}")
                right[check.id, draw] = self._keep("", check, draw, trace)
        self._record_other_ways(checks)
        if self._rubric.feedback.causes is not CauseTiming.AT_ONCE:
            return
        for mistake in self._tried(checks[0].exercise):
            self._record_mistake(mistake, checks, right)

    def _record_other_ways(self, checks: Sequence[Check]) -> None:
        """Record what is asked of the reference where code is right and written in another way.

        It stores its weights in other layouts, and calls functions of earlier exercises.
        """
        exercise = checks[0].exercise
        for slug in (exercise.slug, *dict.fromkeys(exercise.calls.values())):
            if slug not in self._rubric.exercises:
                continue
            for modules in self._variants(slug):
                for check in checks:
                    self._trace(check, modules, AS_GRADED)

    def _variants(self, slug: str) -> Iterator[Mapping[str, ModuleType]]:
        """Yield the references with another right way in place of a definition of an exercise.

        Functions beside it are heard.
        """
        stem = self._rubric.exercises[slug].assignment
        paths = CoursePaths(self._root)
        text = paths.solution(stem).read_text(encoding="utf-8")
        if not paths.exercise(slug).variants.is_file():
            return
        entries, origin = read_variants(paths, slug)
        for entry in entries:
            hear = partial(self._hear, stem, entry.target.partition(".")[0])
            rewritten = {stem: apply_variant(text, entry, origin)}
            made = References(self._root, tuple(self._modules), rewritten, hear)
            yield {each: made.module(each) for each in self._modules}

    def _hear(self, stem: str, target: str, other: str, module: ModuleType) -> None:
        self._recorder.hear_functions(other, module, target if other == stem else "")

    def _record_mistake(
        self,
        mistake: KnownMistake,
        checks: Sequence[Check],
        right: Mapping[tuple[str, Draw], int],
    ) -> None:
        stem = checks[0].exercise.assignment
        module = self._mutants.made(mistake, stem)
        if module is None:
            return
        modules = {**self._modules, stem: module}
        first = {check: self._trace(check, modules, AS_GRADED) for check in checks}
        fails = [check for check, trace in first.items() if trace.outcome is not Outcome.PASSED]
        if not fails:  # only hidden checks see it, and nobody is to read of it here
            return
        for check, trace in first.items():
            self._keep(mistake.name, check, AS_GRADED, trace)
        for check, trace in first.items():
            for draw in self._more_draws(check, trace, right):
                self._keep(mistake.name, check, draw, self._trace(check, modules, draw))
        self._mistakes[mistake.stem][mistake.entry.id] = mistake
        slug = checks[0].exercise.slug
        known = read_kills(self._root, slug).get(mistake.entry.id)
        if known is not None:
            rule = {rule_against_names(slug)} & known
            self._kills[slug][mistake.entry.id] = (*(check.id for check in fails), *rule)

    def _more_draws(
        self, check: Check, trace: CheckTrace, right: Mapping[tuple[str, Draw], int]
    ) -> Iterator[Draw]:
        """Yield the draws that diagnosis asks for when it compares a mistake with an answer.

        Inputs once more, where too few checks of an answer speak for the mistake; another seed,
        where numbers hang on it: then other numbers say nothing.
        """
        fails = trace.outcome is not Outcome.PASSED
        if fails and trace.drew:
            yield AGAIN
        if fails or right[check.id, RESEEDED] != right[check.id, AS_GRADED]:
            yield RESEEDED

    def _tried(self, exercise: ExercisePlan) -> Iterator[KnownMistake]:
        """Yield the mistakes of an exercise, and those in classes of earlier ones that it uses."""
        kills = read_kills(self._root, exercise.slug)
        own = [one for one in self._mutants.of(exercise.assignment) if one.entry.id in kills]
        yield from own
        for name, slug in exercise.calls.items():
            if slug not in self._rubric.exercises:
                continue
            stem = self._rubric.exercises[slug].assignment
            if isinstance(getattr(self._modules[stem], name, None), type):
                for one, _same in self._mutants.within(stem, [name]):
                    if one not in own:
                        yield one

    def _trace(self, check: Check, modules: Mapping[str, ModuleType], draw: Draw) -> CheckTrace:
        client = LocalClient(lambda stem, name: getattr(modules[stem], name), lambda name: False)
        client.is_kept = modules is self._kept_copy
        client.in_words = not client.is_kept
        return self._runner.trace_on_references(check, modules, "", draw, client)

    def _keep(self, name: str, check: Check, draw: Draw, trace: CheckTrace) -> int:
        short = replace(trace, compared=tuple(map(printed, trace.compared)))
        text = json.dumps(written_trace(short), sort_keys=True)
        number = self._traces.setdefault(text, len(self._traces))
        self._runs[run_key(name, check.id, draw)] = number
        return number


def _row(mistake: KnownMistake) -> list[Any]:
    entry = mistake.entry
    return [entry.id, list(entry.mistakes), entry.target, entry.cause]


def _targets(rubric: Any) -> dict[str, tuple[str, ...]]:
    targets: dict[str, tuple[str, ...]] = {}
    for exercise in rubric.exercises.values():
        targets[exercise.assignment] = (*targets.get(exercise.assignment, ()), *exercise.targets)
    return targets
