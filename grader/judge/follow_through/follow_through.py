"""Follow-through: do not charge twice for one mistake.

A later exercise may use code that was paid for in an earlier one, or make the same mistake once
more. Runs after all checks, so that nothing depends on the order of exercises.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import FunctionType, ModuleType
from typing import Protocol

from ...grade.evidence import Cause, Observation, Outcome
from ...messages.exercise_plan import ExercisePlan
from ...text.language import _, course_text
from ..calls.faults import StudentFault
from ..calls.reference_callback import Answers
from ..calls.student import SubmissionClient
from ..checks.check_trace import CheckTrace, Draw
from ..checks.checks import Check
from ..checks.observe import CheckResult
from ..mutants.mutant_runs import AGAIN, AS_GRADED, MutantRuns
from ..mutants.mutants import KnownMistake, Mutants
from .carrying import Exclusion, ExerciseFailures, RepeatedMistakes

ACCUSING = (Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT)
"""Outcomes that cost points although something was written."""

Results = Mapping[str, CheckResult]
"""Check -> its result."""


@dataclass(frozen=True)
class FollowedThrough:
    """The results of all checks after follow-through."""

    results: Results
    substituted: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Exercise -> the names for which its checks saw right functions, each with the exercise where
    the student's own costs its points."""

    def changed(self, results: Results) -> FollowedThrough:
        """Return the same with other results for some checks."""
        return replace(self, results={**self.results, **results})


@dataclass(frozen=True)
class _Submission:
    """A submission as something to call, and its digest."""

    client: SubmissionClient
    digest: str


class SubmissionRunner(Protocol):
    """Interface: run a check on a submission."""

    def attempt(
        self,
        check: Check,
        client: SubmissionClient,
        digest: str,
        prepare: Callable[[SubmissionClient], None] | None = None,
        draw: Draw = AS_GRADED,
    ) -> CheckResult:
        """Run the check on a submission. `prepare` comes before its first call."""

    def requested_names(self, check: Check) -> Collection[str]:
        """Return the names of the definitions that the check looks up."""


