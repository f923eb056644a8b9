"""Say to a student what their report says, in the short forms that other systems show.

Nothing is said here that the report of `grader check` does not say: of hidden checks that passed
there is no word.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from grader.export.graded_class import GradedClass, StudentResult
from grader.grade.evidence import Cause, Observation, Outcome
from grader.grade.score import CriterionGrade
from grader.report.cleaning import LIMIT_REFUSAL, one_line, printable, without_commands
from grader.report.content import LOST, ExerciseReport
from grader.report.findings import Alike, waits
from grader.report.marks import remark
from grader.report.words import facts
from grader.text.language import _, ngettext
from grader.text.points import shown, signed

LIMIT_TEXT = 4000
"""The most characters on one criterion: some systems take no more than a megabyte in all."""
_SILENT = (Outcome.PASSED, Outcome.CARRIED)


def points_in_short(graded: GradedClass, student: StudentResult) -> str:
    """Return all points in a line: by exercise and question, with comments, and beside these."""
    pieces = []
    for slug in graded.slugs:
        points, most = student.row.points.get(slug), graded.rubric.exercises[slug].points
        pieces.append(f"{slug} {_known(points)} / {shown(most)}")
    for item in graded.items:
        given = graded.given_to(student, item)
        comment = f" ({one_line(given.words)})" if given.words else ""
        pieces.append(f"{item.slug} {_known(given.points)} / {shown(item.points)}{comment}")
    beside = (f"{one_line(one.reason)}: {signed(one.points)}" for one in student.row.beside)
    return "; ".join((*pieces, *beside))


def criterion_in_words(part: ExerciseReport, grade: CriterionGrade) -> str:
    """Return what did not pass in one criterion: titles, and what was seen.

    A cause and its place that all of it have in common stand above, once.
    """
    seen = _different([one for one in part.observations if one.criterion == grade.criterion])
    in_all = _in_all(seen)
    lines = [_passed(grade), *(_fact(label, words) for label, words in in_all)]
    for one in seen:
        lines += ["", *_in_words(one, in_all)]
    return clean("\n".join(lines), LIMIT_TEXT)


def shown_causes(part: ExerciseReport) -> Iterator[Cause]:
    """Yield the known mistakes that the report on an exercise names, each once."""
    causes = (seen.cause for seen in part.observations if seen.outcome in LOST)
    yield from dict.fromkeys(cause for cause in causes if cause is not None)


def clean(text: str, limit: int = LIMIT_REFUSAL) -> str:
    """Return a text that does nothing where it is shown; its line breaks stay."""
    return without_commands(printable(text, limit))


def _passed(grade: CriterionGrade) -> str:
    if grade.points is None:
        return _("This could not be checked: that is not your mistake.")
    return ngettext(
        "{passed} of {count} check passed.",
        "{passed} of {count} checks passed.",
        grade.checks,
        passed=grade.passed,
    )


def _different(seen: list[Observation]) -> list[Observation]:
    """Return the checks that did not pass, those that read alike once."""
    alike = {_words_of(one): one for one in reversed(seen)}
    kept = {id(one) for one in alike.values()}
    return [one for one in seen if one.outcome not in _SILENT and id(one) in kept]


def _words_of(seen: Observation) -> tuple[str, ...]:
    """Return what tells the check from others where it is shown."""
    if seen.outcome is Outcome.BLOCKED:
        return (seen.outcome, *seen.needs)
    return (seen.outcome, seen.title, seen.observed)


def _in_all(seen: list[Observation]) -> tuple[tuple[str, str], ...]:
    """Return what several checks have in common, beside what was observed and expected."""
    failed = [facts(one) for one in seen if one.outcome is not Outcome.BLOCKED]
    if len(failed) < 2:
        return ()
    own = (_("observed"), _("expected"))
    first, *others = failed
    return tuple(
        fact for fact in first if fact[0] not in own and all(fact in other for other in others)
    )


def _in_words(seen: Observation, in_all: tuple[tuple[str, str], ...]) -> Iterator[str]:
    if seen.outcome is Outcome.BLOCKED:
        yield f"- {waits(Alike(seen))}"
        return
    why = remark(seen.outcome)
    yield f"- {one_line(seen.title)}" + (f" ({why})" if why else "")
    for label, words in facts(seen):
        if (label, words) not in in_all:
            yield f"  {_fact(label, words)}"


def _fact(label: str, words: str) -> str:
    indented = words.replace("\n", "\n    ")
    return f"{label}: {indented}"


def _known(points: Fraction | None) -> str:
    return "?" if points is None else shown(points)
