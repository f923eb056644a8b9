"""Add the smallest counterexample to the first failing check of each failing exercise."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...grade.counterexample import Counterexample
from ...grade.evidence import Observation, Outcome
from ..calls.faults import SourceGone, Starved, StudentFault
from ..calls.student import SubmissionClient
from ..check_runner import CheckRunner
from ..checks.checks import Check
from ..checks.observe import MAX_TEXT
from .in_words import counterexample
from .search import Budget, smallest
from .sides import OutOfCalls, Sides
from .small_calls import SmallCall, SmallCalls

SHOWN_FOR = (Outcome.FAILED, Outcome.STUDENT_ERROR)


class _Ours(Exception):
    """A mistake of the grader's or the author's in a search, with its place."""


class Counterexamples:
    """Searches for counterexamples to one submission after another; changes no outcome."""

    def __init__(self, course: SmallCalls, checks: Sequence[Check], runner: CheckRunner) -> None:
        self._course, self._runner = course, runner
        self._by_exercise: dict[str, list[Check]] = {}
        self.is_fresh = False
        """True if the processes in use have seen no hidden input."""
        for check in checks:
            self._by_exercise.setdefault(check.exercise.slug, []).append(check)

    def added(
        self, observations: Mapping[str, Observation], client: SubmissionClient
    ) -> dict[str, Observation]:
        """Return all observations, the first failing one of an exercise with its counterexample.

        Raises:
            Starved, SourceGone: the submission has to be graded once more.
        """
        result = dict(observations)
        self.is_fresh = False
        for checks in self._by_exercise.values():
            failing = [one for one in checks if is_failing(result.get(one.id))]
            failing.sort(key=lambda one: one.hidden)
            if not failing:
                continue
            first = failing[0]
            try:
                wrong_call = self._of_exercise(failing, client)
            except _Ours as error:
                # A mistake of ours costs nobody a point, and does not go unseen.
                seen = result[first.id]
                result[first.id] = replace(seen, staff=seen.staff or str(error))
                continue
            if wrong_call is not None:
                check, example = wrong_call
                result[check.id] = replace(result[check.id], counterexample=example)
            elif self._says_nothing(first, result[first.id]):
                result[first.id] = replace(result[first.id], nothing_small=True)
        return result

    def _says_nothing(self, check: Check, seen: Observation) -> bool:
        """Tell whether to say that nothing small was found: a public check compared numbers."""
        has_calls = bool(self._course.of(check.exercise.targets))
        return has_calls and not check.hidden and seen.outcome is Outcome.FAILED

    def _of_exercise(
        self, failing: Sequence[Check], client: SubmissionClient
    ) -> tuple[Check, Counterexample] | None:
        """Search among the calls of what the failing checks look up, public checks first."""
        for check in one_of_each(failing, self._runner):
            calls = self._course.of(self._targets(check))
            wrong_call = self._search(check, calls, client) if calls else None
            if wrong_call is not None:
                return check, wrong_call
        return None

    def _targets(self, check: Check) -> list[str]:
        requested = self._runner.requested_names(check)
        return [target for target in check.exercise.targets if target in requested]

    def _search(
        self, check: Check, calls: Sequence[SmallCall], client: SubmissionClient
    ) -> Counterexample | None:
        if not self.is_fresh:
            # Those that ran the checks have seen hidden inputs, and could tell them as an answer.
            client.end_worker()
            self.is_fresh = True
        try:
            context = self._runner.outside_checks(check, client)
            budget = Budget()
            sides = Sides(
                context.student,
                context.reference,
                context.probe,
                budget.spend,
                lambda: client.changed,
            )
            wrong_call = smallest(calls, sides, budget)
            if wrong_call is None:
                return None
            return counterexample(wrong_call, sides.stored(wrong_call.filled), self._course)
        except (Starved, SourceGone):
            raise  # the submission has to be graded once more
        except (StudentFault, OutOfCalls):
            return None
        except Exception as error:
            if os.environ.get("GRADER_DEBUG"):
                traceback.print_exception(error)
            raise _Ours(place_of(error, "counterexample")) from error


def is_failing(seen: Observation | None) -> bool:
    """Tell whether a check failed in a way that numbers may show."""
    return seen is not None and seen.outcome in SHOWN_FOR


def one_of_each(checks: Sequence[Check], runner: CheckRunner) -> list[Check]:
    """Return the first check of each set of targets: the others would search the same calls."""
    first: dict[frozenset[str], Check] = {}
    for check in checks:
        targets = frozenset(runner.requested_names(check)).intersection(check.exercise.targets)
        first.setdefault(targets, check)
    return list(first.values())


def place_of(error: Exception, what: str) -> str:
    """Return the place of a mistake of the grader's or the author's, for staff."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    sentence = f"{what}: {frame.filename}:{frame.lineno}: {type(error).__name__}: {error}"
    return sentence[:MAX_TEXT]
