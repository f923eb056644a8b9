"""Hold all that a kit knows in place of reference and mistakes, as one compressed file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...course.misconceptions import Misconception
from ...course.paths import CoursePaths
from ...grade.evidence import Outcome
from ..checks.check_trace import CheckTrace, Draw
from ..diagnose.knowledge import Knowledge
from .answers import RecordedAnswers
from .stored_values import restored, stored

FORMAT = 2


class RecordingError(Exception):
    """A file of recorded answers that this version cannot read."""


@dataclass(frozen=True)
class Recording:
    """The answers of the reference to public checks, and those of known mistakes."""

    definitions: Mapping[str, Mapping[str, Any]]
    """Stem -> name -> signature, and those of its methods if it is a class."""
    modules: Mapping[str, Any]
    """Outline of a question for a module -> its description."""
    answers: Mapping[str, Any]
    mistakes: Mapping[str, Any]
    """Stem -> known mistakes in words: id, ids in the list of mistakes, target, cause."""
    kills: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Slug -> mistake -> ids of the checks that it fails."""
    requested: Mapping[str, tuple[str, ...]]
    """Check -> the names that it looks up."""
    traces: tuple[Any, ...]
    runs: Mapping[str, int]
    """`name|check|draw` -> number of a trace."""
    knowledge: Mapping[str, Any] = field(default_factory=dict)
    """Words for axes and for empty rows: what a course tells of its subject without code."""
    stubs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def written(self) -> bytes:
        """Return the file: the same bytes for the same recording."""
        content = {"format": FORMAT} | {one.name: getattr(self, one.name) for one in fields(self)}
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return gzip.compress(text.encode(), mtime=0)

    @cached_property
    def known_answers(self) -> RecordedAnswers:
        return RecordedAnswers(self.answers)

    def misconceptions(self, stem: str) -> tuple[Misconception, ...]:
        """Return the known mistakes of an assignment, in words alone."""
        return tuple(_entry(*row) for row in self.mistakes.get(stem, ()))

    def fails(self, slug: str) -> Mapping[str, frozenset[str]]:
        """Return the checks that each mistake of an exercise fails."""
        return {id: frozenset(checks) for id, checks in self.kills.get(slug, {}).items()}

    def course_knowledge(self) -> Knowledge:
        """Return what the course tells for diagnosis, without its families: these are code."""
        rows = [(tuple(map(tuple, sizes)), more) for sizes, more in self.knowledge["more_sizes"]]
        known = dict(rows)
        return Knowledge(
            axes=self.knowledge["axes"],
            more_sizes=lambda sizes: known.get(tuple(sorted(sizes.items())), {}),
            empty_row=self.knowledge["empty_row"],
        )

    def names(self, check: str) -> tuple[str, ...]:
        """Return the names that a check looks up."""
        return tuple(self.requested.get(check, ()))

    def trace(self, name: str, check: str, draw: Draw) -> CheckTrace | None:
        """Return what a check sees of a mistake, or of the reference for no name.

        None if that was not recorded.
        """
        at = self.runs.get(run_key(name, check, draw))
        return None if at is None else read_trace(self.traces[at])


def _entry(id: str, mistakes: list[str], target: str, cause: str) -> Misconception:
    return Misconception(id, tuple(mistakes), target, (), (), cause)


def run_key(name: str, check: str, draw: Draw) -> str:
    return f"{name}|{check}|{draw.inputs}|{int(draw.reseeded)}"


def written_trace(trace: CheckTrace) -> Any:
    """Return a trace as JSON. Raises NotStorable."""
    plain = [trace.outcome.value, trace.error_text, trace.drew]
    return [*plain, stored(list(trace.drawn)), [stored(one) for one in trace.compared]]


def read_trace(content: Any) -> CheckTrace:
    """Return the trace that `written_trace` was given."""
    outcome, text, drew, drawn, compared = content
    plain = CheckTrace(Outcome(outcome), tuple(map(restored, compared)), text, drew=drew)
    return replace(plain, drawn=tuple(restored(drawn)))


def load_recording(root: Path) -> Recording | None:
    """Return the recording of a kit; None for a course, which has the reference itself.

    Raises RecordingError.
    """
    path = CoursePaths(root).recording
    if not path.is_file():
        return None
    try:
        content = json.loads(gzip.decompress(path.read_bytes()))
        if content.pop("format") != FORMAT:
            raise ValueError("another format")
        recording = Recording(**content)
        return replace(recording, traces=tuple(recording.traces))
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordingError(f"{path}  {type(error).__name__}: {error}") from error
