"""Read a course for `grader validate`: its entries, what they edit, and which do not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..course.course import Course
from ..course.misconceptions import (
    BlankAnswer,
    Entry,
    Misconception,
    MisconceptionError,
    Origin,
    Variant,
    apply_misconception,
    apply_variant,
    criteria_named,
    load_data,
)
from ..course.mistake_diff import read_families, read_mistakes
from ..course.mistake_list import MistakeList, load_mistakes
from ..course.rubric import Exercise
from ..course.uses import Uses, touched, uses_of
from ..course.whole_definitions import read_blank_answers, read_variants
from .gap import Gap, gap_at, gap_of

Read = TypeVar("Read")


@dataclass(frozen=True)
class Edited:
    """An entry, and the submission that it makes from the reference."""

    stem: str
    entry: Entry
    place: str
    source: str
    named: tuple[tuple[str, str], ...]
    """The criteria that it fails or earns, as (slug, criterion)."""
    slugs: tuple[str, ...]
    """The exercises it can reach."""


@dataclass
class CourseData:
    """Everything that was read of a course, and the gaps found in it."""

    course: Course
    slugs: tuple[str, ...]
    references: dict[str, str] = field(default_factory=dict)
    """Stem to source."""
    uses: Uses = field(default_factory=dict)
    """The definitions that each definition of the references mentions."""
    edited: list[Edited] = field(default_factory=list)
    may_earn: dict[str, str] = field(default_factory=dict)
    """Criterion or slug/criterion that a blank answer may earn -> the reason."""
    mistakes: MistakeList = field(default_factory=MistakeList)
    gaps: list[Gap] = field(default_factory=list)

    @property
    def exercises(self) -> Mapping[str, Exercise]:
        return {slug: self.course.rubric.exercises[slug] for slug in self.slugs}

    @property
    def misconceptions(self) -> list[Edited]:
        return [each for each in self.edited if isinstance(each.entry, Misconception)]

    @property
    def variants(self) -> list[Edited]:
        return [each for each in self.edited if isinstance(each.entry, Variant)]

    @property
    def blanks(self) -> list[Edited]:
        return [each for each in self.edited if isinstance(each.entry, BlankAnswer)]


def read_course(course: Course, only: Sequence[str] = ()) -> CourseData:
    """Read the course's data, narrowed to the exercises in `only` unless that is empty.

    Raises CourseError for a reference that is not there.
    """
    data = CourseData(course, tuple(only) or tuple(course.rubric.exercises))
    for stem in dict.fromkeys(e.assignment for e in course.rubric.exercises.values()):
        data.references[stem] = course.reference(stem).read_text(encoding="utf-8")
    data.uses = uses_of(data.references)
    _take_entries(data)
    if course.paths.blank_answers.is_file():
        _take_may_earn(data)
    try:
        data.mistakes = load_mistakes(course.paths)
    except MisconceptionError as error:
        data.gaps.append(gap_of(error, "mend the list"))
    data.gaps += _same_source_twice(data)
    wanted = set(data.slugs)
    data.edited = [each for each in data.edited if wanted & {*each.slugs}]
    return data


def _take_entries(data: CourseData) -> None:
    """Read the folder of every exercise; what cannot be read is a gap."""
    paths = data.course.paths
    families = _tried(data, partial(read_families, paths)) or {}
    exercises = data.course.rubric.exercises.values()
    for exercise in exercises:
        slug, stem = exercise.slug, exercise.assignment
        mistakes = _tried(data, partial(read_mistakes, paths, slug, families))
        if mistakes is not None and mistakes.stem != stem:
            message = f"changes {mistakes.stem}.py, but {slug} belongs to {stem}.py"
            place = paths.shown(paths.exercise(slug).mistakes)
            data.gaps.append(Gap(place, 1, message, f"write --- reference/{stem}.py"))
        elif mistakes is not None:
            _edit_all(data, slug, mistakes.entries, mistakes.origin)
    for exercise in exercises:
        variants = _tried(data, partial(read_variants, paths, exercise.slug))
        if variants is not None:
            _edit_all(data, exercise.slug, *variants)
    for exercise in exercises:
        blank_answers = _tried(data, partial(read_blank_answers, paths, exercise.slug))
        if blank_answers is not None:
            _edit_all(data, exercise.slug, *blank_answers)
    for path in (each.folder for each in paths.all_exercises()):
        if path.name not in data.course.rubric.exercises:
            message = f"the folder of {path.name}, which rubric.yaml does not have"
            next = "put the exercise back, or delete this folder"
            data.gaps.append(Gap(paths.shown(path), 1, message, next))


def _tried(data: CourseData, read: Callable[[], Read]) -> Read | None:
    """Return what is read, or None after noting why it cannot be."""
    try:
        return read()
    except MisconceptionError as error:
        data.gaps.append(gap_of(error, "mend this file; nothing of it was tried"))
        return None


def _edit_all(data: CourseData, slug: str, entries: Sequence[Entry], origin: Origin) -> None:
    exercises = data.course.rubric.exercises
    for entry in entries:
        definition = entry.target.partition(".")[0]
        owner = next((s for s, one in exercises.items() if definition in one.targets), slug)
        if owner == slug:
            _edit(data, exercises[slug].assignment, entry, origin)
        else:
            message = f"{entry.id}: {definition} is a target of {owner} and not of {slug}"
            data.gaps.append(gap_at(origin.place(entry), message, "move it where it belongs"))


def _take_may_earn(data: CourseData) -> None:
    path = data.course.paths.blank_answers
    shown = data.course.paths.shown(path)
    module = _tried(data, partial(load_data, path, shown))
    data.may_earn = dict(getattr(module, "MAY_EARN", {}))
    known = {c for e in data.course.rubric.exercises.values() for c in e.criteria}
    known |= {f"{e.slug}/{c}" for e in data.course.rubric.exercises.values() for c in e.criteria}
    for name in data.may_earn:
        if name not in known:
            message = f"MAY_EARN: the rubric has no criterion '{name}'"
            data.gaps.append(Gap(shown, _line_of(path, name), message, "take it out"))


def _line_of(path: Path, name: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((n for n, line in enumerate(lines, 1) if f'"{name}"' in line), 1)


def _edit(data: CourseData, stem: str, entry: Entry, origin: Origin) -> None:
    rubric, reference = data.course.rubric, data.references[stem]
    try:
        named: tuple[tuple[str, str], ...] = ()
        if isinstance(entry, Misconception):
            source = apply_misconception(reference, entry, origin)
            named = criteria_named(entry.fails, entry, rubric, origin)
        else:
            source = apply_variant(reference, entry, origin)
            if isinstance(entry, Variant):
                named = criteria_named(entry.earns, entry, rubric, origin)
    except MisconceptionError as error:
        data.gaps.append(gap_of(error, "mend the entry, or take it out"))
        return
    definition = entry.target.partition(".")[0]
    reached = [e.slug for e in rubric.exercises.values() if definition in e.targets]
    # A right way has to be right for whoever uses it. A mistake is proven where it is asked for and
    # where it says; who uses a blank answer may have understood everything else.
    if isinstance(entry, Variant) or not (reached or named):
        reached = touched(rubric, data.uses, (stem, definition))
    slugs = [slug for slug in rubric.exercises if slug in reached or slug in dict(named)]
    place = origin.place(entry)
    if isinstance(entry, Misconception) and not named:
        message = f"{entry.id}: names no criterion that it fails"
        data.gaps.append(gap_at(place, message, "name at least one in `fails`"))
    if not slugs:
        message = f"{entry.id}: no exercise uses {definition}"
        data.gaps.append(gap_at(place, message, "name a target of rubric.yaml, or take it out"))
    data.edited.append(Edited(stem, entry, place, source, named, tuple(slugs)))


def _same_source_twice(data: CourseData) -> Iterator[Gap]:
    seen: dict[tuple[type[Entry], str, str], str] = {}
    ids: set[str] = set()
    for each in data.edited:
        # A misconception of one exercise may be a variant of another.
        key = (type(each.entry), each.stem, each.source)
        same = "the reference" if each.source == data.references[each.stem] else seen.get(key)
        if same:
            message = f"{each.entry.id}: the same text as {same}"
            yield gap_at(each.place, message, "take it out: it proves nothing new")
        elif each.entry.id in ids:
            message = f"{each.entry.id}: the id is used twice"
            yield gap_at(each.place, message, "give it an id of its own")
        seen.setdefault(key, each.entry.id)
        ids.add(each.entry.id)
