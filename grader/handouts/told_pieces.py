"""Put what a lecture tells between the pieces of a hand-out, each section at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from grader.handouts import contents
from grader.handouts.demos import try_cell
from grader.handouts.handout_piece import HandoutPiece
from grader.handouts.lectures import END, GOAL, START, Lecture

TITLE = "title"
_CONTENTS = "## Contents"


def with_lecture(
    cells: list[HandoutPiece], lecture: Lecture, groups: Iterable[tuple[str, Collection[str]]]
) -> list[HandoutPiece]:
    """Return the cells of a notebook and the sections of its lecture between them.

    `groups` names the exercises with their targets. Of these a section `before` comes before the
    first cell about any, and one `after` behind the last.
    """
    made = list(cells)
    for name, targets in groups:
        for one in (name, *targets):
            own = [*targets] if one == name else [one]
            made = _around(made, lecture, one, own, is_exercise=one == name)
    headed = {
        target
        for name, targets in groups
        if f"before: {name}" in lecture.sections
        for target in targets
    }
    return [_lowered(piece, headed) for piece in made]


def opening(title: HandoutPiece, lecture: Lecture, how: str) -> list[HandoutPiece]:
    """Return what stands before the first exercise: goal, introduction, story, contents."""
    if not {GOAL, START} & lecture.sections.keys():
        source = "\n\n".join(part for part in (title.source, how) if part)
        return [replace(title, source=source)]
    heading, _, rest = title.source.partition("\n\n")
    about = [HandoutPiece("markdown", rest, "about")] if rest else []
    table = HandoutPiece("markdown", _CONTENTS, contents.ID)
    return [
        replace(title, source=heading),
        *section(lecture, GOAL),
        *about,
        *section(lecture, START),
        table,
        HandoutPiece("markdown", how, "how"),
    ]


def closing(lecture: Lecture) -> list[HandoutPiece]:
    """Return what stands behind everything else."""
    return section(lecture, END)


def section(lecture: Lecture, place: str) -> list[HandoutPiece]:
    """Return the cells of a section; none if the lecture has no such place."""
    name = place.replace(": ", "-")
    return [
        HandoutPiece("code", try_cell(one.text), f"show-{name}", is_demo=True)
        if one.is_code
        else HandoutPiece("markdown", one.text, f"tell-{name}", pictures=one.pictures)
        for one in lecture.sections.get(place, ())
    ]


def _around(
    cells: list[HandoutPiece], lecture: Lecture, name: str, targets: list[str], *, is_exercise: bool
) -> list[HandoutPiece]:
    names = {f"{kind}{target}" for kind in ("about-", "", "demo-") for target in targets}
    names |= {f"check-{name}"} if is_exercise else set()
    own = [n for n, piece in enumerate(cells) if piece.name in names]
    if not own:
        return cells
    first, last = own[0], own[-1] + 1
    return [
        *cells[:first],
        *section(lecture, f"before: {name}"),
        *cells[first:last],
        *section(lecture, f"after: {name}"),
        *cells[last:],
    ]


def _lowered(piece: HandoutPiece, targets: Collection[str]) -> HandoutPiece:
    """Return a definition's text with a smaller heading, where its exercise has one of its own."""
    if piece.kind == "markdown" and piece.name.removeprefix("about-") in targets:
        return replace(piece, source=f"#{piece.source}")
    return piece
