"""Grade a class by what the course says now, and say what that changes, before it counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from grader.batch.discovery import Entry
from grader.batch.gradebook import Row, row_of
from grader.batch.partial_regrade import PartialRun, can_be_joined, joined, partial_run
from grader.batch.progress import UNSEEN, Steps
from grader.batch.record_file import RecordFile
from grader.batch.time_columns import TimesById
from grader.batch.tries import Tries
from grader.course.rubric import Rubric
from grader.course.scope import Scope
from grader.report import json as json_report
from grader.report.content import Graded, Grader, report_on
from grader.report.counted_hand_in import ATTEMPT
from grader.store.adjusting import KEY, adjusted, sum_of
from grader.store.conditions import changed_suites, digest_of_inputs
from grader.store.late_work import NO_TIMES, with_lateness
from grader.store.rescoring import rescored
from grader.store.results import Results
from grader.store.ruled_totals import with_totals
from grader.store.store import Adjustment, Kept, Record
from grader.submission.submission import Submission, SubmissionError
from grader.text.language import marked
from grader.text.points import signed

NOT_LOWER = "not lower"
"""The kind of an adjustment that keeps a regrade from taking points away."""
ONLY_CAUSE = "only cause"
"""The kind of an adjustment that keeps a regrade from touching those whom it is not about."""


@dataclass(frozen=True)
class Regraded:
    """One student's record as it counts, and as it would be now."""

    before: Record
    after: Record
    ran: bool = False
    """True if code of the student ran for it."""
    problem: str = ""
    """Why there is nothing newer, so that `after` is `before`."""

    @property
    def student(self) -> str:
        return str(self.before["submission"]["id"])


@dataclass(frozen=True)
class Policy:
    """The limits of a regrade: whom it may change, and in which direction."""

    never_lower: bool = False
    only_causes: frozenset[str] = frozenset()
    """The ids of the mistakes that the regrade is about; nobody else's points change."""
    forced: frozenset[str] = frozenset()
    """Students whose code runs again, and whose new points count whatever they are."""
    reason: str = ""
    """Why they are forced."""
    author: str = ""
    times: TimesById = field(default_factory=dict)
    """When students handed in, as far as that is known."""


GradePart = Callable[[Iterable[Submission], Mapping[str, Scope]], Iterator[Graded]]
"""Grades submissions on what the scope says that their id has."""


@dataclass(frozen=True)
class WatchedGrader:
    """A grader for those whose code has to run, and who is told how far it has come."""

    grader: Grader
    on_row: Callable[[Row], None] = lambda _row: None
    steps: Steps = UNSEEN
    grade_part: GradePart | None = None
    """Grades each submission on some exercises alone; None if this grader cannot."""


@dataclass(frozen=True)
class _Waiting:
    """A student whose code has to run."""

    before: Record
    kept: Kept
    submission: Submission
    part: PartialRun | None = None
    """The exercises that have to run; None if all of them."""


