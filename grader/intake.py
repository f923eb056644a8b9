"""Which of a submission's files is which assignment, however its name was mangled on the way.

Names and times decide the order here. Whether a file is the untouched hand-out is seen by the
worker that reads it: a student's source is never parsed on the trusted side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from grader.evidence import Note, Where
from grader.rubric import Rubric

from .language import _

EDITED, UNREADABLE = "edited", "unreadable"
STATES = frozenset({EDITED, UNREADABLE, "untouched"})
"""What a worker says about each file that could be an assignment."""
PLACEHOLDER = "replace this line"
"""What the line that stands for a solution says after the name of its function."""
CLOCK_S = 2.0
"""Files whose times are closer than this were unpacked or checked out together."""

_KINDS = (".py", ".ipynb")
_DIGITS = re.compile(r"(\d+)")
_WORDS = re.compile(r"[^\W_]+")
_NOT_A_SOLUTION = frozenset({"test", "tests", "conftest"})


class Choice(NamedTuple):
    """The file that was graded, and the state of each that could have been."""

    path: str
    states: Mapping[str, str]


def candidates(
    files: Iterable[str], stems: Iterable[str], modified: Mapping[str, float] | None = None
) -> dict[str, tuple[str, ...]]:
    """The files of each assignment, the more likely first; none for one without a file.

    `a1_attention.py` comes before names such as `A1_Attention (1).py` or
    `student-001_a1_attention.py`, a file higher up before a deeper one, and a later name (`v2`,
    `(2)`) before an earlier one. Of the best `.py` and the best notebook the one that was modified
    later comes first, the `.py` if that cannot be told.

    >>> candidates(["a1_attention (1).py", "a1_attention.ipynb"], ["a1_attention"])
    {'a1_attention': ('a1_attention (1).py', 'a1_attention.ipynb')}
    """
    names, stems = list(files), sorted(set(stems))
    owners = {name: _owner(name, stems) for name in names if _kind(name)}
    found = {}
    for stem in stems:
        own = [name for name, owner in owners.items() if owner == stem]
        ranked = sorted(own, key=lambda name: _preference(name, stem), reverse=True)
        if ranked:
            best = _heads(ranked, modified or {})
            found[stem] = (*best, *(name for name in ranked if name not in best))
    return found


def seem_untouched(files: Mapping[str, bytes], rubric: Rubric) -> Iterator[str]:
    """Slugs of the exercises of which no file seems to hold anything: by a look for the lines that
    stand for solutions. For what may be done early or late, never for a grade."""
    found = candidates(files, rubric.assignments.values())
    for slug, exercise in rubric.exercises.items():
        texts = [files[name] for name in found.get(exercise.assignment, ())]
        lines = [
            re.compile(rf'"{name}(\.\w+)?: {PLACEHOLDER}'.encode()) for name in exercise.targets
        ]
        if all(line.search(text) for text in texts for line in lines):
            yield slug


def choice_notes(
    stem: str,
    choice: Choice,
    paths: Iterable[str],
    modified: Mapping[str, float] | None = None,
) -> tuple[Note, ...]:
    """What to say about the choice of a file among those that `candidates` gave."""
    chosen = choice.path
    others = [path for path in paths if path != chosen]
    edited = [path for path in others if choice.states.get(path, EDITED) == EDITED]
    rivals = [
        path
        for path in edited
        if _kind(path) != _kind(chosen) or _is_exact(path, stem) == _is_exact(chosen, stem)
    ]
    where = Where(chosen)
    if rivals:
        text = _why(chosen, rivals, modified or {}).format(
            count=len(rivals) + 1, stem=stem, chosen=chosen, others=_listed(rivals)
        )
        return (Note("problem", text, where),)
    broken = [path for path in others if choice.states.get(path) == UNREADABLE]
    if broken:
        text = _(
            "Graded {chosen}, because {others} cannot be read. Delete one of them.",
            chosen=chosen,
            others=_listed(broken),
        )
        return (Note("problem", text, where),)
    if not _is_exact(chosen, stem):
        name = f"{stem}{_kind(chosen)}"
        return (Note("note", _("Taken as {name}. Best rename it.", name=name), where),)
    return ()


def _heads(ranked: list[str], modified: Mapping[str, float]) -> list[str]:
    firsts = [next((name for name in ranked if _kind(name) == kind), None) for kind in _KINDS]
    best = [name for name in firsts if name is not None]
    if len(best) == 2 and _is_newer(best[1], best[0], modified):
        best.reverse()
    return best


def _is_newer(one: str, other: str, modified: Mapping[str, float]) -> bool:
    if one not in modified or other not in modified:
        return False
    return modified[one] - modified[other] > CLOCK_S


def _why(chosen: str, rivals: list[str], modified: Mapping[str, float]) -> str:
    if {_kind(path) for path in rivals} != {_kind(chosen)}:
        if all(_is_newer(chosen, path, modified) for path in rivals):
            return _(
                "{count} files could be {stem}: graded {chosen}, not {others}, because it was "
                "changed last. Keep only the one that counts."
            )
        if _kind(chosen) == ".py":
            return _(
                "{count} files could be {stem}: graded {chosen}, not {others}, because their "
                "times do not tell which was changed last. Keep only the one that counts."
            )
    return _(
        "{count} files could be {stem}: graded {chosen}, not {others}. "
        "Keep only the one that counts."
    )


def _kind(name: str) -> str:
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in _KINDS else ""


def _is_exact(name: str, stem: str) -> bool:
    return PurePosixPath(name).name in [f"{stem}{kind}" for kind in _KINDS]


def _owner(name: str, stems: Iterable[str]) -> str | None:
    """The assignment whose words are in the file's name; the longest one if there are several."""
    for stem in stems:
        if _is_exact(name, stem):
            return stem
    words = _words(PurePosixPath(name).stem)
    if _NOT_A_SOLUTION.intersection(words):
        return None
    owners = [stem for stem in stems if _contains(words, _words(stem))]
    return max(owners, key=lambda stem: (len(_words(stem)), len(stem)), default=None)


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _contains(words: list[str], part: list[str]) -> bool:
    return any(words[i : i + len(part)] == part for i in range(len(words) - len(part) + 1))


def _preference(name: str, stem: str) -> tuple[bool, int, list[tuple[int, int, str]]]:
    """Larger is preferred: the exact name, fewer folders, then the later name with numbers read
    as numbers."""
    pieces = _DIGITS.split(PurePosixPath(name).with_suffix("").as_posix().casefold())
    natural = [
        (1, int(piece[:18]), piece) if piece.isdecimal() else (0, 0, piece) for piece in pieces
    ]
    return _is_exact(name, stem), -name.count("/"), natural


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return (
        shown
        if len(names) <= 3
        else _("{these} and {count} more", these=shown, count=len(names) - 3)
    )
