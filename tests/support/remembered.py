"""Read a course many times, each time with another of its files changed: what did not change is
worked out once.

What is remembered are functions of texts that return the same for the same texts, and do nothing
else. Their keys are all that they read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grader.course.misconceptions import Entry, Origin
from grader.course.questions import WrittenItem
from grader.course.rubric import Exercise
from grader.course.translations import handout_languages
from grader.handouts import handout, translated_handout
from grader.handouts.lectures import Lecture
from grader.text.language import COURSE_LOCALE
from grader.validate import data, handouts, suites


@contextmanager
def remembered() -> Iterator[None]:
    """Remember, within the block, what reading a course for `grader validate` works out."""
    with pytest.MonkeyPatch.context() as patch:
        _remember(patch, suites, "file_gaps", _as_given)
        _remember(patch, handouts, "stub_source", _as_given)
        _remember(patch, data, "uses_of", _texts)
        for name in ("apply_misconception", "apply_variant"):
            _remember(patch, data, name, _entry)
        _remember(patch, handout, "handouts", _of_assignment)
        _remember(patch, translated_handout, "in_all_languages", _with_catalogues)
        yield


def _remember(
    patch: pytest.MonkeyPatch, module: Any, name: str, key_of: Callable[..., Hashable]
) -> None:
    known: dict[Hashable, Any] = {}
    own = getattr(module, name)

    def from_memory(*given: Any, **named: Any) -> Any:
        key = key_of(*given, **named)
        if key not in known:
            made = own(*given, **named)
            known[key] = tuple(made) if isinstance(made, Iterator) else made
        return known[key]

    patch.setattr(module, name, from_memory)


def _as_given(*given: Hashable) -> Hashable:
    return given


def _texts(texts: Mapping[str, str]) -> Hashable:
    return tuple(texts.items())


def _entry(reference: str, entry: Entry, origin: Origin) -> Hashable:
    return reference, entry, origin.place(entry)


def _of_assignment(
    stub: str,
    stem: str,
    *,
    demos: str,
    written: Iterable[WrittenItem],
    exercises: Iterable[Exercise],
    lecture: Lecture,
) -> Hashable:
    """All of them are data, which a `repr` shows in full."""
    asked = [one for one in written if one.assignment == stem]
    own = [one for one in exercises if one.assignment == stem]
    return stub, stem, demos, repr(asked), repr(own), repr(lecture)


def _with_catalogues(root: Path, english: Mapping[str, str]) -> Hashable:
    languages = handout_languages(root)
    files = [path for name in languages for path in (root / COURSE_LOCALE / name).rglob("*.mo")]
    return _texts(english), languages, tuple(path.read_bytes() for path in sorted(files))