@dataclass(frozen=True)
class Earlier:
    """A class as it was graded, and how to grade it again."""

    records: tuple[Record, ...]
    results: Results
    rubric: Rubric
    only: tuple[str, ...] = ()

    def regraded(
        self,
        entries: Callable[[], Mapping[str, Entry]],
        open_grader: Callable[[int], AbstractContextManager[WatchedGrader]],
        forced: Iterable[str] = (),
    ) -> Iterator[Regraded]:
        """Yield everybody, graded by what the course says now; what ran is kept in the store.

        `entries` finds the submissions, and `open_grader` a grader for so many of them. They are
        called only if somebody's code has to run.

        Raises StoreError and WritingError, and what these two raise.
        """
        waiting = []
        anew = frozenset(forced)
        for record in self.records:
            kept = self.results.store.newest_of(record)
            if "problem" in record or kept is None:
                yield Regraded(record, record, problem=record.get("problem", "not in the store"))
            elif self._needs_to_run(kept) or kept.student in anew:
                waiting.append((record, kept))
            else:
                yield Regraded(record, rescored(kept.record, self.rubric))
        if waiting:
            yield from self._run(waiting, entries(), open_grader, anew)

    def _needs_to_run(self, kept: Kept) -> bool:
        now = self.results.conditions.digest_of_run
        return not kept.final or kept.conditions.digest_of_run != now

    def _run(
        self,
        waiting: Iterable[tuple[Record, Kept]],
        entries: Mapping[str, Entry],
        open_grader: Callable[[int], AbstractContextManager[WatchedGrader]],
        anew: Collection[str],
    ) -> Iterator[Regraded]:
        left: dict[str, _Waiting] = {}
        for record, kept in waiting:
            try:
                submission = _same_as_then(kept, entries)
            except SubmissionError as error:
                yield Regraded(record, record, problem=str(error))
                continue
            part = None if kept.student in anew else self._part(kept)
            left[submission.id] = _Waiting(record, kept, submission, part)
        if not left:
            return
        with open_grader(len(left)) as watched:
            for grade in (self._joined, self._graded):
                for id, after in grade(dict(left), watched):
                    watched.on_row(row_of(after))
                    yield Regraded(left.pop(id).before, after, ran=True)
        for one in left.values():
            problem = "grading ended without a result; try again"
            yield Regraded(one.before, one.before, problem=problem)

    def _part(self, kept: Kept) -> PartialRun | None:
        """Return the exercises that have to run, if that is known, and they are not all."""
        now = self.results.conditions
        changed = changed_suites(kept.conditions, now)
        if not (kept.final and changed and can_be_joined(kept.record)):
            return None
        slugs = now.exercises.split()
        part = partial_run(changed, self.rubric, slugs)
        return None if set(part.run) == set(slugs) else part

    def _joined(
        self, waiting: Mapping[str, _Waiting], watched: WatchedGrader
    ) -> Iterator[tuple[str, Record]]:
        """Yield the new record of each of whom some exercises run, and the others stay."""
        parts = {id: one.part for id, one in waiting.items() if one.part is not None}
        if not parts or watched.grade_part is None:
            return
        submissions = (waiting[id].submission for id in parts)
        scopes = {id: Scope(part.run) for id, part in parts.items()}
        for graded in watched.grade_part(_announced(submissions, watched.steps), scopes):
            id = graded.submission.id
            part, kept = parts[id], waiting[id].kept.record
            report = report_on(graded, self.rubric, part.run, for_staff=True)
            fresh = json_report.as_dict(report, for_staff=True)
            record = joined(kept, fresh, part, self.rubric)
            if record is None:
                watched.steps.on_put_off(id)
                continue
            self.results.keep(graded.submission, record)
            yield id, record

    def _graded(
        self, waiting: Mapping[str, _Waiting], watched: WatchedGrader
    ) -> Iterator[tuple[str, Record]]:
        """Yield the new record of each, as `grader batch` does: twice tried, if it was chance."""
        submissions = {id: one.submission for id, one in waiting.items()}
        tries = Tries(RecordFile(self.results.store.path.parent))
        for id, record in self._records(submissions.values(), watched):
            if tries.is_done(id, record):
                yield id, record
            else:
                watched.steps.on_put_off(id)
        again = (submissions[id] for id in tries.once_more())
        for id, record in self._records(again, watched):
            yield id, tries.last(id, record)
        yield from tries.rest()

    def _records(
        self, submissions: Iterable[Submission], watched: WatchedGrader
    ) -> Iterator[tuple[str, Record]]:
        for graded in watched.grader.grade(_announced(submissions, watched.steps)):
            report = report_on(graded, self.rubric, self.only, for_staff=True)
            record = json_report.as_dict(report, for_staff=True)
            self.results.keep(graded.submission, record)
            yield graded.submission.id, record


def _announced(submissions: Iterable[Submission], steps: Steps) -> Iterator[Submission]:
    for one in submissions:
        steps.on_start(one.id)
        yield one


def _same_as_then(kept: Kept, entries: Mapping[str, Entry]) -> Submission:
    """Return a student's submission. Raises SubmissionError if it is not the one graded then."""
    if kept.student not in entries:
        raise SubmissionError("the submission is not there any more; give its folder with --from")
    submission = entries[kept.student].read()
    if digest_of_inputs(submission) != kept.inputs:
        raise SubmissionError("the submission has changed since; grade it with grader batch")
    return submission


def settled(one: Regraded, policy: Policy, rubric: Rubric) -> tuple[Record, tuple[Adjustment, ...]]:
    """Return the record that counts after a regrade, and the adjustments that make it so.

    What lateness and rules on totals change is part of it. An adjustment of 0 points takes back
    one of an earlier regrade.
    """
    if "problem" in one.after or one.problem:
        return one.before, ()
    given_by_people = [_read(line, one.student) for line in _by_people(one.before)]
    times = policy.times.get(one.student, NO_TIMES)
    after = with_lateness(_of_hand_in(one.before, one.after), rubric, times)
    after = adjusted(with_totals(after, rubric), given_by_people)
    before = total_of(one.before)
    lost = (before or Fraction(0)) - (total_of(after) or Fraction(0))
    kinds = dict.fromkeys((NOT_LOWER, ONLY_CAUSE), Fraction(0))
    reasons = {
        NOT_LOWER: marked("a regrade takes no points away"),
        ONLY_CAUSE: marked("the regrade is for others"),
    }
    if before is not None and one.student not in policy.forced:
        if policy.only_causes and not policy.only_causes & causes_in(one.before):
            kinds[ONLY_CAUSE] = lost
        elif policy.never_lower and lost > 0:
            kinds[NOT_LOWER] = lost
    automatic = Fraction(after["points"])
    made = tuple(
        Adjustment(one.student, kind, points, automatic, reasons[kind], "")
        for kind, points in kinds.items()
    )
    counted = [*given_by_people, *(each for each in made if each.points)]
    after = adjusted(after, counted)
    if one.student in policy.forced:
        after = {**after, "forced": {"reason": policy.reason, "author": policy.author}}
    return after, made


