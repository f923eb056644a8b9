"""Add the last right lines to the first failing check of each failing exercise."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from ...grade.counterexample import Counterexample
from ...grade.evidence import Observation
from ...grade.right_lines import RightAnswer, RightKind, RightLines
from ..calls.faults import CheckFailed, SourceGone, Starved, StudentFault, StudentRaised
from ..calls.student import SubmissionClient
from ..check_runner import CheckRunner
from ..checks.checks import Check
from ..smallest.counterexamples import is_failing, one_of_each, place_of
from ..smallest.small_calls import SmallCall, SmallCalls
from .agreement import PartText, SideBySide, returned, side_by_side
from .draws import PreparedCall, RecordedCall, RecordingSides
from .generic_calls import generic_sizes

MOST_CALLS = 12
"""The most declared calls that are tried: one that shows the mistake is among the first."""
MOST_VALUES = 8
"""The most right values that are kept: the last ones."""
WRONG_DRAWS = 5
"""The draws on all of which a line of a wrong answer has to be right before it is called so: a
mistake may change nothing on two, or less than is told from rounding."""
RIGHT_DRAWS = 8
"""The draws on all of which an answer has to be right before it is called so."""


class RightUpToHere:
    """Searches for right lines in one submission after another; changes no outcome."""

    def __init__(self, course: SmallCalls, checks: Sequence[Check], runner: CheckRunner) -> None:
        self._course, self._runner = course, runner
        self._by_exercise: dict[str, list[Check]] = {}
        for check in sorted(checks, key=lambda one: one.hidden):
            self._by_exercise.setdefault(check.exercise.slug, []).append(check)

    def added(
        self, observations: Mapping[str, Observation], client: SubmissionClient, *, is_fresh: bool
    ) -> dict[str, Observation]:
        """Return all observations, a failing one of each exercise with the lines that are right.

        `is_fresh`: the submission's processes have seen no hidden input.

        Raises:
            Starved, SourceGone: the submission has to be graded once more.
        """
        if not any(map(is_failing, observations.values())):
            return dict(observations)
        if not is_fresh:
            client.end_worker()
        with client.unjudged():
            return self._added(observations, client)

    def _added(
        self, observations: Mapping[str, Observation], client: SubmissionClient
    ) -> dict[str, Observation]:
        result = dict(observations)
        for checks in self._by_exercise.values():
            failing = [one for one in checks if is_failing(result.get(one.id))]
            shown = [one for one in failing if result[one.id].counterexample is not None]
            for check in shown or one_of_each(failing, self._runner):
                calls = self._calls(check)
                if not calls:
                    continue
                seen = self._seen(check, calls, result[check.id], client)
                if seen is not None:
                    result[check.id] = seen
                    break
        return result

    def _calls(self, check: Check) -> Sequence[SmallCall]:
        requested = self._runner.requested_names(check)
        return self._course.drawn([one for one in check.exercise.targets if one in requested])

    def _seen(
        self,
        check: Check,
        calls: Sequence[SmallCall],
        seen: Observation,
        client: SubmissionClient,
    ) -> Observation | None:
        """Return what was seen with the lines that are right; None if none is."""
        try:
            context = self._runner.outside_checks(check, client)
            folder = Path(context.reference.__file__).parent
            sides = RecordingSides(
                client, context.student, context.reference, context.probe, folder
            )
            lines = right_up_to_here(calls, sides, context.seed, seen.counterexample)
            return None if lines is None else replace(seen, right_lines=lines)
        except (Starved, SourceGone):
            raise  # the submission has to be graded once more
        except StudentFault:
            return None
        except Exception as error:
            if os.environ.get("GRADER_DEBUG"):
                traceback.print_exception(error)
            # A mistake of ours costs nobody a point, and does not go unseen.
            return replace(seen, staff=seen.staff or place_of(error, "intermediates"))


def right_up_to_here(
    calls: Sequence[SmallCall], sides: RecordingSides, seed: int, example: Counterexample | None
) -> RightLines | None:
    """Return what is right of a function that fails a check; None if nothing can be told.

    The calls that are as `example` is come first: they show the mistake. Where no line of a wrong
    answer is known to be right, those that lead to a right answer are told, with the call.

    Raises:
        StudentFault: the student's process hung or crashed.
    """
    text = sides.client.own_text
    of_right_answers: dict[RightAnswer, tuple[TwoDraws, SideBySide | None, RightLines]] = {}
    wrong: set[RightAnswer] = set()
    """Other inputs may have the same shapes, such as numbers that add up to 1."""
    with torch.no_grad():
        for both in recorded_calls(calls, sides, seed, example):
            agreed = side_by_side(both.first, both.second)
            result = None if agreed is None else agreed.lines(text)
            call = both.prepared.in_words
            if both.are_right:
                known = result or returned(both.first)
                if known is not None:
                    known = replace(known, nothing_from=None, right_answer=call)
                    of_right_answers.setdefault(call, (both, agreed, known))
                continue
            if agreed is not None and result is not None:
                for draw in both.further(seed, WRONG_DRAWS):
                    agreed = agreed.confirmed(draw)
                result = agreed.lines(text)
            if result is not None:
                return _last(result)
            wrong.add(call)
        there = [one for call, one in of_right_answers.items() if call not in wrong]
        there.sort(key=lambda one: _is_computed(one[2]), reverse=True)
        kept = (_that_stays_right(*one, seed, text) for one in there)
        return next((_last(lines) for lines in kept if lines is not None), None)


def _that_stays_right(
    both: TwoDraws, agreed: SideBySide | None, lines: RightLines, seed: int, text: PartText
) -> RightLines | None:
    """Return what is right of a right answer with other numbers too; None if that is not right."""
    for draw in both.further(seed, RIGHT_DRAWS):
        if not draw.is_right:
            return None
        agreed = None if agreed is None else agreed.confirmed(draw)
    known = (None if agreed is None else agreed.lines(text)) or returned(both.first)
    return known and replace(known, nothing_from=None, right_answer=lines.right_answer)


def _last(lines: RightLines) -> RightLines:
    return replace(lines, values=lines.values[-MOST_VALUES:])


def _is_computed(lines: RightLines) -> bool:
    """Tell whether more is known than what is returned."""
    return any(one.kind is not RightKind.RETURNED for one in lines.values)


@dataclass(frozen=True)
class TwoDraws:
    """One call with the numbers of two draws."""

    prepared: PreparedCall
    first: RecordedCall
    second: RecordedCall

    @property
    def are_right(self) -> bool:
        """Tell whether the student's answers are the reference's but for rounding."""
        return self.first.is_right and self.second.is_right

    def further(self, seed: int, count: int) -> Iterator[RecordedCall]:
        """Yield the call with further numbers, until there are `count` draws with both of these."""
        return (self.prepared.recorded(seed + number) for number in range(2, count))


def recorded_calls(
    calls: Sequence[SmallCall], sides: RecordingSides, seed: int, example: Counterexample | None
) -> Iterator[TwoDraws]:
    """Yield the calls that can be made, each with generic numbers of two draws."""
    for call in _in_order(calls, example)[:MOST_CALLS]:
        lengths = next((one for one in generic_sizes(call) if sides.allows(call, one)), None)
        if lengths is None:
            continue
        try:
            prepared = sides.prepared(call, lengths)
            first = prepared.recorded(seed)
            if first.is_wrong and prepared.settle(seed):
                first = prepared.recorded(seed)
            second = prepared.recorded(seed + 1)
        except (CheckFailed, StudentRaised):
            continue  # the module is not made, or has no room for a parameter
        yield TwoDraws(prepared, first, second)


def _in_order(calls: Sequence[SmallCall], example: Counterexample | None) -> list[SmallCall]:
    if example is None:
        return list(calls)
    names = {one.name for one in example.inputs}
    return sorted(calls, key=lambda call: (not names <= set(call.given), len(call.given)))
