"""Search the edits of the reference for one that computes what a group of students computes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ...class_report.data.class_data import JUDGED_WRONG
from ...course.course import Course
from ...course.scope import Scope
from ...course.uses import users
from ...engine.engine import Engine, Options
from ...grade.counterexample import Counterexample
from ...grade.evidence import Observation, Outcome
from ...submission.submission import Submission
from ..data import CourseData, read_course
from ..trials import each_for_itself
from .candidates import CandidateEdit, Candidates, in_pairs
from .groups import UnnamedGroup
from .likeness import FailedChecks

SHOWN = 3
"""The most edits of a group that are kept: all of them compute the same."""


Made = tuple[CandidateEdit, FailedChecks]


@dataclass(frozen=True)
class GroupMatch:
    """The edits that compute what a group computes, and how many were tried."""

    group: UnnamedGroup
    edits: tuple[CandidateEdit, ...]
    """Single edits if there are any, else pairs; empty if none computes the same."""
    tried: int
    nearest: CandidateEdit | None = None
    """Where no edit computes the same: the one that does in the most checks, if any does."""
    agrees_in: int = 0
    """The number of failed checks in which the nearest computes the same."""


def matches(
    course: Course, groups: Sequence[UnnamedGroup], options: Options, most_pairs: int
) -> Iterator[GroupMatch]:
    """Yield what each group wrote, as far as one or two edits of the reference do the same.

    Each edit is handed in and graded in the jail as a submission is. At most `most_pairs` pairs are
    tried for a group, the most likely first. Raises CourseError, EngineError, MisconceptionError.
    """
    slugs = tuple(dict.fromkeys(group.slug for group in groups))
    if not slugs:
        return
    data = read_course(course, slugs)
    options = replace(options, only=slugs, diagnose=False)
    with Engine(each_for_itself(course), options) as engine:
        for slug in slugs:
            search = _ExerciseSearch(data, engine, slug)
            for group in groups:
                if group.slug == slug:
                    yield search.of(group, most_pairs)


def smallest_inputs(
    course: Course, all_matches: Sequence[GroupMatch], options: Options
) -> Mapping[str, Counterexample]:
    """Return a smallest input that shows the edit, by the id of each match's first edit.

    An edit for which there is no small one is left out. Raises CourseError, EngineError.
    """
    explained = [(match.edits[0], match.group.slug) for match in all_matches if match.edits]
    first = {edit.id: (edit, slug) for edit, slug in explained}
    if not first:
        return {}
    slugs = tuple(dict.fromkeys(slug for _edit, slug in first.values()))
    data = read_course(course, slugs)
    options = replace(options, only=slugs, diagnose=False, counterexamples=True)
    scopes = {id: Scope((slug,), diagnose=False) for id, (_edit, slug) in first.items()}
    submissions = [_submission(data, edit) for edit, _slug in first.values()]
    with Engine(each_for_itself(course), options) as engine:
        results = {r.submission.id: r.observations for r in engine.grade(submissions, scopes)}
    small = ((id, one.counterexample) for id, seen in results.items() for one in seen)
    return {id: example for id, example in small if example is not None}


class _ExerciseSearch:
    """The edits of one exercise, each graded once for all of its groups."""

    def __init__(self, data: CourseData, engine: Engine, slug: str) -> None:
        self._data, self._engine, self._slug = data, engine, slug
        self._candidates = Candidates(data, slug)
        self._made = list(self._graded(self._candidates.single))
        self._is_wide = False

    def of(self, group: UnnamedGroup, most_pairs: int) -> GroupMatch:
        """Return the edits that compute what this group does."""
        seen = group.failed
        if same := _same(seen, self._made):
            return GroupMatch(group, same, len(self._made))
        self._widen()
        if same := _same(seen, self._made):
            return GroupMatch(group, same, len(self._made))
        both = list(islice(self._pairs(seen), most_pairs))
        same = _same(seen, list(self._graded(both)))
        tried = len(self._made) + len(both)
        if same:
            return GroupMatch(group, same, tried)
        agreeing = [(seen.reproduced_by(made), one) for one, made in self._made]
        most, nearest = max(agreeing, key=lambda pair: pair[0], default=(0, None))
        return GroupMatch(group, (), tried, nearest if most else None, most)

    def _widen(self) -> None:
        """Grade the edits of the wider grammar too, once: they take as long as all the others."""
        if not self._is_wide:
            self._is_wide = True
            self._made += self._graded(self._candidates.wider)

    def _pairs(self, seen: FailedChecks) -> Iterator[CandidateEdit]:
        """Yield pairs of edits neither of which fails what the group passes."""
        fitting = [
            (seen.reproduced_by(made), len(made.numbers), one)
            for one, made in self._made
            if made.numbers and made.numbers.keys() <= seen.numbers.keys() | seen.unjudged
        ]
        fitting.sort(key=lambda row: row[:2], reverse=True)
        for first, second in in_pairs([one for _agrees, _fails, one in fitting]):
            both = self._candidates.both(first, second)
            if both is not None:
                yield both

    def _graded(self, candidates: Iterable[CandidateEdit]) -> Iterator[Made]:
        by_id = {candidate.id: candidate for candidate in candidates}
        scopes = {id: self._scope(one) for id, one in by_id.items()}
        submissions = (_submission(self._data, one) for one in by_id.values())
        results = {
            result.submission.id: failed_checks(result.observations)
            for result in self._engine.grade(submissions, scopes)
        }
        for id, candidate in by_id.items():  # in their order, whichever lane was first
            yield candidate, results[id]

    def _scope(self, candidate: CandidateEdit) -> Scope:
        seen_in = tuple(sorted(users(self._data.uses, candidate.place)))
        return Scope((self._slug,), seen_in=seen_in, diagnose=False)


def _submission(data: CourseData, candidate: CandidateEdit) -> Submission:
    sources = {**data.references, candidate.stem: candidate.source}
    files = {f"{stem}.py": source.encode() for stem, source in sources.items()}
    digest = hashlib.sha256(candidate.id.encode()).hexdigest()
    return Submission(id=candidate.id, files=files, digest=digest, path="")


def _same(seen: FailedChecks, made: Iterable[Made]) -> tuple[CandidateEdit, ...]:
    """Return those that compute the same, the most alike in other checks first."""
    same = [(seen.differs_in(failed), one) for one, failed in made if seen.is_same(failed)]
    same.sort(key=lambda pair: pair[0])
    return tuple(one for differs, one in same if differs == same[0][0])[:SHOWN]


def failed_checks(observations: Iterable[Observation]) -> FailedChecks:
    failing = [one for one in observations if one.outcome in JUDGED_WRONG]
    numbers = {
        one.check: one.fingerprint
        for one in failing
        if one.outcome is Outcome.FAILED and one.fingerprint
    }
    others = frozenset(one.check for one in failing if one.check not in numbers)
    return FailedChecks(numbers, others)
