"""Prepare a failing check for a page: in words, in pictures, and with hints to unfold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.course.explanations import STEPS, ExplanationError
from grader.grade.evidence import Cause, Observation, Outcome
from grader.report.cleaning import one_line
from grader.report.content import Report
from grader.report.html.heat import Figure, drawn, heat_maps
from grader.report.marks import UNICODE, remark
from grader.report.words import facts, with_fit
from grader.text.language import _


@dataclass(frozen=True)
class Hint:
    title: str
    text: str


@dataclass(frozen=True)
class Ladder:
    """The explanation that `grader explain` prints, to be unfolded step by step."""

    name: str
    hints: tuple[Hint, ...]
    """From a nudge to nearly the answer; each is unfolded within the one before."""
    why: str
    is_mistake: bool
    """True if `why` is about a mistake, False if it is about the whole exercise."""
    equation: str
    source: str


@dataclass(frozen=True)
class Fact:
    """One line of a finding: a label and its words; `kind` is `cause` for the likely cause."""

    label: str
    words: str
    kind: str = ""


@dataclass(frozen=True)
class Sign:
    """A mark, and the words for it that a screen reader says."""

    mark: str
    words: str


@dataclass(frozen=True)
class FindingCard:
    """One check that did not pass."""

    title: str
    sign: Sign
    state: str
    """The CSS class of its colour: `bad`, `good`, `idle`, `unknown`."""
    remarks: str
    facts: tuple[Fact, ...]
    figures: tuple[Figure, ...]
    ladder: Ladder | None
    kept: str = ""
    """The cause in words if it is kept back: it is folded away, below the hints."""


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
    """Return the sign of an outcome."""
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
) -> FindingCard:
    """Prepare a check in full; `count` is the number of checks that look just like it."""
    times = _("{count} checks", count=count) if count > 1 else ""
    remarks = filter(None, (seen.criterion, times, remark(seen.outcome)))
    figures = [] if seen.picture is None else [drawn(seen.picture)]
    figures += [] if seen.weights is None else [heat_maps(seen.weights)]
    return FindingCard(
        title=one_line(seen.title),
        sign=sign_of(seen.outcome),
        state=STATES[seen.outcome],
        remarks=", ".join(remarks),
        facts=tuple(_facts(seen)),
        figures=tuple(figure for figure in figures if figure is not None),
        ladder=_ladder(report, hints_name(report, seen)) if with_hints else None,
        kept="\n".join(with_fit(cause) for cause in _kept(seen)),
    )


def hints_name(report: Report, seen: Observation) -> str:
    """Return the name under which the course has hints for a failing check; empty if it has none.

    The name is that of the check's cause, else of its criterion, else of its exercise.
    """
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
    if _kept(seen):  # a page has a fold for it
        seen = replace(seen, cause=None, also=())
    cause = "" if seen.cause is None else seen.cause.text
    return [
        Fact(label, words, "cause" if cause and words.startswith(cause) else "")
        for label, words in facts(seen)
    ]


def _kept(seen: Observation) -> tuple[Cause, ...]:
    causes = (*(() if seen.cause is None else (seen.cause,)), *seen.also)
    return tuple(cause for cause in causes if cause.is_kept_back)


def _ladder(report: Report, name: str) -> Ladder | None:
    """Return the hints of that name; None if the course has none."""
    if report.explanations is None or not name:
        return None
    explanation = report.explanations.of(name)
    steps = (_("a nudge"), _("the idea"), _("nearly the answer"))
    titles = [
        _("Hint {number} of {all}: {step}", number=number, all=STEPS, step=step)
        for number, step in enumerate(steps, 1)
    ]
    return Ladder(
        name=name,
        hints=tuple(
            Hint(title, hint) for title, hint in zip(titles, explanation.hints, strict=True)
        ),
        why=explanation.why,
        is_mistake=bool(explanation.what),
        equation=explanation.equation,
        source=explanation.source,
    )
