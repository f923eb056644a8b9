"""Forms: what a value in a YAML file must look like, declared; reading reports every problem.

A form is a function from a place to a value. It never raises: it reports what is wrong and returns
a stand-in of the same type, so that reading goes on and finds the next problem. Whoever reads a
whole file throws the result away if there was any problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from grader.problem import closest, did_you_mean, quoted
from grader.yaml_source import Place

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

Form: TypeAlias = Callable[[Place | None], T]
"""Reads a place. Given None (the value is missing, which was reported) returns the stand-in."""

# Bounded in length, so that no number is expensive; no leading zero, which YAML reads as octal.
_NUMBER = re.compile(
    r"(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,9})?|\.[0-9]{1,9}|(?:0|[1-9][0-9]{0,8})/[1-9][0-9]{0,8}"
)


@dataclass(frozen=True)
class Key:
    """One key of a record."""

    form: Form[Any]
    required: bool = True
    default: Any = None
    """The value when an optional key is left out."""


def required(form: Form[Any]) -> Key:
    """A key that must be there."""
    return Key(form)


def optional(form: Form[Any], default: object) -> Key:
    """A key that may be left out."""
    return Key(form, required=False, default=default)


def text(what: str, pattern: str = r"(?s:.*\S.*)") -> Form[str]:
    """Text that matches the pattern from end to end; the stand-in is empty text."""
    matches = re.compile(pattern).fullmatch

    def read(at: Place | None) -> str:
        if at is None:
            return ""
        if at.text is None or at.kind != "str":
            at.problem(f"expected {what}, got {at.shown}{_quote_it(at)}")
            return ""
        if not matches(at.text):
            at.problem(f"expected {what}, got {at.shown}")
            return ""
        return at.text

    return read


def number() -> Form[Fraction]:
    """A number >= 0, taken exactly from its text: `2`, `2.5` or `1/3`."""

    def read(at: Place | None) -> Fraction:
        if at is None:
            return Fraction(0)
        # `.kind` tells true from 'true'; whether YAML thinks 1/3 is text does not matter.
        if at.text is not None and at.kind in ("int", "float", "str"):
            if _NUMBER.fullmatch(at.text):
                return Fraction(at.text)
            point = at.text.replace(",", ".")
            hint = f" - did you mean {quoted(point)}?" if _NUMBER.fullmatch(point) else ""
            at.problem(f"expected a number >= 0, got {quoted(at.text)}{hint}")
        else:
            at.problem(f"expected a number >= 0, got {at.shown}")
        return Fraction(0)

    return read


def flag() -> Form[bool]:
    """`true` or `false`; the stand-in is False."""

    def read(at: Place | None) -> bool:
        if at is None:
            return False
        if at.kind != "bool" or at.text not in ("true", "false"):
            near = closest((at.text or "").lower(), ("true", "false"))
            hint = f" - did you mean {near}?" if near else ""
            at.problem(f"expected true or false, got {at.shown}{hint}")
        return at.text == "true"

    return read


def choice(options: type[E]) -> Form[E]:
    """One of the enum's values; the stand-in is its first member."""
    members = {str(member.value): member for member in options}

    def read(at: Place | None) -> E:
        if at is not None:
            if at.text in members:
                return members[at.text]
            near = closest(at.text or "", members)
            hint = f" - did you mean {quoted(near)}?" if near else ""
            listed = ", ".join(map(quoted, members))
            at.problem(f"expected one of {listed}, got {at.shown}{hint}")
        return next(iter(options))

    return read


def listing(item: Form[str], *, at_least_one: str = "") -> Form[tuple[str, ...]]:
    """A list of distinct texts; `at_least_one` says what an empty list lacks.

    An element with a problem stays in the list as empty text: positions keep their meaning.
    """

    def read(at: Place | None) -> tuple[str, ...]:
        places = at.items() if at else ()
        if at and places is None:
            hint = f" - did you mean [{at.text}]?" if at.text else ""
            at.problem(f"expected a list, got {at.shown}{hint}")
        if at and places == () and at_least_one:
            at.problem(f"expected at least one {at_least_one}, got an empty list")
        found: list[str] = []
        for place in places or ():
            value = item(place)
            if value and value in found:
                place.problem(f"{quoted(value)} is listed twice")
            found.append(value)
        return tuple(found)

    return read


def table(key: str, key_pattern: str, value: Form[T], *, at_least_one: str) -> Form[dict[str, T]]:
    """A mapping whose keys the author chooses, `key` says what they are; in file order.

    An entry with a problem stays in the table, so that what refers to it is not reported as well.
    """
    matches = re.compile(key_pattern).fullmatch

    def read(at: Place | None) -> dict[str, T]:
        entries = at.entries() if at else {}
        if at and entries is None:
            at.problem(f"expected a mapping, got {at.shown}")
        if at and entries == {} and at.node.value == []:
            at.problem(f"expected at least one {at_least_one}, got an empty mapping")
        for name, place in (entries or {}).items():
            if not matches(name):
                place.key_problem(f"expected {key} as the key, got {quoted(name)}")
        return {name: value(place) for name, place in (entries or {}).items()}

    return read


def record(build: Callable[..., T], **keys: Key) -> Form[T]:
    """A mapping with these keys, read in this order and given to `build(name, **values)`.

    `name` is the key under which the record stands.
    """

    def read(at: Place | None) -> T:
        if at is None:
            return build("", **{name: key.form(None) for name, key in keys.items()})
        entries = at.entries()
        if entries is None:
            at.problem(f"expected a mapping with the keys {', '.join(keys)}, got {at.shown}")
        else:
            _report_wrong_keys(at, entries, keys)
        values = {}
        for name, key in keys.items():
            place = (entries or {}).get(name)
            left_out = place is None and not key.required
            values[name] = key.default if left_out else key.form(place)
        return build(at.name, **values)

    return read


def _report_wrong_keys(at: Place, entries: dict[str, Place], keys: dict[str, Key]) -> None:
    absent = [name for name in keys if name not in entries]
    meant = set()
    for name, place in entries.items():
        if name not in keys:
            # A key that is there already cannot be what was meant.
            near = closest(name, absent)
            meant.add(near)
            hint = did_you_mean(name, absent if near else keys)
            place.key_problem(f"unknown key {quoted(name)}{hint}")
    for name in absent:
        if keys[name].required and name not in meant:
            at.key_problem(f"missing key {quoted(name)}")


def _quote_it(at: Place) -> str:
    return "" if at.text is None else f' - put it in quotes: "{at.text}"'
