"""Define a worker's report of what a submission's text says, and decode it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from .faults import Violation
from .frame import Meta

MAX_ROWS = 1_000
"""Limit on the findings of one kind about one target."""
MAX_TEXT = 10_000

Decoded = TypeVar("Decoded")
Row = TypeVar("Row", bound="tuple[Any, ...]")


class CodeSpot(NamedTuple):
    """A place in the text of a submission."""

    file: str
    cell: int | None
    line: int


class CodeUse(NamedTuple):
    """A place where a name that was asked for is used."""

    name: str
    text: str
    file: str
    cell: int | None
    line: int


class CodeFinding(NamedTuple):
    """A piece of code of the kind that was asked for."""

    text: str
    file: str
    cell: int | None
    line: int


class NumberList(NamedTuple):
    """A long list of numbers in the code: how many, and its place."""

    numbers: int
    file: str
    cell: int | None
    line: int


@dataclass(frozen=True)
class TargetSurvey:
    """The findings in the code of one target, and in all code that it reaches."""

    uses: tuple[CodeUse, ...] = ()
    loops: tuple[CodeFinding, ...] = ()
    opaque: tuple[CodeFinding, ...] = ()
    """Calls such as `exec`, behind which nothing can be read."""
    numbers: tuple[NumberList, ...] = ()
    again: tuple[CodeFinding, ...] = ()
    """Functions that call themselves."""
    places: Mapping[str, CodeSpot] = field(default_factory=dict)
    """Group of patterns -> the place that fits best."""


SurveyReport = Mapping[str, Mapping[str, TargetSurvey]]
"""Assignment -> target -> the findings about it."""


def encoded_survey(report: SurveyReport) -> Meta:
    """Return a report as plain values."""
    return {
        stem: {name: _encoded(target) for name, target in targets.items()}
        for stem, targets in report.items()
    }


def survey_report(value: Any) -> SurveyReport:
    """Decode the report of a worker that read a text and ran none of it.

    Raises:
        Violation: something has another type or another name than a report's, or there is too
            much of it.
    """
    return _mapping(value, lambda targets: _mapping(targets, _target))


def _encoded(target: TargetSurvey) -> Meta:
    lists = {name: [list(row) for row in getattr(target, name)] for name in _ROWS}
    return {**lists, "places": {group: list(spot) for group, spot in target.places.items()}}


def _target(value: Any) -> TargetSurvey:
    if type(value) is not dict or value.keys() != {*_ROWS, "places"}:
        raise Violation("survey of a target")
    rows = {name: _rows(value[name], kind) for name, kind in _ROWS.items()}
    return TargetSurvey(**rows, places=_mapping(value["places"], lambda row: _row(row, CodeSpot)))


def _rows(value: Any, kind: type[Row]) -> tuple[Row, ...]:
    if type(value) is not list or len(value) > MAX_ROWS:
        raise Violation("rows of a survey")
    return tuple(_row(row, kind) for row in value)


def _row(value: Any, kind: type[Row]) -> Row:
    accepted = _TYPES[kind]
    if type(value) is not list or len(value) != len(accepted):
        raise Violation("row of a survey")
    if any(type(one) not in types for one, types in zip(value, accepted, strict=True)):
        raise Violation("value in a survey")
    return kind(*(one[:MAX_TEXT] if type(one) is str else one for one in value))


def _mapping(value: Any, decode: Callable[[Any], Decoded]) -> dict[str, Decoded]:
    if type(value) is not dict:
        raise Violation("survey")
    return {name: decode(one) for name, one in value.items()}


_ROWS: Mapping[str, type[Any]] = {
    "uses": CodeUse,
    "loops": CodeFinding,
    "opaque": CodeFinding,
    "numbers": NumberList,
    "again": CodeFinding,
}
_PLACE = ((str,), (int, type(None)), (int,))
_TYPES: Mapping[type[Any], tuple[tuple[type, ...], ...]] = {
    CodeSpot: _PLACE,
    CodeUse: ((str,), (str,), *_PLACE),
    CodeFinding: ((str,), *_PLACE),
    NumberList: ((int,), *_PLACE),
}
"""Kind of row -> the accepted types of each value, in order."""
