"""Read the mistakes of an exercise from its `mistakes.diff`: for each some words, and a diff.

    --- reference/b1_numbers.py

    id: mean.sum
    mistakes: not_divided
    fails: outputs
    cause: The sum is not divided by the number of values.
    @@ mean
    -return values.sum() / values.numel()
    +return values.sum()

An edit that fits several exercises is written once, in `reference/mistakes/families.diff`. There it
has no target; an exercise names it, `family: not_divided`, and its own target after `@@`. A family
may have several edits, each after a `@@`: the one that fits is taken. A line that begins with # is
a comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..text.problem import did_you_mean
from .edit import Edit
from .misconceptions import Misconception, MisconceptionError, Origin
from .paths import CoursePaths

_HEAD = "--- reference/"
_TARGET = "@@"
_WORDS = ("mistakes", "family", "fails", "cause", "unnamed")


@dataclass
class MistakeBlock:
    """One entry of a file as it was written."""

    line: int
    words: dict[str, str] = field(default_factory=dict)
    target: str | None = None
    edits: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class MistakesOfExercise:
    """The mistakes of one exercise, and the assignment whose reference they change."""

    stem: str
    entries: tuple[Misconception, ...]
    origin: Origin


def stem_of(path: Path) -> str:
    """Return the assignment whose reference a file of mistakes changes; "" if it names none."""
    with path.open(encoding="utf-8") as lines:
        return next((_stem(line) for line in lines if line.startswith(_HEAD)), "")


def read_families(paths: CoursePaths) -> Mapping[str, MistakeBlock]:
    """Return the edits that fit several exercises, by id; none if the course has no such file.

    Raises MisconceptionError.
    """
    if not paths.families.is_file():
        return {}
    return dict(_blocks(paths.families, paths.shown(paths.families)))


def read_mistakes(
    paths: CoursePaths, slug: str, families: Mapping[str, MistakeBlock] | None = None
) -> MistakesOfExercise:
    """Return the mistakes that people make in an exercise, in the order of its file.

    `families` are those of the course, if they were read before. Raises MisconceptionError.
    """
    path = paths.exercise(slug).mistakes
    shown = paths.shown(path)
    if not path.is_file():
        raise MisconceptionError(f"{shown}:1: there is no such file")
    stem = stem_of(path)
    if not stem:
        raise MisconceptionError(f"{shown}:1: no line '{_HEAD}….py' names what is changed")
    blocks = dict(_blocks(path, shown))
    if families is None:
        families = read_families(paths) if any("family" in b.words for b in blocks.values()) else {}
    entries = tuple(_entry(id, each, families, shown) for id, each in blocks.items())
    return MistakesOfExercise(stem, entries, Origin(shown, {i: b.line for i, b in blocks.items()}))


def mistakes_of_assignment(paths: CoursePaths, stem: str) -> Iterator[MistakesOfExercise]:
    """Yield the mistakes of each exercise of an assignment, by slug.

    Files that are not valid are left out: `grader validate` tells the author, and no student pays.
    """
    try:
        families = read_families(paths)
    except MisconceptionError:
        families = {}
    for exercise in paths.all_exercises():
        if exercise.mistakes.is_file() and stem_of(exercise.mistakes) == stem:
            try:
                yield read_mistakes(paths, exercise.slug, families)
            except MisconceptionError:
                continue


def _entry(
    id: str, block: MistakeBlock, families: Mapping[str, MistakeBlock], shown: str
) -> Misconception:
    words, edits = block.words, [lines for lines in block.edits if lines]
    name = words.get("family")
    if name is not None:
        if name not in families:
            hint = did_you_mean(name, families)
            raise MisconceptionError(f"{shown}:{block.line}: {id}: no family '{name}'{hint}")
        if edits:
            raise MisconceptionError(
                f"{shown}:{block.line}: {id}: give either a family or lines of a diff, one of two"
            )
        words, edits = families[name].words | words, families[name].edits
    if not block.target or not edits:
        missing = f"`{_TARGET}` and a target" if not block.target else "lines of a diff"
        raise MisconceptionError(f"{shown}:{block.line}: {id}: {missing} must follow the words")
    return Misconception(
        id,
        mistakes=_listed(words.get("mistakes", "")),
        target=block.target,
        edits=tuple(Edit(tuple(lines)) for lines in edits),
        fails=_listed(words.get("fails", "")),
        cause=words.get("cause", ""),
        unnamed=words.get("unnamed", ""),
    )


def _blocks(path: Path, shown: str) -> Iterator[tuple[str, MistakeBlock]]:
    """Yield the entries of a file by their ids. Raises MisconceptionError."""
    result: dict[str, MistakeBlock] = {}
    block = MistakeBlock(0)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("id: "):
            block = MistakeBlock(number)
            id = line.removeprefix("id: ").strip()
            if id in result:
                raise MisconceptionError(f"{shown}:{number}: {id} is there twice")
            result[id] = block
        elif line.startswith("#"):
            continue
        elif line.startswith(_TARGET) and result and not block.target:
            block.target = line.removeprefix(_TARGET).strip()
            block.edits.append([])
        elif block.edits:
            block.edits[-1].append(_edited(line, f"{shown}:{number}"))
        elif line.strip() and not line.startswith(_HEAD):
            _take_word(block, line, f"{shown}:{number}")
    for id, each in result.items():
        for edit in each.edits:
            while edit and edit[-1] == " ":
                edit.pop()  # blank lines up to the next entry
        yield id, each


def _edited(line: str, place: str) -> str:
    if line[:1] not in ("", " ", "-", "+"):
        raise MisconceptionError(
            f"{place}: a line of a diff starts with '-', '+' or a blank, and an entry with 'id: '"
        )
    return line or " "


def _take_word(block: MistakeBlock, line: str, place: str) -> None:
    name, colon, value = line.partition(":")
    if not colon or name not in _WORDS or not block.line:
        hint = did_you_mean(name, _WORDS)
        raise MisconceptionError(f"{place}: '{name}' is not known here{hint}")
    block.words[name] = value.strip()


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _stem(line: str) -> str:
    return line.strip().removeprefix(_HEAD).removesuffix(".py")
