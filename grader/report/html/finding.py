"""A failing check as a page tells it: in words, in pictures, and with hints to unfold."""

from __future__ import annotations

from dataclasses import dataclass

from grader.evidence import Observation, Outcome
from grader.explanations import STEPS, ExplanationError
from grader.language import _
from grader.report.cleaning import one_line
from grader.report.content import Report
from grader.report.html.heat import Figure, drawn, heat_maps
from grader.report.marks import UNICODE, remark
from grader.report.words import facts


@dataclass(frozen=True)
class Hint:
    title: str
    text: str


@dataclass(frozen=True)
class Ladder:
    """What `grader explain` says, to be unfolded step by step."""

    name: str
    hints: tuple[Hint, ...]
    """From a nudge to nearly the answer; each is unfolded within the one before."""
    why: str
    is_mistake: bool
    """Whether `why` is about a mistake, and not about the whole exercise."""
    equation: str
    source: str


@dataclass(frozen=True)
class Fact:
    """A label and its words; `cause` for the likely cause."""

    label: str
    words: str
    kind: str = ""


@dataclass(frozen=True)
class Sign:
    """A mark, and what it says to whoever does not see it."""

    mark: str
    words: str


@dataclass(frozen=True)
class Finding:
    """One check that did not pass."""

    title: str
    sign: Sign
    state: str
    """The class of its colour: `bad`, `good`, `idle`, `unknown`."""
    remarks: str
    facts: tuple[Fact, ...]
    figures: tuple[Figure, ...]
    ladder: Ladder | None


STATES = {
    Outcome.PASSED: "good",
    Outcome.CARRIED: "good",
    Outcome.FAILED: "bad",
    Outcome.STUDENT_ERROR: "bad",
    Outcome.TIMED_OUT: "bad",
    Outcome.NOT_ATTEMPTED: "idle",
    Outcome.BLOCKED: "idle",
    Outcome.COULD_NOT_CHECK: "unknown",
}


def sign_of(outcome: Outcome) -> Sign:
    """The sign of an outcome."""
    words = {
        Outcome.PASSED: _("passed"),
        Outcome.CARRIED: _("passed: the same mistake already cost its points"),
        Outcome.FAILED: _("failed"),
        Outcome.STUDENT_ERROR: _("failed"),
        Outcome.TIMED_OUT: _("failed"),
        Outcome.NOT_ATTEMPTED: _("not attempted"),
        Outcome.BLOCKED: _("waits"),
        Outcome.COULD_NOT_CHECK: _("could not be checked"),
    }
    return Sign(UNICODE.outcome[outcome], words[outcome])


def finding(
    report: Report, seen: Observation, count: int = 1, *, with_hints: bool = True
) -> Finding:
    """A check in full; `count` of them that a reader cannot tell apart."""
    times = _("{count} checks", count=count) if count > 1 else ""
    remarks = filter(None, (seen.criterion, times, remark(seen.outcome)))
    figures = [] if seen.picture is None else [drawn(seen.picture)]
    figures += [] if seen.weights is None else [heat_maps(seen.weights)]
    return Finding(
        title=one_line(seen.title),
        sign=sign_of(seen.outcome),
        state=STATES[seen.outcome],
        remarks=", ".join(remarks),
        facts=tuple(_facts(seen)),
        figures=tuple(figure for figure in figures if figure is not None),
        ladder=_ladder(report, hints_name(report, seen)) if with_hints else None,
    )


def hints_name(report: Report, seen: Observation) -> str:
    """By which name the course has hints for a check: that of its cause, of its criterion, or of
    its exercise. Empty if it has none."""
    if report.explanations is None or STATES[seen.outcome] != "bad":
        return ""
    names = [seen.cause.id] if seen.cause is not None else []
    for name in (*names, f"{seen.exercise}/{seen.criterion}", seen.exercise):
        try:
            report.explanations.of(name)
        except ExplanationError:
            continue
        return name
    return ""


def _facts(seen: Observation) -> list[Fact]:
    cause = "" if seen.cause is None else seen.cause.text
    return [
        Fact(label, words, "cause" if cause and words.startswith(cause) else "")
        for label, words in facts(seen)
    ]


def _ladder(report: Report, name: str) -> Ladder | None:
    """The hints of that name, where the course has any."""
    if report.explanations is None or not name:
        return None
    found = report.explanations.of(name)
    steps = (_("a nudge"), _("the idea"), _("nearly the answer"))
    titles = [
        _("Hint {number} of {all}: {step}", number=number, all=STEPS, step=step)
        for number, step in enumerate(steps, 1)
    ]
    return Ladder(
        name=name,
        hints=tuple(Hint(title, hint) for title, hint in zip(titles, found.hints, strict=True)),
        why=found.why,
        is_mistake=bool(found.what),
        equation=found.equation,
        source=found.source,
    )
