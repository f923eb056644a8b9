"""Reads `reference/frame.toml`: what a course needs around its exercises, for the syllabus."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course.prerequisites import needs
from grader.course.rubric import Rubric

FRAME = Path("reference") / "frame.toml"
PARTS = ("core", "more", "optional")
DIFFICULTIES = ("easy", "medium", "hard")


class FrameError(Exception):
    """A frame that does not fit its course; the message names the entry and what to do."""


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


@dataclass(frozen=True)
class Track:
    """A selection of exercises, by week."""

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
    """All of the file."""

    exercises: Mapping[str, ExerciseFrame]
    tracks: tuple[Track, ...] = ()
    replaced: tuple[Replaced, ...] = field(default=())


def load_frame(root: Path, rubric: Rubric) -> Frame:
    """The frame of the course at `root`. Raises FrameError, with all that is wrong."""
    table = tomllib.loads((root / FRAME).read_text(encoding="utf-8"))
    tracks, replaced = table.pop("track", []), table.pop("replaces", [])
    missing = [f"{slug}: has no entry" for slug in rubric.exercises if slug not in table]
    unknown = [f"{slug}: no such exercise" for slug in table if slug not in rubric.exercises]
    if missing or unknown:
        raise FrameError(_all([*missing, *unknown]))
    frame = Frame(
        {slug: _exercise(table[slug], slug, rubric) for slug in rubric.exercises},
        tuple(Track(_words(one, "title"), tuple(map(tuple, one["weeks"]))) for one in tracks),
        tuple(
            Replaced(
                one["course"], _words(one, "theirs"), tuple(one["ours"]), _words(one, "beyond")
            )
            for one in replaced
        ),
    )
    if problems := list(_problems(frame, rubric)):
        raise FrameError(_all(problems))
    return frame


def _exercise(values: Mapping[str, Any], slug: str, rubric: Rubric) -> ExerciseFrame:
    used = needs(rubric.exercises[slug])
    named = {*used, *values.get("after", ())}
    after = tuple(other for other in rubric.exercises if other in named)
    if unknown := sorted(named - set(after)):
        raise FrameError(_all([f"{slug}: after: no such exercise: {', '.join(unknown)}"]))
    return ExerciseFrame(
        _words(values, "objective"),
        int(values["minutes"]),
        values["difficulty"],
        values["part"],
        after,
    )


def _words(values: Mapping[str, Any], name: str) -> Words:
    return Words(str(values[name]), str(values[f"{name}_ko"]))


def _problems(frame: Frame, rubric: Rubric) -> Iterator[str]:
    order = list(rubric.exercises)
    for slug, one in frame.exercises.items():
        if one.part not in PARTS or one.difficulty not in DIFFICULTIES or one.minutes <= 0:
            yield f"{slug}: part is one of {PARTS}, difficulty one of {DIFFICULTIES}, minutes > 0"
        if late := [other for other in one.after if order.index(other) >= order.index(slug)]:
            yield f"{slug}: after: comes later in the rubric: {', '.join(late)}"
    for track in frame.tracks:
        yield from _track_problems(track, frame)
    for one_replaced in frame.replaced:
        if unknown := [slug for slug in one_replaced.ours if slug not in rubric.exercises]:
            yield f"{one_replaced.course}: ours: no such exercise: {', '.join(unknown)}"


def _track_problems(track: Track, frame: Frame) -> Iterator[str]:
    done: set[str] = set()
    for slug in track.exercises:
        if slug not in frame.exercises:
            yield f"{track.title.en}: no such exercise: {slug}"
            continue
        if slug in done:
            yield f"{track.title.en}: {slug} stands there twice"
        lacking = [other for other in frame.exercises[slug].after if other not in done]
        if lacking:
            yield f"{track.title.en}: {slug} comes before {', '.join(lacking)}"
        done.add(slug)


def _all(problems: list[str]) -> str:
    return "\n".join(f"{FRAME.as_posix()}: {problem}" for problem in problems)
