"""Reads what a course needs around its exercises, for the syllabus.

`reference/frame.toml` has the tracks; `frame.toml` in the folder of an exercise says what that is
for, and in which week of which track it stands. So a new exercise brings it with its own folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course.prerequisites import needs
from grader.course.rubric import Rubric

FRAME = Path("reference") / "frame.toml"
EXERCISES = Path("reference") / "exercises"
PARTS = ("core", "more", "optional")
DIFFICULTIES = ("easy", "medium", "hard")


class FrameError(Exception):
    """A frame that does not fit its course; the message names each file and what to do."""


@dataclass(frozen=True)
class Words:
    """A text in both languages."""

    en: str
    ko: str


@dataclass(frozen=True)
class ExerciseFrame:
    """What is around one exercise."""

    objective: Words
    minutes: int
    difficulty: str
    part: str
    after: tuple[str, ...]
    """The exercises that it builds on, in code or in thought."""
    week: Mapping[str, int]
    """Name of a track -> the week in which it stands there."""


@dataclass(frozen=True)
class Track:
    """A selection of exercises, by week."""

    name: str
    title: Words
    weeks: tuple[tuple[str, ...], ...]

    @property
    def exercises(self) -> tuple[str, ...]:
        return tuple(slug for week in self.weeks for slug in week)


@dataclass(frozen=True)
class Replaced:
    """Exercises of a well-known course that ours can stand for."""

    course: str
    theirs: Words
    ours: tuple[str, ...]
    beyond: Words
    """What that course has and ours has not."""


@dataclass(frozen=True)
class Frame:
    """All that is around a course's exercises."""

    exercises: Mapping[str, ExerciseFrame]
    tracks: tuple[Track, ...] = ()
    replaced: tuple[Replaced, ...] = field(default=())


def frame_of(slug: str) -> Path:
    """Return where the frame of an exercise stands, from the course's root."""
    return EXERCISES / slug / "frame.toml"


def load_frame(root: Path, rubric: Rubric) -> Frame:
    """The frame of the course at `root`. Raises FrameError, with all that is wrong."""
    there = {path.parent.name for path in (root / EXERCISES).glob("*/frame.toml")}
    missing = [
        _problem(frame_of(slug), "is missing") for slug in rubric.exercises if slug not in there
    ]
    unknown = [
        _problem(frame_of(slug), "no such exercise")
        for slug in sorted(there)
        if slug not in rubric.exercises
    ]
    if missing or unknown:
        raise FrameError("\n".join([*missing, *unknown]))
    exercises = {
        slug: _exercise(_table(root / frame_of(slug)), slug, rubric) for slug in rubric.exercises
    }
    table = _table(root / FRAME)
    frame = Frame(
        exercises,
        tuple(_track(one, exercises) for one in table.get("track", ())),
        tuple(
            Replaced(
                one["course"], _words(one, "theirs"), tuple(one["ours"]), _words(one, "beyond")
            )
            for one in table.get("replaces", ())
        ),
    )
    if problems := list(_problems(frame, rubric)):
        raise FrameError("\n".join(problems))
    return frame


def _table(path: Path) -> Mapping[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _exercise(values: Mapping[str, Any], slug: str, rubric: Rubric) -> ExerciseFrame:
    used = needs(rubric.exercises[slug])
    named = {*used, *values.get("after", ())}
    after = tuple(other for other in rubric.exercises if other in named)
    if unknown := sorted(named - set(after)):
        raise FrameError(_problem(frame_of(slug), f"after: no such exercise: {', '.join(unknown)}"))
    return ExerciseFrame(
        _words(values, "objective"),
        int(values["minutes"]),
        values["difficulty"],
        values["part"],
        after,
        values.get("week", {}),
    )


def _track(values: Mapping[str, Any], exercises: Mapping[str, ExerciseFrame]) -> Track:
    """Return a track: the exercises that name it, each week in the order of the rubric."""
    name = str(values["name"])
    weeks = tuple(
        tuple(slug for slug, one in exercises.items() if one.week.get(name) == week)
        for week in range(1, int(values["weeks"]) + 1)
    )
    return Track(name, _words(values, "title"), weeks)


def _words(values: Mapping[str, Any], name: str) -> Words:
    return Words(str(values[name]), str(values[f"{name}_ko"]))


def _problems(frame: Frame, rubric: Rubric) -> Iterator[str]:
    order = list(rubric.exercises)
    weeks = {track.name: len(track.weeks) for track in frame.tracks}
    for slug, one in frame.exercises.items():
        path = frame_of(slug)
        if one.part not in PARTS or one.difficulty not in DIFFICULTIES or one.minutes <= 0:
            rule = f"part is one of {PARTS}, difficulty one of {DIFFICULTIES}, minutes > 0"
            yield _problem(path, rule)
        if late := [other for other in one.after if order.index(other) >= order.index(slug)]:
            yield _problem(path, f"after: comes later in the rubric: {', '.join(late)}")
        for name, week in one.week.items():
            if not 1 <= week <= weeks.get(name, 0):
                yield _problem(path, f"week: {name} has no week {week}")
    for track in frame.tracks:
        yield from _track_problems(track, frame)
    for replaced in frame.replaced:
        if unknown := [slug for slug in replaced.ours if slug not in rubric.exercises]:
            yield _problem(
                FRAME, f"{replaced.course}: ours: no such exercise: {', '.join(unknown)}"
            )


def _track_problems(track: Track, frame: Frame) -> Iterator[str]:
    done: set[str] = set()
    for slug in track.exercises:
        lacking = [other for other in frame.exercises[slug].after if other not in done]
        if lacking:
            yield _problem(frame_of(slug), f"week: in {track.name} before {', '.join(lacking)}")
        done.add(slug)
    for number, week in enumerate(track.weeks, start=1):
        if not week:
            yield _problem(FRAME, f"{track.title.en}: week {number} is empty")


def _problem(path: Path, text: str) -> str:
    return f"{path.as_posix()}: {text}"
