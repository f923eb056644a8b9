"""Which of a submission's files is which assignment, however its name was mangled on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from grader.evidence import Note, Where

_DIGITS = re.compile(r"(\d+)")
_WORDS = re.compile(r"[^\W_]+")
_NOT_A_SOLUTION = frozenset({"test", "tests", "conftest"})


def choose_entries(
    files: Iterable[str], stems: Iterable[str]
) -> tuple[Mapping[str, str], tuple[Note, ...]]:
    """The file of each assignment, as stem to path, and what to say about the choice.

    `a1_attention.py` is taken before names such as `A1_Attention (1).py` or
    `student-001_a1_attention.py`, a file higher up before a deeper one, and a later name (`v2`,
    `(2)`) before an earlier one. An assignment without a file has no entry.

    >>> choose_entries(["a1_attention (1).py"], ["a1_attention"])[0]
    {'a1_attention': 'a1_attention (1).py'}
    """
    names, stems = sorted(files), sorted(set(stems))
    entries: dict[str, str] = {}
    notes: list[Note] = []
    for stem in stems:
        exact = [name for name in names if PurePosixPath(name).name == f"{stem}.py"]
        candidates = exact or [
            name for name in _with_suffix(names, ".py") if _owner(name, stems) == stem
        ]
        if candidates:
            entries[stem] = max(candidates, key=_preference)
            notes.extend(_notes(stem, entries[stem], candidates, is_exact=bool(exact)))
        else:
            notes.extend(_notebook_notes(stem, names, stems))
    return entries, tuple(notes)


def _with_suffix(names: Iterable[str], suffix: str) -> list[str]:
    return [name for name in names if PurePosixPath(name).suffix.lower() == suffix]


def _owner(name: str, stems: Iterable[str]) -> str | None:
    """The assignment whose words are in the file's name; the longest one if there are several."""
    words = _words(PurePosixPath(name).stem)
    if _NOT_A_SOLUTION.intersection(words):
        return None
    owners = [stem for stem in stems if _contains(words, _words(stem))]
    return max(owners, key=lambda stem: (len(_words(stem)), len(stem)), default=None)


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _contains(words: list[str], part: list[str]) -> bool:
    return any(words[i : i + len(part)] == part for i in range(len(words) - len(part) + 1))


def _preference(name: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Larger is preferred: fewer folders, then the later name with numbers read as numbers."""
    pieces = _DIGITS.split(PurePosixPath(name).with_suffix("").as_posix().casefold())
    natural = [
        (1, int(piece[:18]), piece) if piece.isdecimal() else (0, 0, piece) for piece in pieces
    ]
    return -name.count("/"), natural


def _notes(stem: str, entry: str, candidates: list[str], *, is_exact: bool) -> Iterable[Note]:
    others = [name for name in candidates if name != entry]
    if others:
        yield Note(
            "problem",
            f"{len(candidates)} files could be {stem}.py: graded {entry}, not "
            f"{_listed(others)}. Keep only the one that counts.",
            Where(entry),
        )
    elif not is_exact:
        yield Note("note", f"Taken as {stem}.py. Best rename it.", Where(entry))


def _notebook_notes(stem: str, names: list[str], stems: list[str]) -> Iterable[Note]:
    for name in _with_suffix(names, ".ipynb"):
        if _owner(name, stems) == stem:
            yield Note(
                "problem",
                f"A notebook, and notebooks are not graded yet. Export it as {stem}.py: "
                "jupyter nbconvert --to script",
                Where(name),
            )


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