class FollowThroughPass:
    """Follow-through for the exercises of a course: substitutes functions, carries or blocks."""

    def __init__(
        self,
        modules: Mapping[str, ModuleType],
        checks: Sequence[Check],
        runner: SubmissionRunner,
        mutants: Mutants,
        mutant_runs: MutantRuns,
        exclusions: Sequence[Exclusion],
    ) -> None:
        self._modules, self._runner = modules, runner
        self._mutants, self._repeated = mutants, RepeatedMistakes(mutant_runs, *exclusions)
        self._used: dict[tuple[str, tuple[str, ...], str, str], bool] = {}
        """For the submission at hand: whether names of one assignment use a class of another."""
        self._checks: dict[str, list[Check]] = {}
        for check in sorted(checks, key=lambda check: check.id):
            self._checks.setdefault(check.exercise.slug, []).append(check)
        plans = {check.exercise.slug: check.exercise for check in checks}
        self._exercises = [plans[slug] for slug in _dependencies_first(plans)]

    def through(self, results: Results, client: SubmissionClient, digest: str) -> FollowedThrough:
        """Return the results in which nothing is paid for once more."""
        submission = _Submission(client, digest)
        before = {check: result.observation.outcome for check, result in results.items()}
        self._used.clear()
        state = FollowedThrough(results)
        for exercise in self._exercises:
            wrong = {
                name: slug
                for name, slug in exercise.calls.items()
                if self._outcomes(slug, before) & {*ACCUSING, Outcome.NOT_ATTEMPTED}
            }
            failing = self._failing(exercise.slug, state.results, Outcome.NOT_ATTEMPTED)
            if not wrong or not failing or not _is_begun(exercise, client):
                continue
            functions = {
                name: slug
                for name, slug in wrong.items()
                if not self._is_class(name, slug) and client.loaded.mentions(name, self._stem(slug))
            }
            classes = {
                name: slug
                for name, slug in wrong.items()
                if self._is_class(name, slug) and self._is_wrong(name, slug, before)
            }
            if functions:
                state = self._with_right_functions(exercise, functions, state, submission)
            for slug in dict.fromkeys(wrong.values()):
                used = [name for name, owner in classes.items() if owner == slug]
                state = state.changed(self._carried(exercise, slug, used, state, submission))
            if classes:
                state = state.changed(self._blocked(exercise, classes, state.results, client))
        return state

    def _stem(self, slug: str) -> str:
        return self._checks[slug][0].exercise.assignment

    def _is_wrong(self, name: str, slug: str, outcomes: Mapping[str, Outcome]) -> bool:
        """Decide whether a check that asks for this name failed.

        An exercise may ask for several names.
        """
        short = {*ACCUSING, Outcome.NOT_ATTEMPTED}
        return any(
            outcomes.get(check.id) in short and name in self._runner.requested_names(check)
            for check in self._checks[slug]
        )

    def _is_class(self, name: str, slug: str) -> bool:
        return isinstance(getattr(self._modules[self._stem(slug)], name), type)

    def _outcomes(self, slug: str, outcomes: Mapping[str, Outcome]) -> set[Outcome]:
        checks = (check.id for check in self._checks.get(slug, ()))
        return {outcomes[check] for check in checks if check in outcomes}

    def _failing(self, slug: str, results: Results, *more: Outcome) -> list[Check]:
        wanted = (*ACCUSING, *more)
        checks = (check for check in self._checks.get(slug, ()) if check.id in results)
        return [check for check in checks if results[check.id].observation.outcome in wanted]

    # ---- called --------------------------------------------------------------------------

    def _with_right_functions(
        self,
        exercise: ExercisePlan,
        wrong: Mapping[str, str],
        state: FollowedThrough,
        submission: _Submission,
    ) -> FollowedThrough:
        """Try failing checks again with right functions in place of the student's wrong ones.

        Only the results of checks in which one of them was used are replaced.
        """
        results: dict[str, CheckResult] = {}
        client = submission.client
        failing = self._failing(exercise.slug, state.results, Outcome.NOT_ATTEMPTED)
        failing.sort(key=lambda check: check.hidden)
        if not failing[0].hidden:
            client.end_worker()  # it has seen hidden inputs: a public check gets another
        for check in failing:
            answers: dict[str, Answers] = {}
            prepare = partial(self._substitute, exercise.assignment, wrong, answers)
            result = self._runner.attempt(check, client, submission.digest, prepare)
            if not answers:
                break
            used = [name for name, answer in answers.items() if answer.calls]
            if used:
                notes = (
                    _(
                        "a right {name} was used here in place of yours, which loses points in "
                        "{slug} only",
                        name=name,
                        slug=slug,
                    )
                    for name, slug in wrong.items()
                    if name in used
                )
                results[check.id] = result.noting(*notes)
        if not results:
            return state
        substituted = {**state.substituted, exercise.slug: wrong}
        return replace(state.changed(results), substituted=substituted)

    def _substitute(
        self,
        into: str,
        wrong: Mapping[str, str],
        answers: dict[str, Answers],
        client: SubmissionClient,
    ) -> None:
        """Put right functions in place of wrong ones; add to `answers` those that can run."""
        for name, slug in wrong.items():
            stem = self._stem(slug)
            function = getattr(self._modules[stem], name)
            if isinstance(function, FunctionType):
                answer = Answers(name, function)
                if client.substitute(stem, name, into, answer):
                    answers[name] = answer

    # ---- made once more ------------------------------------------------------------------

    def _carried(
        self,
        exercise: ExercisePlan,
        slug: str,
        classes: Sequence[str],
        state: FollowedThrough,
        submission: _Submission,
    ) -> Results:
        """Return the failing checks as carried if one mistake explains both exercises.

        It must explain all that their checks saw, and all that those of the earlier exercise saw.
        It is either in a class which is used here, or was written here once more. Checks in which
        the code raised are not carried: code that only raises would be carried too.
        """
        pairs = list(self._mutants.within(self._stem(slug), classes))
        if exercise.copied:
            pairs += self._mutants.pairs(self._stem(slug), exercise.assignment)
        later = self._failures(exercise.slug, state, submission)
        earlier = self._failures(slug, state, submission)
        mistake = self._repeated.made_twice(pairs, earlier, later)
        if mistake is None:
            return {}
        failed = [
            check.id for check, trace in later.traces.items() if trace.outcome is Outcome.FAILED
        ]
        return {id: _carried(state.results[id], mistake, slug, len(failed)) for id in failed}

    def _failures(
        self, slug: str, state: FollowedThrough, submission: _Submission
    ) -> ExerciseFailures:
        failing = self._failing(slug, state.results)

        def again(check: Check) -> CheckTrace:
            wrong, stem = state.substituted.get(slug), check.exercise.assignment
            prepare = partial(self._substitute, stem, wrong, {}) if wrong else None
            client, digest = submission.client, submission.digest
            return self._runner.attempt(check, client, digest, prepare, AGAIN).trace

        return ExerciseFailures(
            {c: state.results[c.id].trace for c in failing}, submission.digest, again
        )

    # ---- blocked -------------------------------------------------------------------------

    def _blocked(
        self,
        exercise: ExercisePlan,
        classes: Mapping[str, str],
        results: Results,
        client: SubmissionClient,
    ) -> Results:
        """Return the failing checks as blocked if the student's code uses wrong classes of theirs.

        Classes cannot be substituted. Students who wrote one of their own in its place do not
        depend on the wrong one, and are not blocked.
        """
        blocked: dict[str, CheckResult] = {}
        for check in self._failing(exercise.slug, results, Outcome.NOT_ATTEMPTED):
            observation = results[check.id].observation
            if self._is_written(observation, classes, client):
                requested = tuple(sorted(self._runner.requested_names(check)))
                unmet = [
                    slug
                    for name, slug in classes.items()
                    if self._uses(client, exercise.assignment, requested, self._stem(slug), name)
                ]
                if unmet:
                    waiting = observation.blocked_by(tuple(dict.fromkeys(unmet)))
                    blocked[check.id] = replace(results[check.id], observation=waiting)
        return blocked

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
        """Decide whether anything is written here that could use a class.

        What is not written, but was reached in the file of one of these classes, may be the class
        itself.
        """
        if observation.outcome is not Outcome.NOT_ATTEMPTED or observation.where is None:
            return observation.outcome is not Outcome.NOT_ATTEMPTED
        files = (client.loaded.file_of(self._stem(slug)) for slug in classes.values())
        return observation.where.file in files


def _is_begun(exercise: ExercisePlan, client: SubmissionClient) -> bool:
    """Decide whether at least one target of the exercise is written."""
    for name in exercise.targets:
        try:
            client.loaded.kind(exercise.assignment, name)
        except StudentFault:
            continue
        return True
    return False


def _carried(result: CheckResult, mistake: KnownMistake, slug: str, count: int) -> CheckResult:
    note = _("the same mistake as in {slug}, where it costs its points", slug=slug)
    cause = Cause(mistake.entry.id, course_text(mistake.entry.cause), count, count)
    observation = replace(result.observation, outcome=Outcome.CARRIED, cause=cause)
    return replace(result, observation=observation).noting(note)


def _dependencies_first(plans: Mapping[str, ExercisePlan]) -> Iterator[str]:
    """Yield slugs so that every exercise comes after those it calls.

    Nobody then gets right answers for an exercise that is still to be tried.
    """
    done: set[str] = set()

    def visit(slug: str) -> Iterator[str]:
        if slug in plans and slug not in done:
            done.add(slug)
            for wanted in plans[slug].calls.values():
                yield from visit(wanted)
            yield slug

    for slug in sorted(plans):
        yield from visit(slug)
