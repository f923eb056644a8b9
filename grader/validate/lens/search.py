"""Search the edits of the reference for one that computes what a group of students computes."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from .likeness import FailedChecks, alike
from .own_text import OwnPieces, pieces_of
from .reduction import Pieces, reduced
from .statement_lines import definitions
from .transplant import changed_lines, transplanted

SHOWN = 3
"""The most edits of a group that are kept: all of them compute the same."""
MOST_TEXTS = 3
"""The students of a group whose text is read: the first ones that handed in a `.py` file."""
MOST_PIECES = 40
"""A text that differs in more has little in common with the reference."""
FEW_LINES = 4
"""One edit of so many lines at most is as good an answer as one of the grammar."""

Made = tuple[CandidateEdit, FailedChecks]
TextsOf = Callable[[str], Mapping[str, str]]
"""Id of a student -> their texts, by the stems of the assignments; none that cannot be read."""


def no_texts(_student: str) -> Mapping[str, str]:
    """Return nothing: where the submissions are not there any more."""
    return {}


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
    course: Course,
    groups: Sequence[UnnamedGroup],
    options: Options,
    most_pairs: int,
    texts: TextsOf = no_texts,
) -> Iterator[GroupMatch]:
    """Yield what each group wrote, as far as edits of the reference do the same.

    Edits are those of the grammar, and what a student of the group has in place of the reference's
    lines. Each is handed in and graded in the jail as a submission is. At most `most_pairs` pairs
    are tried for a group, the most likely first. Raises CourseError, EngineError,
    MisconceptionError.
    """
    slugs = tuple(dict.fromkeys(group.slug for group in groups))
    if not slugs:
        return
    data = read_course(course, slugs)
    options = replace(options, only=slugs, diagnose=False)
    with Engine(each_for_itself(course), options) as engine:
        for slug in slugs:
            own = [group for group in groups if group.slug == slug]
            search = _ExerciseSearch(data, engine, slug, own, texts)
            for group in own:
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
    """The edits of one exercise, each graded once for all of its groups.

    An edit is graded by one failed check of each group first. Only one that computes there what
    some group does is graded by all checks.
    """

    def __init__(
        self,
        data: CourseData,
        engine: Engine,
        slug: str,
        groups: Sequence[UnnamedGroup],
        texts: TextsOf,
    ) -> None:
        self._data, self._engine, self._slug, self._texts = data, engine, slug, texts
        self._candidates = Candidates(data, slug)
        self._sieve = {group.students: _telling(group.failed) for group in groups}
        self._tried: dict[str, FailedChecks] = {}
        """What each edit computes in the checks of the sieve."""
        self._made: dict[str, FailedChecks] = {}
        """What an edit computes in all checks."""

    def of(self, group: UnnamedGroup, most_pairs: int) -> GroupMatch:
        """Return the edits that compute what this group does."""
        every: list[CandidateEdit] = []
        own: CandidateEdit | None = None
        for stage in self._stages():
            every += stage
            if same := _same(group.failed, self._whole(self._like(group, stage))):
                return GroupMatch(group, same, len(every))
            own = own or self._own_text(group)
            if own and self._is_one_edit(own):
                return GroupMatch(group, (own,), len(every))
        match = self._in_pairs(group, every, most_pairs)
        return replace(match, edits=(own,)) if own and not match.edits else match

    def _is_one_edit(self, own: CandidateEdit) -> bool:
        """Tell whether a student's own text is as good an answer as an edit of the grammar."""
        reference = self._data.references[own.stem]
        return len(own.edits) == 1 and changed_lines(own, reference) <= FEW_LINES

    def _own_text(self, group: UnnamedGroup) -> CandidateEdit | None:
        """Return the few pieces of a student's text that make the reference compute the same."""
        exercise = self._data.exercises[self._slug]
        stem, reference = exercise.assignment, self._data.references[exercise.assignment]
        every = tuple(definitions(ast.parse(reference)))
        targets = tuple(dict.fromkeys(name.partition(".")[0] for name in exercise.targets))
        texts = (self._texts(student).get(stem) for student in group.students)
        for text in islice(filter(None, texts), MOST_TEXTS):
            for names in (targets, every):
                own = pieces_of(reference, text, names)
                if own and 0 < len(own.pieces) <= MOST_PIECES and (made := self._few(group, own)):
                    return made
        return None

    def _few(self, group: UnnamedGroup, own: OwnPieces) -> CandidateEdit | None:
        stem = self._data.exercises[self._slug].assignment
        reference = self._data.references[stem]

        def reproduces(sets: Sequence[Pieces]) -> list[bool]:
            made = [transplanted(stem, reference, own, one) for one in sets]
            seen = self._graded([one for one in made if one is not None], everywhere=True)
            return [one is not None and group.failed.is_same(seen[one.id]) for one in made]

        chosen = reduced(len(own.pieces), reproduces)
        return None if chosen is None else transplanted(stem, reference, own, chosen)

    def _stages(self) -> Iterator[tuple[CandidateEdit, ...]]:
        """Yield the edits in the order of their likelihood; the later ones only if need be."""
        yield self._candidates.single
        yield self._candidates.wider
        yield self._candidates.learnt

    def _like(
        self, group: UnnamedGroup, candidates: Sequence[CandidateEdit]
    ) -> Iterator[CandidateEdit]:
        """Yield the candidates that compute the same in the group's check of the sieve."""
        new = [one for one in candidates if one.id not in self._tried and not one.remembers]
        self._tried |= self._graded(new, tuple(dict.fromkeys(self._sieve.values())))
        check = self._sieve[group.students]
        for one in candidates:
            made = self._tried[one.id].numbers.get(check, "") if not one.remembers else ""
            if one.remembers or alike(group.failed.numbers[check], made):
                yield one

    def _in_pairs(
        self, group: UnnamedGroup, every: Sequence[CandidateEdit], most: int
    ) -> GroupMatch:
        """Return what two edits compute, or else the nearest one."""
        seen = group.failed
        learnt = {one.id for one in self._candidates.learnt}
        single = (one for one in every if one.id not in learnt) if most else ()
        made = list(self._whole(single or self._like(group, every)))
        both = list(islice(self._pairs(seen, made), most))
        results = self._graded(both)
        tried = len(every) + len(both)
        if same := _same(seen, [(one, results[one.id]) for one in both]):
            return GroupMatch(group, same, tried)
        agreeing = [(seen.reproduced_by(checks), one) for one, checks in made]
        agrees, nearest = max(agreeing, key=lambda pair: pair[0], default=(0, None))
        return GroupMatch(group, (), tried, nearest if agrees else None, agrees)

    def _pairs(self, seen: FailedChecks, made: Sequence[Made]) -> Iterator[CandidateEdit]:
        """Yield pairs of edits neither of which fails what the group passes.

        Known mistakes and the edits that a suite is proven on come before the wider ones.
        """
        likely = {one.id for one in self._candidates.single}
        fitting = [
            (one.id in likely, seen.reproduced_by(checks), len(checks.numbers), one)
            for one, checks in made
            if checks.numbers and checks.numbers.keys() <= seen.numbers.keys() | seen.unjudged
        ]
        fitting.sort(key=lambda row: row[:3], reverse=True)
        for first, second in in_pairs([one for _likely, _agrees, _fails, one in fitting]):
            both = self._candidates.both(first, second)
            if both is not None:
                yield both

    def _whole(self, candidates: Iterable[CandidateEdit]) -> Iterator[Made]:
        """Yield each candidate with what it computes in all checks."""
        some = list(candidates)
        self._made |= self._graded([one for one in some if one.id not in self._made])
        for one in some:  # in their order, whichever lane was first
            yield one, self._made[one.id]

    def _graded(
        self,
        candidates: Iterable[CandidateEdit],
        checks: tuple[str, ...] = (),
        *,
        everywhere: bool = False,
    ) -> dict[str, FailedChecks]:
        by_id = {candidate.id: candidate for candidate in candidates}
        whole = Scope((self._slug,), diagnose=False)
        scopes = {
            id: whole if everywhere else self._scope(one, checks) for id, one in by_id.items()
        }
        submissions = (_submission(self._data, one) for one in by_id.values())
        return {
            result.submission.id: failed_checks(result.observations)
            for result in self._engine.grade(submissions, scopes)
        }

    def _scope(self, candidate: CandidateEdit, checks: tuple[str, ...]) -> Scope:
        if checks:  # a few: all of them run, so that at least one worker tells its isolation
            return Scope((self._slug,), diagnose=False, checks=checks)
        seen_in = tuple(sorted(users(self._data.uses, candidate.place)))
        return Scope((self._slug,), seen_in=seen_in, diagnose=False)


def _telling(failed: FailedChecks) -> str:
    """Return the failed check whose fingerprint holds the most, so that few edits share it."""
    return max(failed.numbers, key=lambda id: (len(failed.numbers[id]), id))


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
