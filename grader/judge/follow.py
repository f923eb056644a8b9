"""Mistakes that were paid for in an earlier exercise: used from there, or made once more.

Runs after all checks, so that nothing hangs on the order of exercises.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType, ModuleType
from typing import Protocol

from ..evidence import Cause, Observation, Outcome
from ..language import _, course_text
from .answers import Answers
from .checks import Check, ExercisePlan
from .faults import StudentFault
from .mistakes import Mistake, Mistakes
from .rehearsal import AS_GRADED, Rehearsals
from .sight import Draw, Sight, same
from .student import SubmissionClient

ACCUSING = (Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT)
"""Outcomes that cost points although something was written."""

Found = dict[str, tuple[Observation, Sight]]
"""Check -> what came of it, and what it saw of the student's code."""


class Runs(Protocol):
    """Runs checks."""

    def attempt(
        self,
        check: Check,
        client: SubmissionClient,
        digest: str,
        prepare: Callable[[SubmissionClient], None] | None = None,
        draw: Draw = AS_GRADED,
    ) -> tuple[Observation, Sight]:
        """Run it on a submission. `prepare` comes before its first call."""

    def asked_for(self, check: Check) -> Collection[str]:
        """The definitions that it looks up."""


class Following:
    """What becomes of the checks of exercises that follow others."""

    def __init__(
        self,
        modules: Mapping[str, ModuleType],
        checks: Sequence[Check],
        runs: Runs,
        mistakes: Mistakes,
        rehearsals: Rehearsals,
    ) -> None:
        self._modules, self._runs = modules, runs
        self._mistakes, self._rehearsals = mistakes, rehearsals
        self._used: dict[tuple[str, tuple[str, ...], str, str], bool] = {}
        """Of the submission at hand: whether names of an assignment use a class of another."""
        self._checks: dict[str, list[Check]] = {}
        for check in sorted(checks, key=lambda check: check.id):
            self._checks.setdefault(check.exercise.slug, []).append(check)
        plans = {check.exercise.slug: check.exercise for check in checks}
        self._exercises = [plans[slug] for slug in _dependencies_first(plans)]

    def through(self, found: Found, client: SubmissionClient, digest: str) -> set[str]:
        """Replace what is not to be paid for once more. Returns the exercises in which right
        functions took the place of wrong ones."""
        lent: set[str] = set()
        before = {check: observation.outcome for check, (observation, _other) in found.items()}
        self._used.clear()
        for exercise in self._exercises:
            wrong = {
                name: slug
                for name, slug in exercise.calls.items()
                if self._outcomes(slug, before) & {*ACCUSING, Outcome.NOT_ATTEMPTED}
            }
            failing = self._failing(exercise.slug, found, Outcome.NOT_ATTEMPTED)
            if not wrong or not failing or not _is_begun(exercise, client):
                continue
            functions = {
                name: slug
                for name, slug in wrong.items()
                if not self._is_class(name, slug) and client.mentions(name, self._stem(slug))
            }
            classes = {
                name: slug
                for name, slug in wrong.items()
                if self._is_class(name, slug) and self._is_wrong(name, slug, before)
            }
            if functions and self._called(exercise, functions, found, client, digest):
                lent.add(exercise.slug)
            for slug in dict.fromkeys(wrong.values()):
                used = [name for name, asked in classes.items() if asked == slug]
                self._carry(exercise, slug, used, found, digest)
            if classes:
                self._block(exercise, classes, found, client)
        return lent

    def _stem(self, slug: str) -> str:
        return self._checks[slug][0].exercise.assignment

    def _is_wrong(self, name: str, slug: str, outcomes: Mapping[str, Outcome]) -> bool:
        """Whether a check that asks for this name failed: an exercise may ask for several."""
        short = {*ACCUSING, Outcome.NOT_ATTEMPTED}
        return any(
            outcomes.get(check.id) in short and name in self._runs.asked_for(check)
            for check in self._checks[slug]
        )

    def _is_class(self, name: str, slug: str) -> bool:
        return isinstance(getattr(self._modules[self._stem(slug)], name), type)

    def _outcomes(self, slug: str, outcomes: Mapping[str, Outcome]) -> set[Outcome]:
        checks = (check.id for check in self._checks.get(slug, ()))
        return {outcomes[check] for check in checks if check in outcomes}

    def _failing(self, slug: str, found: Found, *more: Outcome) -> list[Check]:
        wanted = (*ACCUSING, *more)
        checks = (check for check in self._checks.get(slug, ()) if check.id in found)
        return [check for check in checks if found[check.id][0].outcome in wanted]

    # ---- called --------------------------------------------------------------------------

    def _called(
        self,
        exercise: ExercisePlan,
        wrong: Mapping[str, str],
        found: Found,
        client: SubmissionClient,
        digest: str,
    ) -> bool:
        """Try failing checks again, with right functions in place of the student's wrong ones.
        Whether that changed anything."""
        lent = False
        failing = self._failing(exercise.slug, found, Outcome.NOT_ATTEMPTED)
        failing.sort(key=lambda check: check.hidden)
        if not failing[0].hidden:
            client.close()  # this process has seen hidden inputs: a public check gets another
        for check in failing:
            answers: dict[str, Answers] = {}
            lend = partial(self._lend, exercise.assignment, wrong, answers)
            observation, sight = self._runs.attempt(check, client, digest, lend)
            if not answers:
                return lent
            asked = [name for name, answer in answers.items() if answer.asked]
            if asked:
                notes = (
                    _(
                        "a right {name} took the place of yours, which costs its points in {slug}",
                        name=name,
                        slug=slug,
                    )
                    for name, slug in wrong.items()
                    if name in asked
                )
                found[check.id] = replace(observation, notes=(*observation.notes, *notes)), sight
                lent = True
        return lent

    def _lend(
        self,
        into: str,
        wrong: Mapping[str, str],
        answers: dict[str, Answers],
        client: SubmissionClient,
    ) -> None:
        """Put right functions in place, and into `answers` those that can be called at all."""
        for name, slug in wrong.items():
            stem = self._stem(slug)
            function = getattr(self._modules[stem], name)
            if isinstance(function, FunctionType):
                lent = Answers(name, function)
                if client.substitute(stem, name, into, lent):
                    answers[name] = lent

    # ---- made once more ------------------------------------------------------------------

    def _carry(
        self,
        exercise: ExercisePlan,
        slug: str,
        classes: Sequence[str],
        found: Found,
        digest: str,
    ) -> None:
        """Carry the failing checks if one mistake explains all that they saw, and all that those
        of the earlier exercise saw: one that stands in a class which is used here, or that was
        written here once more."""
        later, earlier = self._failing(exercise.slug, found), self._failing(slug, found)
        if not later or not earlier:
            return
        pairs = list(self._mistakes.within(self._stem(slug), classes))
        if exercise.copied:
            pairs += self._mistakes.pairs(self._stem(slug), exercise.assignment)
        for first, second in pairs:
            if self._explains(second, later, found, digest) and self._explains(
                first, earlier, found, digest
            ):
                for check in later:
                    observation, sight = found[check.id]
                    found[check.id] = _carried(observation, second, slug, len(later)), sight
                return

    def _explains(
        self, mistake: Mistake, checks: Sequence[Check], found: Found, digest: str
    ) -> bool:
        # What a mistake gives in a fresh check can't be remembered: asked last, and so hardly ever.
        for check in sorted(checks, key=lambda check: check.fresh):
            made = self._rehearsals.of(mistake, check, digest)
            observation, sight = found[check.id]
            if made is None or made.outcome is not observation.outcome:
                return False
            if not same(sight.seen, made.seen):
                return False
        return True

    # ---- blocked -------------------------------------------------------------------------

    def _block(
        self,
        exercise: ExercisePlan,
        classes: Mapping[str, str],
        found: Found,
        client: SubmissionClient,
    ) -> None:
        """Block the failing checks if the student's code uses a wrong class of theirs: those can't
        be lent, and who wrote one of their own in its place has nothing to wait for."""
        for check in self._failing(exercise.slug, found, Outcome.NOT_ATTEMPTED):
            observation, sight = found[check.id]
            if self._is_written(observation, classes, client):
                asked = tuple(sorted(self._runs.asked_for(check)))
                unmet = [
                    slug
                    for name, slug in classes.items()
                    if self._uses(client, exercise.assignment, asked, self._stem(slug), name)
                ]
                if unmet:
                    found[check.id] = observation.blocked_by(tuple(dict.fromkeys(unmet))), sight

    def _uses(
        self, client: SubmissionClient, into: str, names: tuple[str, ...], stem: str, name: str
    ) -> bool:
        key = (into, names, stem, name)
        if key not in self._used:
            try:
                self._used[key] = client.reaches(*key)
            except StudentFault:
                self._used[key] = False
        return self._used[key]

    def _is_written(
        self, observation: Observation, classes: Mapping[str, str], client: SubmissionClient
    ) -> bool:
        """Whether there is anything here that could use a class: what is not written may be the
        class itself."""
        if observation.outcome is not Outcome.NOT_ATTEMPTED or observation.where is None:
            return observation.outcome is not Outcome.NOT_ATTEMPTED
        files = (client.file_of(self._stem(slug)) for slug in classes.values())
        return observation.where.file in files


def _is_begun(exercise: ExercisePlan, client: SubmissionClient) -> bool:
    """Whether anything was written that could use something."""
    for name in exercise.targets:
        try:
            client.kind(exercise.assignment, name)
        except StudentFault:
            continue
        return True
    return False


def _carried(observation: Observation, mistake: Mistake, slug: str, count: int) -> Observation:
    note = _("the same mistake as in {slug}, where it costs its points", slug=slug)
    return replace(
        observation,
        outcome=Outcome.CARRIED,
        cause=Cause(mistake.entry.id, course_text(mistake.entry.cause), count, count),
        notes=(*observation.notes, note),
    )


def _dependencies_first(plans: Mapping[str, ExercisePlan]) -> Iterator[str]:
    """Slugs in an order in which nobody gets answers for an exercise that is still to be tried."""
    done: set[str] = set()

    def visit(slug: str) -> Iterator[str]:
        if slug in plans and slug not in done:
            done.add(slug)
            for wanted in plans[slug].calls.values():
                yield from visit(wanted)
            yield slug

    for slug in sorted(plans):
        yield from visit(slug)