def _of_hand_in(before: Record, after: Record) -> Record:
    """Return a new record with what is known of the hand-in that both are of."""
    kept = {key: before[key] for key in ("late", ATTEMPT) if before.get(key)}
    return {**after, **kept}


def _by_people(record: Record) -> Iterator[Mapping[str, Any]]:
    """Yield the adjustments that a person made; those of an earlier regrade are made anew."""
    yield from (one for one in record.get(KEY, ()) if one["author"])


def _read(line: Mapping[str, Any], student: str) -> Adjustment:
    points, automatic = Fraction(line["points"]), Fraction(line["automatic"])
    return Adjustment(student, line["kind"], points, automatic, line["reason"], line["author"])


def total_of(record: Record) -> Fraction | None:
    """Return the points of a record with its adjustments; None if nothing could be graded."""
    return None if "problem" in record else Fraction(record["points"]) + sum_of(record)


def causes_in(record: Record) -> frozenset[str]:
    """Return the ids of all mistakes that were named in a record."""
    checks = (check for exercise in record["exercises"] for check in exercise["checks"])
    return frozenset(
        cause["id"]
        for check in checks
        for cause in (check["cause"], *check["also"])
        if cause is not None
    )


@dataclass(frozen=True)
class CriterionChange:
    """A criterion that is worth other points to a student than before."""

    name: str
    """`slug/criterion`."""
    before: Fraction | None
    after: Fraction | None
    checks: tuple[str, ...]
    """The checks with another outcome, such as `test_values: failed -> passed`."""


@dataclass(frozen=True)
class Change:
    """The difference that a regrade makes to one student."""

    student: str
    before: Fraction | None
    after: Fraction | None
    criteria: tuple[CriterionChange, ...]
    crossed: tuple[str, ...] = ()
    """The marks that are reached or lost by it, such as `50 % reached`."""
    beside: tuple[str, ...] = ()
    """The adjustments with other points than before, in words."""

    @property
    def difference(self) -> Fraction:
        return (self.after or Fraction(0)) - (self.before or Fraction(0))


def change_of(before: Record, after: Record, marks: Iterable[int] = ()) -> Change | None:
    """Return what differs for a student, or None if nothing does.

    `marks` are per cent of all points that can be had automatically.
    """
    old, new = total_of(before), total_of(after)
    criteria = tuple(_criteria_changes(before, after))
    if old == new and not criteria:
        return None
    crossed = tuple(_crossed(before, after, marks))
    beside = tuple(_beside(before, after))
    return Change(str(before["submission"]["id"]), old, new, criteria, crossed, beside)


def _beside(before: Record, after: Record) -> Iterator[str]:
    """Say of each adjustment that has other points now what it was and is, and why."""
    old = {one["kind"]: one for one in before.get(KEY, ())}
    new = {one["kind"]: one for one in after.get(KEY, ())}
    for kind in dict.fromkeys((*old, *new)):
        was, now = old.get(kind), new.get(kind)
        if _worth(was) != _worth(now):
            reason = now["reason"] if now else "not any more"
            yield f"{kind}: {signed(_worth(was))} -> {signed(_worth(now))} ({reason})"


def _worth(adjustment: Mapping[str, Any] | None) -> Fraction:
    return Fraction(adjustment["points"]) if adjustment else Fraction(0)


def _criteria_changes(before: Record, after: Record) -> Iterator[CriterionChange]:
    old, new = _criteria(before), _criteria(after)
    outcomes, now = _outcomes(before), _outcomes(after)
    for name in dict.fromkeys((*old, *new)):
        turned = tuple(
            f"{check.split('/', 2)[2]}: {outcomes.get(check, 'no check')} -> "
            f"{now.get(check, 'no check')}"
            for check in dict.fromkeys((*outcomes, *now))
            if check.startswith(f"{name}/") and outcomes.get(check) != now.get(check)
        )
        if old.get(name) != new.get(name):
            yield CriterionChange(name, old.get(name), new.get(name), turned)


def _criteria(record: Record) -> dict[str, Fraction | None]:
    return {
        f"{exercise['slug']}/{one['name']}": None
        if one["points"] is None
        else Fraction(one["points"])
        for exercise in record.get("exercises", ())
        for one in exercise["criteria"]
    }


def _outcomes(record: Record) -> dict[str, str]:
    exercises = record.get("exercises", ())
    return {check["check"]: check["outcome"] for one in exercises for check in one["checks"]}


def _crossed(before: Record, after: Record, marks: Iterable[int]) -> Iterator[str]:
    for mark in sorted(marks):
        had, has = _reaches(before, mark), _reaches(after, mark)
        if had != has:
            yield f"{mark} % {'reached' if has else 'lost'}"


def _reaches(record: Record, mark: int) -> bool:
    total = total_of(record)
    return total is not None and total * 100 >= mark * Fraction(record["max_points"])
