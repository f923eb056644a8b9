"""Declare what a value in a YAML file must look like (a form); reading reports every problem.

A form is a function from a place to a value. It never raises: it reports what is wrong and returns
a stand-in of the same type, so that reading goes on and finds the next problem. Whoever reads a
whole file throws the result away if there was any problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar

from grader.course.yaml_source import Place
from grader.text.language import _
from grader.text.problem import closest, did_you_mean, quoted

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
    meaning: str = ""
    """The meaning of the key, for the page of reference that is made of a form."""


@dataclass(frozen=True)
class Described(Generic[T]):
    """A form that can also say what it reads, so that a page of reference can be made of it."""

    reads: Callable[[Place | None], T]
    wanted: str
    """The value in words, in English: `a number >= 0`."""
    keys: Mapping[str, Key] = field(default_factory=dict)
    """Of a record."""
    entry: Form[Any] | None = None
    """The form of each value of a table, or of each element of a list."""

    def __call__(self, at: Place | None) -> T:
        return self.reads(at)


def described(reads: Callable[[Place | None], T], wanted: str) -> Described[T]:
    """Return a form that says of itself that it reads what is `wanted`."""
    return Described(reads, wanted)


def required(form: Form[Any], meaning: str = "") -> Key:
    """Return a key that must be there."""
    return Key(form, meaning=meaning)


def optional(form: Form[Any], default: object, meaning: str = "") -> Key:
    """Return a key that may be left out."""
    return Key(form, required=False, default=default, meaning=meaning)


def text(what: str, pattern: str = r"(?s:.*\S.*)") -> Form[str]:
    """Return a form for text that matches the whole pattern; the stand-in is empty text.

    `what` names such a text in a sentence; it is `marked`, and translated when it is shown.
    """
    matches = re.compile(pattern).fullmatch

    def read(at: Place | None) -> str:
        if at is None:
            return ""
        if at.text is None or at.kind != "str":
            at.problem(_expected(_(what), at.shown, _quote_it(at)))
            return ""
        if not matches(at.text):
            at.problem(_expected(_(what), at.shown))
            return ""
        return at.text

    return described(read, what)


def number() -> Form[Fraction]:
    """Return a form for a number >= 0, taken exactly from its text: `2`, `2.5` or `1/3`."""

    def read(at: Place | None) -> Fraction:
        if at is None:
            return Fraction(0)
        # `.kind` tells true from 'true'; whether YAML thinks 1/3 is text does not matter.
        if at.text is not None and at.kind in ("int", "float", "str"):
            if _NUMBER.fullmatch(at.text):
                return Fraction(at.text)
            point = at.text.replace(",", ".")
            hint = _suggestion(quoted(point)) if _NUMBER.fullmatch(point) else ""
            at.problem(_expected(_("a number >= 0"), quoted(at.text), hint))
        else:
            at.problem(_expected(_("a number >= 0"), at.shown))
        return Fraction(0)

    return described(read, "a number >= 0")


def above_zero(nothing: str) -> Form[Fraction]:
    """Return a form for a number above 0; `nothing` is the problem with a 0, translated later."""
    any_number = number()

    def read(at: Place | None) -> Fraction:
        before = len(at.source.problems) if at else 0
        value = any_number(at)
        if at and not value and len(at.source.problems) == before:
            at.problem(_(nothing))
        return value

    return described(read, "a number above 0")


def flag() -> Form[bool]:
    """Return a form for `true` or `false`; the stand-in is False."""

    def read(at: Place | None) -> bool:
        if at is None:
            return False
        if at.kind != "bool" or at.text not in ("true", "false"):
            near = closest((at.text or "").lower(), ("true", "false"))
            at.problem(_expected(_("true or false"), at.shown, _suggestion(near)))
        return at.text == "true"

    return described(read, "true or false")


def choice(options: type[E]) -> Form[E]:
    """Return a form for one of the enum's values; the stand-in is its first member."""
    members = {str(member.value): member for member in options}

    def read(at: Place | None) -> E:
        if at is not None:
            if at.text in members:
                return members[at.text]
            near = closest(at.text or "", members)
            hint = _suggestion(quoted(near)) if near else ""
            wanted = _("one of {options}", options=", ".join(map(quoted, members)))
            at.problem(_expected(wanted, at.shown, hint))
        return next(iter(options))

    return described(read, f"one of {', '.join(map(quoted, members))}")


