"""Decide which of a submission's files is which assignment, even if its name was mangled.

Names and times decide the order here. Whether a file is the untouched hand-out is decided by the
worker that reads it: a student's source is never parsed on the trusted side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ..course.rubric import Rubric
from ..grade.evidence import Note, Where
from ..text.language import _

EDITED, UNREADABLE = "edited", "unreadable"
STATES = frozenset({EDITED, UNREADABLE, "untouched"})
"""The states that a worker reports for each file that could be an assignment."""
PLACEHOLDER = "replace this line"
"""The text after the name of the function, in the line that stands for a solution."""
_LOOKED_AT_BYTES = 1 << 20
CLOCK_S = 2.0
"""Files whose times are closer than this were unpacked or checked out together."""

_KINDS = (".py", ".ipynb")
_DIGITS = re.compile(r"(\d+)")
_WORDS = re.compile(r"[^\W_]+")
_NOT_A_SOLUTION = frozenset({"test", "tests", "conftest"})


class Choice(NamedTuple):
    """The file that was graded, and the state of each file that could have been."""

    path: str
    states: Mapping[str, str]


def candidates(
    files: Iterable[str], stems: Iterable[str], modified: Mapping[str, float] | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the files that could be each assignment, the most likely first.

    An assignment without a file is left out.

    `a1_attention.py` comes before names such as `A1_Attention (1).py` or
    `student-001_a1_attention.py`, a file higher up before a deeper one, and a later name (`v2`,
    `(2)`) before an earlier one. Among files in folders of the same depth, and then between the
    best `.py` and the best notebook, the one that was modified later comes first. If the times do
    not tell, the order above stands, and the `.py` comes before the notebook.

    >>> candidates(["a1_attention (1).py", "a1_attention.ipynb"], ["a1_attention"])
    {'a1_attention': ('a1_attention (1).py', 'a1_attention.ipynb')}
    """
    names, stems = list(files), sorted(set(stems))
    owners = {name: _owner(name, stems) for name in names if _kind(name)}
    by_stem = {}
    for stem in stems:
        own = [name for name, owner in owners.items() if owner == stem]
        ranked = sorted(own, key=lambda name: _preference(name, stem), reverse=True)
        if ranked:
            best = _heads(ranked, modified or {})
            by_stem[stem] = (*best, *(name for name in ranked if name not in best))
    return by_stem


def seem_untouched(files: Mapping[str, bytes], rubric: Rubric) -> Iterator[str]:
    """Yield the slugs of the exercises that no file seems to hold a solution of.

    The text is searched for the lines that stand for solutions. Use this for what may be done early
    or late, never for a grade.
    """
    by_stem = candidates(files, rubric.assignments.values())
    for slug, exercise in rubric.exercises.items():
        texts = [files[name] for name in by_stem.get(exercise.assignment, ())]
        lines = [
            re.compile(rf'"{name}(\.\w+)?: {PLACEHOLDER}'.encode()) for name in exercise.targets
        ]
        if all(line.search(text) for text in texts for line in lines):
            yield slug


def misnamed(
    files: Mapping[str, bytes],
    by_stem: Mapping[str, tuple[str, ...]],
    targets: Mapping[str, Sequence[str]],
) -> Iterator[Note]:
    """Yield a note for each file that holds an assignment, but whose name does not say so.

    `by_stem` is what `candidates` gave; `targets` are those of the assignments that are looked at.
    The text is searched for definitions, as the source is not parsed here; nothing is graded
    because of it.
    """
    taken = {path for paths in by_stem.values() for path in paths}
    others = {path: data[:_LOOKED_AT_BYTES] for path, data in files.items() if path not in taken}
    for stem, names in targets.items():
        if stem in by_stem or not names:
            continue
        holds = {path: _defined(data, names) for path, data in others.items()}
        best = max(holds, key=lambda path: len(holds[path]), default="")
        # One function of the same name in a helper file is nobody's hand-in.
        if best and holds[best] and (not by_stem or 2 * len(holds[best]) >= len(names)):
            text = _(
                "this file defines {name}: rename it to {wanted}",
                name=holds[best][0],
                wanted=f"{stem}{_kind(best)}",
            )
            yield Note("problem", text, Where(best))


def _defined(data: bytes, names: Sequence[str]) -> list[str]:
    """Return those of the names that are defined at the top of a file, or of a notebook's cell."""
    any_name = "|".join(map(re.escape, names)).encode()
    pattern = re.compile(rb'(?:^|\\n|")(?:def|class)\s+(' + any_name + rb")\b", re.MULTILINE)
    there = {match.decode() for match in pattern.findall(data)}
    return [name for name in names if name in there]


def choice_notes(
    stem: str,
    choice: Choice,
    paths: Iterable[str],
    modified: Mapping[str, float] | None = None,
) -> tuple[Note, ...]:
    """Return the notes on the choice of one file among those that `candidates` gave."""
    chosen = choice.path
    others = [path for path in paths if path != chosen]
    edited = [path for path in others if choice.states.get(path, EDITED) == EDITED]
    # A copy beside the right name is passed over in silence, unless it may be the newer one.
    rivals = [
        path
        for path in edited
        if _kind(path) != _kind(chosen)
        or not _is_exact(chosen, stem)
        or _is_exact(path, stem)
        or _is_newer(path, chosen, modified or {})
    ]
    where = Where(chosen)
    if rivals:
        return (Note("problem", _why(stem, chosen, rivals, modified or {}), where),)
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
    best = []
    for kind in _KINDS:
        alike = [name for name in ranked if _kind(name) == kind]
        if alike:
            level = [name for name in alike if name.count("/") == alike[0].count("/")]
            best.append(_newest(level, modified))
    if len(best) == 2 and _is_newer(best[1], best[0], modified):
        best.reverse()
    return best


def _newest(ranked: list[str], modified: Mapping[str, float]) -> str:
    """Return the first name, unless a later one is newer.

    A browser calls the newest download `(1)`.
    """
    newest = ranked[0]
    for name in ranked[1:]:
        if _is_newer(name, newest, modified):
            newest = name
    return newest


def _is_newer(one: str, other: str, modified: Mapping[str, float]) -> bool:
    if one not in modified or other not in modified:
        return False
    return modified[one] - modified[other] > CLOCK_S


def _why(stem: str, chosen: str, rivals: list[str], modified: Mapping[str, float]) -> str:
    values = {
        "count": len(rivals) + 1,
        "stem": stem,
        "chosen": chosen,
        "others": _listed(rivals),
    }
    if all(_is_newer(chosen, path, modified) for path in rivals):
        return _(
            "{count} files could be {stem}: graded {chosen}, not {others}, because it was "
            "changed last. Keep only the one that counts.",
            **values,
        )
    if {_kind(path) for path in rivals} != {_kind(chosen)} and _kind(chosen) == ".py":
        return _(
            "{count} files could be {stem}: graded {chosen}, not {others}, because their "
            "times do not tell which was changed last. Keep only the one that counts.",
            **values,
        )
    return _(
        "{count} files could be {stem}: graded {chosen}, not {others}. "
        "Keep only the one that counts.",
        **values,
    )


def _kind(name: str) -> str:
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in _KINDS else ""


def _is_exact(name: str, stem: str) -> bool:
    return PurePosixPath(name).name in [f"{stem}{kind}" for kind in _KINDS]


def _owner(name: str, stems: Iterable[str]) -> str | None:
    """Return the assignment whose words are in the file's name; of several, the longest."""
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
    """Return a sort key for a file's name; larger is preferred.

    The exact name comes first, then fewer folders, then the later name with numbers read as
    numbers.
    """
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
