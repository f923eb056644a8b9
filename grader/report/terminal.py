"""A report for people, in a terminal of any width, with or without colour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.evidence import Cause, Note, Observation, Outcome
from grader.report.cleaning import one_line, printable
from grader.report.content import LOST, ExerciseReport, Report
from grader.report.next_step import located, next_step
from grader.report.points import shown
from grader.score import CriterionGrade


@dataclass(frozen=True)
class Marks:
    """The signs a terminal can show."""

    outcome: dict[Outcome, str]
    full: str
    empty: str


UNICODE = Marks(
    {
        Outcome.PASSED: "✓",
        Outcome.FAILED: "✗",
        Outcome.NOT_ATTEMPTED: "○",
        Outcome.STUDENT_ERROR: "✗",
        Outcome.TIMED_OUT: "✗",
        Outcome.BLOCKED: "–",
        Outcome.CARRIED: "✓",
        Outcome.COULD_NOT_CHECK: "?",
    },
    full="█",
    empty="░",
)
ASCII = Marks(
    {
        **dict.fromkeys(Outcome, "x"),
        Outcome.PASSED: "+",
        Outcome.NOT_ATTEMPTED: "o",
        Outcome.BLOCKED: "-",
        Outcome.CARRIED: "+",
        Outcome.COULD_NOT_CHECK: "?",
    },
    full="#",
    empty=".",
)

_STYLES = {
    **dict.fromkeys(LOST, "red"),
    Outcome.PASSED: "green",
    Outcome.CARRIED: "green",
    Outcome.NOT_ATTEMPTED: "bright_black",
    Outcome.BLOCKED: "bright_black",
    Outcome.COULD_NOT_CHECK: "yellow",
}
_REMARKS = {
    Outcome.STUDENT_ERROR: "raised an error",
    Outcome.TIMED_OUT: "took too long",
    Outcome.NOT_ATTEMPTED: "not attempted",
    Outcome.CARRIED: "same mistake as before, costs nothing more",
    Outcome.COULD_NOT_CHECK: "could not be checked, not your mistake",
}
# Blanks before the end of a line, colour codes between them aside.
_TRAILING_BLANKS = re.compile(r" +(?=(?: |\x1b\[[0-9;]*m)*$)", re.MULTILINE)
_WIDTH_MAX = 100
_BAR = 20
# Keeps a name and its points on one line while lines are broken; a plain space in what is printed.
_GLUE = "\N{NO-BREAK SPACE}"


def render(report: Report, console: Console, cwd: Path) -> None:
    """Prints the report; its last line says what to open next, as a path from `cwd`."""
    marks = UNICODE if console.encoding.lower().startswith("utf") else ASCII
    width = min(console.width, _WIDTH_MAX)
    page = _Page(report, marks, cwd)
    with console.capture() as capture:
        console.print(page.body(), width=width)
        # Never wrapped: a terminal makes a link of the path only while it is in one piece.
        console.print(page.last_line(), soft_wrap=True)
    text = _TRAILING_BLANKS.sub("", capture.get().replace(_GLUE, " "))
    # A narrow encoding may lack a letter of the student's; a report never fails for that.
    console.file.write(text.encode(console.encoding, "replace").decode(console.encoding))


@dataclass(frozen=True)
class _Page:
    report: Report
    marks: Marks
    cwd: Path

    def body(self) -> RenderableType:
        parts: list[RenderableType] = [self._title(), Text()]
        slug_width = max((len(part.exercise.slug) for part in self.report.exercises), default=0)
        for exercise in self.report.exercises:
            parts += [self._headline(exercise, slug_width), *self._details(exercise)]
        if self.report.notes:
            parts += [Text(), *(self._note(note) for note in self.report.notes)]
        return Group(*parts, Text(), self._total(), self._tier())

    def last_line(self) -> Text:
        line = Text("next: ", style="bold")
        return line.append(one_line(next_step(self.report, self.cwd)), style="bold cyan")

    def _title(self) -> Text:
        place = Path(self.report.submission.path)
        shown_place = place.relative_to(self.cwd) if place.is_relative_to(self.cwd) else place
        title = Text(one_line(self.report.course), style="bold")
        return title.append(f"  {one_line(shown_place.as_posix())}", style="bright_black not bold")

    # --- one exercise ----------------------------------------------------------------------

    def _headline(self, part: ExerciseReport, slug_width: int) -> Text:
        earned, most = part.grade.points, part.grade.max_points
        line = Text().append(part.exercise.slug.ljust(slug_width), style="bold")
        line.append("  ").append_text(self._bar(earned, most))
        line.append(f"  {'?' if part.is_unknown else shown(earned):>5} / {shown(most)}")
        if part.is_untouched:
            line.append("   not attempted", style="bright_black")
        return line

    def _bar(self, earned: Fraction, most: Fraction) -> Text:
        # Rounded down, so that only full points fill it.
        full = int(_BAR * earned / most) if most else 0
        colour = "green" if full == _BAR else "yellow"
        bar = Text(self.marks.full * full, style=colour)
        return bar.append(self.marks.empty * (_BAR - full), style="bright_black")

    def _details(self, part: ExerciseReport) -> list[RenderableType]:
        unhappy = [seen for seen in part.observations if seen.outcome is not Outcome.PASSED]
        # The notes of a blocked check are its echo of the prerequisite's failure.
        told = (seen for seen in part.observations if seen.outcome is not Outcome.BLOCKED)
        notes = dict.fromkeys(note for seen in told for note in seen.notes)
        lines: list[RenderableType] = []
        if unhappy and not part.is_untouched:
            lines.append(Padding(self._criteria(part.grade.criteria), (0, 0, 0, 2)))
            first = next((seen for seen in unhappy if seen.outcome in LOST), unhappy[0])
            lines += [self._line(first, bold=True), self._in_words(first)]
            lines += [self._line(seen) for seen in unhappy if seen is not first]
        lines += [self._hanging("note:", Text(one_line(note)), "cyan") for note in notes]
        return [*lines, Text()] if lines else lines

    def _criteria(self, criteria: tuple[CriterionGrade, ...]) -> Text:
        pieces = []
        for one in criteria:
            points = "?" if one.points is None else shown(one.points)
            text = f"{one.criterion}{_GLUE}{points}/{shown(one.max_points)}"
            pieces.append(Text(text, style=_criterion_style(one)))
        return Text("   ").join(pieces)

    def _line(self, seen: Observation, bold: bool = False) -> RenderableType:
        text = Text(one_line(seen.title), style="bold" if bold else "")
        blocked = seen.outcome is Outcome.BLOCKED
        remark = one_line(seen.observed) if blocked else _REMARKS.get(seen.outcome, "")
        text.append(f"  ({seen.criterion}{', ' if remark else ''}{remark})", style="bright_black")
        return self._hanging(self.marks.outcome[seen.outcome], text, _STYLES[seen.outcome])

    def _in_words(self, seen: Observation) -> RenderableType:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, style="bright_black")
        table.add_column(overflow="fold")
        for label, words in self._facts(seen):
            table.add_row(label, Text(printable(words).strip("\n")))
        return Padding(table, (0, 0, 0, 6))

    def _facts(self, seen: Observation) -> list[tuple[str, str]]:
        where = None if seen.where is None else str(located(self.report, seen.where, self.cwd))
        facts = {
            "observed": seen.observed,
            "expected": seen.expected,
            "likely cause": _cause(seen.cause),
            "where": where,
        }
        return [(label, words) for label, words in facts.items() if words]

    # --- the whole submission --------------------------------------------------------------

    def _note(self, note: Note) -> RenderableType:
        text = Text()
        if note.where is not None:
            text.append(f"{one_line(str(located(self.report, note.where, self.cwd)))}  ", "bold")
        text.append(one_line(note.text))
        problem = note.kind == "problem"
        return self._hanging(f"{note.kind}:", text, "red" if problem else "cyan", indent=0)

    def _total(self) -> Text:
        grade = self.report.grade
        total = Text("total  ", style="bold")
        total.append(f"{shown(grade.points)} / {shown(grade.max_points)} points", style="bold")
        if grade.unchecked_points:
            total.append(
                f"  ({shown(grade.unchecked_points)} could not be checked, not your mistake)",
                style="yellow",
            )
        return total

    def _tier(self) -> Text:
        reason = self.report.isolation.get("reason")
        text = one_line(self.report.tier + (f" ({reason})" if reason else ""))
        return Text(f"isolation  {text}", style="bright_black")

    def _hanging(self, mark: str, text: Text, style: str, indent: int = 4) -> RenderableType:
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True, style=style)
        table.add_column(overflow="fold")
        table.add_row(mark, text)
        return Padding(table, (0, 0, 0, indent))


def _cause(cause: Cause | None) -> str:
    if cause is None:
        return ""
    return f"{cause.text} (gives your numbers on {cause.fits} of {cause.of} probes)"


def _criterion_style(criterion: CriterionGrade) -> str:
    if criterion.points is None:
        return "yellow"
    if criterion.points == criterion.max_points:
        return "green"
    return "red"