def listing(item: Form[str], *, at_least_one: str = "") -> Form[tuple[str, ...]]:
    """Return a form for a list of distinct texts; `at_least_one` names what an empty list lacks.

    An element with a problem stays in the list as empty text: positions keep their meaning.
    """

    def read(at: Place | None) -> tuple[str, ...]:
        places = at.items() if at else ()
        if at and places is None:
            hint = _suggestion(f"[{at.text}]" if at.text else None)
            at.problem(_expected(_("a list"), at.shown, hint))
        if at and places == () and at_least_one:
            at.problem(_expected(_(at_least_one), _("an empty list")))
        result: list[str] = []
        for place in places or ():
            value = item(place)
            if value and value in result:
                message = _("{name} is listed twice - delete one of them", name=quoted(value))
                place.problem(message)
            result.append(value)
        return tuple(result)

    return Described(read, "a list", entry=item)


def sequence(item: Form[T]) -> Form[tuple[T, ...]]:
    """Return a form for a list of anything; the stand-in is empty."""

    def read(at: Place | None) -> tuple[T, ...]:
        places = at.items() if at else ()
        if at and places is None:
            at.problem(_expected(_("a list"), at.shown))
        return tuple(item(place) for place in places or ())

    return Described(read, "a list", entry=item)


def table(key: str, key_pattern: str, value: Form[T], *, at_least_one: str) -> Form[dict[str, T]]:
    """Return a form for a mapping whose keys the author chooses, in file order.

    `key` names such a key, and `at_least_one` what an empty mapping lacks. An entry with a problem
    stays in the table, so that what refers to it is not reported as well.
    """
    matches = re.compile(key_pattern).fullmatch

    def read(at: Place | None) -> dict[str, T]:
        entries = at.entries() if at else {}
        if at and entries is None:
            at.problem(_expected(_("a mapping"), at.shown))
        if at and entries == {} and at.node.value == []:
            at.problem(_expected(_(at_least_one), _("an empty mapping")))
        for name, place in (entries or {}).items():
            if not matches(name):
                place.key_problem(_expected(_(key), quoted(name)))
        return {name: value(place) for name, place in (entries or {}).items()}

    return Described(read, f"a mapping with {key}", entry=value)


def record(build: Callable[..., T], **keys: Key) -> Described[T]:
    """Return a form for a mapping with these keys, read in this order.

    The values are given to `build(name, **values)`, where `name` is the key under which the record
    stands.
    """

    def read(at: Place | None) -> T:
        if at is None:
            return build("", **{name: key.form(None) for name, key in keys.items()})
        entries = at.entries()
        if entries is None:
            wanted = _("a mapping with the keys {keys}", keys=", ".join(keys))
            at.problem(_expected(wanted, at.shown))
        else:
            _report_wrong_keys(at, entries, keys)
        values = {}
        for name, key in keys.items():
            place = (entries or {}).get(name)
            left_out = place is None and not key.required
            values[name] = key.default if left_out else key.form(place)
        return build(at.name, **values)

    return Described(read, "a mapping", keys=keys)


def _report_wrong_keys(at: Place, entries: dict[str, Place], keys: dict[str, Key]) -> None:
    absent = [name for name in keys if name not in entries]
    meant = set()
    for name, place in entries.items():
        if name not in keys:
            # A key that is there already cannot be what was meant.
            near = closest(name, absent)
            meant.add(near)
            hint = did_you_mean(name, absent if near else keys)
            place.key_problem(_("unknown key {name}{hint}", name=quoted(name), hint=hint))
    for name in absent:
        if keys[name].required and name not in meant:
            at.key_problem(_("missing key {name}", name=quoted(name)))


def _expected(wanted: str, got: str, hint: str = "") -> str:
    return _("expected {wanted}, got {found}{hint}", wanted=wanted, found=got, hint=hint)


def _suggestion(name: str | None) -> str:
    return _(" - did you mean {name}?", name=name) if name else ""


def _quote_it(at: Place) -> str:
    return "" if at.text is None else _(" - put it in quotes: {value}", value=f'"{at.text}"')
