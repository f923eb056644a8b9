"""A course as `grader validate` sees it: its entries, what they edit, and which do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..course import Course
from ..misconceptions import (
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
    load_entries,
)
from ..mistakes import MistakeList, load_mistakes
from ..rubric import Exercise
from .gap import Gap, gap_at, gap_of
from .uses import Uses, touched, uses_of

BLANK_ANSWERS = "reference/blank_answers.py"


@dataclass(frozen=True)
class Edited:
    """An entry and the submission that it makes of the reference."""

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
    """Everything that was read of a course, and what was wrong with it."""

    course: Course
    slugs: tuple[str, ...]
    references: dict[str, str] = field(default_factory=dict)
    """Stem to source."""
    uses: Uses = field(default_factory=dict)
    """What each definition of the references mentions."""
    edited: list[Edited] = field(default_factory=list)
    may_earn: dict[str, str] = field(default_factory=dict)
    """Criterion or slug/criterion that a blank answer may earn, and why."""
    mistakes: MistakeList | None = None
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
    """The course's data, narrowed to the exercises in `only` where that is not empty.

    Raises CourseError for a reference that is not there.
    """
    data = CourseData(course, tuple(only) or tuple(course.rubric.exercises))
    for stem in dict.fromkeys(e.assignment for e in course.rubric.exercises.values()):
        data.references[stem] = course.reference(stem).read_text(encoding="utf-8")
    data.uses = uses_of(data.references)
    for kind in ("misconceptions", "variants"):
        for stem in data.references:
            _take_entries(data, kind, stem)
    if (course.root / BLANK_ANSWERS).is_file():
        _take_blank_answers(data)
    if (course.root / "reference/mistakes.py").is_file():
        try:
            data.mistakes = load_mistakes(course.root)
        except MisconceptionError as error:
            data.gaps.append(gap_of(error, "mend the list"))
    data.gaps += _same_source_twice(data)
    wanted = set(data.slugs)
    data.edited = [each for each in data.edited if wanted & {*each.slugs}]
    return data


def _take_entries(data: CourseData, kind: str, stem: str) -> None:
    shown = f"reference/{kind}/{stem}.py"
    path = data.course.root / shown
    if not path.is_file():
        some = "mistakes that people make" if kind == "misconceptions" else "other right ways"
        data.gaps.append(
            Gap(shown, 1, "there is no such file", f"write it: {some} in {stem}, as entries")
        )
        return
    for entry, origin in _entries(data, path, shown):
        wanted = Misconception if kind == "misconceptions" else Variant
        if isinstance(entry, wanted):
            _edit(data, stem, entry, origin)
        else:
            message = f"{entry.id}: a {type(entry).__name__} among the {kind}"
            data.gaps.append(gap_at(origin.place(entry), message, "move it where it belongs"))


def _take_blank_answers(data: CourseData) -> None:
    path = data.course.root / BLANK_ANSWERS
    # None of its own is fine: zeros and the like are made for every exercise.
    has_own = "BlankAnswer(" in path.read_text(encoding="utf-8")
    for entry, origin in _entries(data, path, BLANK_ANSWERS) if has_own else ():
        definition = entry.target.partition(".")[0]
        exercises = data.course.rubric.exercises.values()
        stem = next((e.assignment for e in exercises if definition in e.targets), "")
        if stem:
            _edit(data, stem, entry, origin)
        else:
            message = f"{entry.id}: no exercise has the target {definition}"
            data.gaps.append(gap_at(origin.place(entry), message, "name one of rubric.yaml"))
    try:
        data.may_earn = dict(getattr(load_data(path, BLANK_ANSWERS), "MAY_EARN", {}))
    except MisconceptionError:
        return  # told above
    known = {c for e in data.course.rubric.exercises.values() for c in e.criteria}
    known |= {f"{e.slug}/{c}" for e in data.course.rubric.exercises.values() for c in e.criteria}
    for name in data.may_earn:
        if name not in known:
            message = f"MAY_EARN: the rubric has no criterion '{name}'"
            data.gaps.append(Gap(BLANK_ANSWERS, _line_of(path, name), message, "take it out"))


def _line_of(path: Path, name: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((n for n, line in enumerate(lines, 1) if f'"{name}"' in line), 1)


def _entries(data: CourseData, path: Path, shown: str) -> Iterator[tuple[Entry, Origin]]:
    try:
        entries, origin = load_entries(path, shown)
    except MisconceptionError as error:
        data.gaps.append(gap_of(error, "mend this module; nothing of it was tried"))
        return
    yield from ((entry, origin) for entry in entries)


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
    if isinstance(entry, BlankAnswer):
        # Who uses it may have understood everything else.
        reached = [e.slug for e in rubric.exercises.values() if definition in e.targets]
    else:
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
