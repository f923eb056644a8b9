"""Reduce a record to what a class is counted by, so that a report on it need not read all records.

A record of a whole course has hundreds of kilobytes, its summary a few: an outcome is a letter, and
only of what failed is more kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..grade.evidence import Outcome

VERSION = 2
"""Goes up when summaries hold something else, so that those of before are made anew."""
LETTERS: Mapping[Outcome, str] = {
    Outcome.PASSED: "p",
    Outcome.FAILED: "f",
    Outcome.NOT_ATTEMPTED: "n",
    Outcome.STUDENT_ERROR: "e",
    Outcome.TIMED_OUT: "t",
    Outcome.BLOCKED: "b",
    Outcome.CARRIED: "c",
    Outcome.COULD_NOT_CHECK: "u",
}
"""The letter of each outcome in `ResultSummary.outcomes`."""
_EXPLAINED = frozenset({Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT, Outcome.CARRIED})
"""Outcomes of which more than a letter is kept."""
_LIMIT_TEXT = 160

Values = Mapping[str, Any]


@dataclass(frozen=True)
class RecordForm:
    """The checks and criteria of a record, in its order; most records of a class share one."""

    checks: tuple[tuple[str, str], ...]
    """Names as `slug/criterion/test`, each with its title."""
    criteria: tuple[tuple[str, str, str], ...]
    """Names as `slug/criterion`, each with its maximum of points and its visibility."""

    @cached_property
    def criterion_names(self) -> tuple[str, ...]:
        return tuple(name for name, _, _ in self.criteria)

    @property
    def text(self) -> str:
        return json.dumps([self.checks, self.criteria], ensure_ascii=False)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


class FailedCheck(NamedTuple):
    """A check that a student did not pass; a tuple, since a class has very many of them."""

    check: int
    """Its place among the checks of the form."""
    causes: tuple[str, ...]
    """The id of the likely cause, then of those that fit as well."""
    fingerprint: str
    """Equal for equal wrong numbers; empty if the check draws inputs for each submission."""
    observed: str


@dataclass(frozen=True)
class StoredFailures:
    """The failed checks of a summary as they are stored: most of them are never looked at."""

    rows: Sequence[tuple[int, Sequence[str], str, int]]
    """As in FailedCheck, with the place of what was observed among the texts."""
    texts: Sequence[str]

    def __iter__(self) -> Iterator[FailedCheck]:
        for check, causes, print_, text in self.rows:
            yield FailedCheck(check, tuple(causes), print_, self.texts[text])


@dataclass(frozen=True)
class ResultSummary:
    """A graded submission in short."""

    outcomes: str
    """A letter of LETTERS for each check of the form."""
    points: tuple[str | None, ...]
    """What each criterion of the form earned, exactly; None if it could not be checked."""
    failed: tuple[FailedCheck, ...] | StoredFailures
    digest: str
    """The digest of the submission."""
    tier: str
    weak: tuple[str, ...]
    """The parts of the isolation that could not be had."""
    flags: tuple[str, ...]
    """Notes that a person may want to look into."""
    problems: tuple[str, ...]
    """Problems with the files as a whole."""
    causes: Mapping[str, str]
    """The sentence of each cause in `failed`, by id."""
    tried: tuple[str, ...] = ()
    """What it tried and was refused, as values of `Tried`."""

    @property
    def text(self) -> str:
        """Return it as JSON; texts that occur often are kept once."""
        texts = {
            text: place for place, text in enumerate(sorted({o.observed for o in self.failed}))
        }
        failed = [
            [one.check, list(one.causes), one.fingerprint, texts[one.observed]]
            for one in self.failed
        ]
        rest = [self.digest, self.tier, self.weak, self.flags, self.problems, dict(self.causes)]
        rest.append(self.tried)
        values = [self.outcomes, self.points, failed, list(texts), *rest]
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def form_of(record: Values) -> RecordForm:
    """Return the checks and criteria of a record."""
    return RecordForm(
        tuple((one["check"], one["title"]) for one in _checks(record)),
        tuple(
            (f"{exercise['slug']}/{one['name']}", one["max_points"], one["visibility"])
            for exercise in record["exercises"]
            for one in exercise["criteria"]
        ),
    )


def summary_of(record: Values) -> ResultSummary:
    """Return the summary of a record that has no problem."""
    checks = tuple(_checks(record))
    failed = tuple(_failed(checks))
    return ResultSummary(
        outcomes="".join(LETTERS[Outcome(one["outcome"])] for one in checks),
        points=tuple(
            one["points"] for exercise in record["exercises"] for one in exercise["criteria"]
        ),
        failed=failed,
        digest=record["submission"]["digest"] or "",
        tier=record["isolation"]["tier"],
        weak=tuple(map(str, record["isolation"].get("weak", ()))),
        flags=tuple(one["text"][:_LIMIT_TEXT] for one in record.get("flags", ())),
        problems=tuple(
            one["text"][:_LIMIT_TEXT] for one in record["notes"] if one["kind"] == "problem"
        ),
        causes={
            cause["id"]: cause["text"]
            for one in checks
            for cause in (one["cause"], *one["also"])
            if cause is not None
        },
        tried=tuple(dict.fromkeys(one["tried"] for one in checks if one.get("tried"))),
    )


def read_form(text: str) -> RecordForm:
    """Return the form that `RecordForm.text` wrote."""
    checks, criteria = json.loads(text)
    return RecordForm(tuple(map(tuple, checks)), tuple(map(tuple, criteria)))


def read_summary(text: str) -> ResultSummary:
    """Return the summary that `ResultSummary.text` wrote."""
    values = json.loads(text)
    outcomes, points, failed, texts, digest, tier, weak, flags, problems, causes, tried = values
    return ResultSummary(
        outcomes,
        tuple(points),
        StoredFailures(failed, texts),
        digest,
        tier,
        tuple(weak),
        tuple(flags),
        tuple(problems),
        causes,
        tuple(tried),
    )


def _checks(record: Values) -> Iterator[Values]:
    return (check for exercise in record["exercises"] for check in exercise["checks"])


def _failed(checks: tuple[Values, ...]) -> Iterator[FailedCheck]:
    for place, one in enumerate(checks):
        if Outcome(one["outcome"]) in _EXPLAINED:
            causes = (one["cause"], *one["also"]) if one["cause"] is not None else ()
            print_ = one.get("fingerprint", "")
            ids = tuple(cause["id"] for cause in causes)
            yield FailedCheck(place, ids, short_print(print_), one["observed"][:_LIMIT_TEXT])


def short_print(fingerprint: str) -> str:
    """Return what a summary keeps of a fingerprint: as much as tells it from others."""
    return hashlib.sha256(fingerprint.encode()).hexdigest()[:12] if fingerprint else ""
