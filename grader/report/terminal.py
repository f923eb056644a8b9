"""Render a report for people, in a terminal of any width, with or without colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.grade.counterexample import Counterexample
from grader.grade.evidence import Note, Observation, Outcome
from grader.grade.right_lines import RightLines
from grader.grade.score import CriterionGrade
from grader.report.cleaning import encodable, one_line, trimmed, without_commands
from grader.report.content import LOST, ExerciseReport, Report
from grader.report.drawing import drawn
from grader.report.findings import Alike, Findings, findings, tally, waits
from grader.report.later import later, later_in_all
from grader.report.marks import ASCII, UNICODE, Marks, criterion_outcome, remark
from grader.report.next_step import explainable, from_here, located, next_step
from grader.report.right_so_far import heading, right_sentences, right_so_far
from grader.report.small_example import (
    arithmetic,
    code,
    example_of,
    pasted_as,
    title,
    why_none,
)
from grader.report.weights import beside
from grader.report.words import facts, kind_of, state, total, up_to
from grader.submission.written_answers import WrittenAnswer
from grader.text.language import _
from grader.text.points import shown

_STYLES = {
    **dict.fromkeys(LOST, "red"),
    Outcome.PASSED: "green",
    Outcome.CARRIED: "green",
    Outcome.NOT_ATTEMPTED: "bright_black",
    Outcome.BLOCKED: "bright_black",
    Outcome.COULD_NOT_CHECK: "yellow",
}
_WIDTH_MAX = 100
_BAR = 20
_SHORTEST_BAR = 5
_OTHERS_MAX = 5
_SHORTEST_TITLE = 20
# Stands for a space where a line must not be broken (rich breaks at a no-break space, too). From
# the private use area, so that `printable` lets none through.
_GLUE = "\ue000"


def render(report: Report, console: Console, cwd: Path) -> None:
    """Print the report; its last line names the file to open next, as a path from `cwd`."""
    console.file.write("".join(pieces(report, console, cwd)))


def pieces(report: Report, console: Console, cwd: Path) -> tuple[str, str]:
    """Return what `render` prints in two parts: the report, and the lines with the next step."""
    marks = UNICODE if console.encoding.lower().startswith("utf") else ASCII
    width = min(console.width, _WIDTH_MAX)
    page = _Page(report, marks, cwd, width)
    with console.capture() as body:
        console.print(page.body(), width=width)
    with console.capture() as end:
        if page.explain_line() is not None:
            console.print(page.explain_line(), soft_wrap=True)
        # Never wrapped: a terminal makes a link of the path only while it is in one piece.
        console.print(page.last_line(), soft_wrap=True)
    return _clean(body.get(), console), _clean(end.get(), console)


def _clean(text: str, console: Console) -> str:
    return encodable(without_commands(trimmed(text.replace(_GLUE, " "))), console.encoding)


def _led(name: str, other: str) -> str:
    """Return the word that leads a line, padded to the width of the other line's word."""
    words = {"next": _("next:"), "why": _("why:")}
    width = max(cell_len(words[name]), cell_len(words[other]))
    return f"{set_cell_size(words[name], width)} "


@dataclass(frozen=True)
class _Page:
    report: Report
    marks: Marks
    cwd: Path
    width: int

    def body(self) -> RenderableType:
        exercises = self.report.exercises
        problems = [note for note in self.report.notes if note.kind == "problem"]
        others = [note for note in self.report.notes if note.kind != "problem"]
        parts: list[RenderableType] = [self._title(), Text()]
        # First, because a file that cannot be read explains most of what follows.
        parts += [*(self._note(note) for note in problems), *([Text()] if problems else [])]
        for part in exercises:
            details = self._details(part)
            parts += [self._headline(part), *details]
            parts += [Text()] if details and part is not exercises[-1] else []
        if self.report.written:
            parts += [Text(), Text(_("written answers, graded by a person"), style="bold")]
            parts += [self._written(answer) for answer in self.report.written]
        if others:
            parts += [Text(), *(self._note(note) for note in others)]
        return Group(*parts, Text(), self._total(), self._tier())

    @cached_property
    def _slug_width(self) -> int:
        slugs = [part.exercise.slug for part in self.report.exercises]
        slugs += [answer.item.slug for answer in self.report.written]
        return max(map(len, slugs), default=0)

    @cached_property
    def _most_width(self) -> int:
        """Return the width of the longest maximum of points."""
        return max(len(shown(part.grade.max_points)) for part in self.report.exercises)

    @cached_property
    def _bar_width(self) -> int:
        """Return the width of the bars: shorter if the longest remark would not fit beside them."""
        idle = [part for part in self.report.exercises if part.is_untouched]
        remarks = [cell_len(self.report.idle_because(part)) + 3 for part in idle]
        beside = self._slug_width + len("    12345 / ") + self._most_width + max(remarks, default=0)
        return max(_SHORTEST_BAR, min(_BAR, self.width - beside))

    def last_line(self) -> Text:
        line = Text(_led("next", "why"), style="bold")
        return line.append(one_line(next_step(self.report, self.cwd)), style="bold cyan")

    def explain_line(self) -> Text | None:
        """Return the line on how to read more about the first cause; None if there is none."""
        name = explainable(self.report)
        if name is None:
            return None
        line = Text(_led("why", "next"), style="bold")
        command = self.report.typed.command("explain", name)
        return line.append(one_line(command), style="bold cyan")

    def _title(self) -> Text:
        place = from_here(Path(self.report.submission.path), self.cwd)
        title = Text(one_line(self.report.course), style="bold")
        return title.append("" if place == "." else f"  {one_line(place)}", "bright_black not bold")

    # --- one exercise ----------------------------------------------------------------------

    def _headline(self, part: ExerciseReport) -> Text:
        earned, most = part.grade.points, part.grade.max_points
        line = Text().append(part.exercise.slug.ljust(self._slug_width), style="bold")
        line.append("  ").append_text(self._bar(earned, most - part.grade.later_points))
        line.append(f"  {'?' if part.is_unknown else shown(earned):>5} / {shown(most)}")
        if part.is_untouched:
            gap = " " * (3 + self._most_width - len(shown(most)))
            line.append(f"{gap}{self.report.idle_because(part)}", style="bright_black")
        return line

    def _written(self, answer: WrittenAnswer) -> Text:
        line = Text().append(answer.item.slug.ljust(self._slug_width), style="bold")
        line.append(f"  {state(answer)}", style="" if answer.text else "bright_black")
        return line.append(f"  ({up_to(answer.item.points)})", style="bright_black")

    def _bar(self, earned: Fraction, most: Fraction) -> Text:
        # Rounded down, so that only full points fill it.
        width = self._bar_width
        full = int(width * earned / most) if most else 0
        colour = "green" if full == width else "yellow"
        bar = Text(self.marks.full * full, style=colour)
        return bar.append(self.marks.empty * (width - full), style="bright_black")

    def _details(self, part: ExerciseReport) -> list[RenderableType]:
        # The notes of a blocked check are its echo of the prerequisite's failure.
        unblocked = (seen for seen in part.observations if seen.outcome is not Outcome.BLOCKED)
        notes = dict.fromkeys(note for seen in unblocked for note in seen.notes)
        groups = findings(part)
        lines: list[RenderableType] = []
        if groups and not part.is_untouched:
            lines.append(Padding(self._criteria(part.grade.here), (0, 0, 0, 2)))
            if waiting := later(part.grade):
                lines.append(Padding(Text(waiting, "bright_black"), (0, 0, 0, 2)))
            lines += self._findings(groups, part.observations)
            notes |= dict.fromkeys(filter(None, [why_none(part.observations)]))
        return lines + [self._hanging(_("note:"), Text(one_line(note)), "cyan") for note in notes]

    def _findings(
        self, groups: Findings, observations: Sequence[Observation]
    ) -> Iterator[RenderableType]:
        if groups.first is not None:
            yield self._line(Alike(groups.first), bold=True)
            yield self._in_words(groups.first, groups.echoes)
        if (example := example_of(observations)) is not None:
            yield self._example(example)
        if (right := right_so_far(observations)) is not None:
            yield self._right_so_far(right)
        for group in groups.others[:_OTHERS_MAX]:
            yield self._line(group)
        if groups.others[_OTHERS_MAX:]:
            more = _("and {more}", more=tally(groups.others[_OTHERS_MAX:]))
            yield self._hanging(" ", Text(more, style="bright_black"), "")
        for group in groups.waiting:
            mark = self.marks.outcome[Outcome.BLOCKED]
            yield self._hanging(mark, Text(waits(group), "bright_black"), "bright_black")

    def _criteria(self, criteria: tuple[CriterionGrade, ...]) -> Text:
        pieces = []
        for one in criteria:
            points = "?" if one.points is None else shown(one.points)
            outcome = criterion_outcome(one)
            mark = self.marks.outcome[outcome]
            text = f"{mark}{_GLUE}{one.criterion}{_GLUE}{points}/{shown(one.max_points)}"
            pieces.append(Text(text, style=_STYLES[outcome]))
        return Text("   ").join(pieces)

    def _line(self, group: Alike, bold: bool = False) -> RenderableType:
        seen = group.seen
        times = _("{count} checks", count=group.count) if group.count > 1 else ""
        remarks = filter(None, (seen.criterion, times, remark(seen.outcome)))
        suffix = f"  ({', '.join(remarks)})"
        title = one_line(seen.title)
        # The first is told in full, all others on a line each.
        text = Text(title if bold else self._cut(title, suffix), style="bold" if bold else "")
        text.append(suffix, style="bright_black")
        return self._hanging(self.marks.outcome[seen.outcome], text, _STYLES[seen.outcome])

    def _cut(self, title: str, remark: str) -> str:
        """Cut a title so that mark and remark fit beside it; keep it if room is short."""
        room = self.width - 4 - 2 - cell_len(remark)
        if cell_len(title) <= room or room < _SHORTEST_TITLE:
            return title
        dots = "…" if self.marks is UNICODE else "..."
        return f"{set_cell_size(title, room - len(dots)).rstrip()}{dots}"

    def _in_words(self, seen: Observation, echoes: tuple[Alike, ...]) -> RenderableType:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, style="bright_black")
        table.add_column(overflow="fold")
        place = None if seen.where is None else str(located(self.report, seen.where, self.cwd))
        pairs = list(facts(seen, place))
        for label, words in pairs:
            table.add_row(label, Text(words))
        labels = (*(label for label, _words in pairs), _("picture"), _("weights"), _("also in"))
        if drawing := self._drawing(seen, self.width - 6 - 2 - max(map(cell_len, labels))):
            table.add_row(*drawing)
        if echoes:
            table.add_row(_("also in"), Text(tally(echoes)))
        return Padding(table, (0, 0, 0, 6))

    def _example(self, example: Counterexample) -> RenderableType:
        """Show the smallest input, as code: what is read here can be pasted as it is."""
        lines = [Text(f"{title()}: {one_line(example.call)}", style="bold")]
        lines += [Text(sentence) for sentence in arithmetic(example)]
        lines.append(Text(pasted_as(), style="bright_black"))
        lines += [Text(line, style="cyan") for line in code(example)]
        return Padding(Group(*lines), (0, 0, 0, 6))

    def _right_so_far(self, right: RightLines) -> RenderableType:
        sentences = right_sentences(right, lambda where: located(self.report, where, self.cwd))
        lines = [Text(heading(), style="bold"), *map(Text, sentences)]
        return Padding(Group(*lines), (0, 0, 0, 6))

    def _drawing(self, seen: Observation, room: int) -> tuple[str, Text] | None:
        """Return the label and the drawing of a check's numbers; None if there are none."""
        is_unicode = self.marks is UNICODE
        if seen.picture is not None:
            return _("picture"), drawn(seen.picture, is_unicode, room)
        both = None if seen.weights is None else beside(seen.weights, is_unicode, room)
        return None if both is None else (_("weights"), both)

    # --- the whole submission --------------------------------------------------------------

    def _note(self, note: Note) -> RenderableType:
        text = Text()
        if note.where is not None:
            text.append(f"{one_line(str(located(self.report, note.where, self.cwd)))}  ", "bold")
        text.append(one_line(note.text))
        problem = note.kind == "problem"
        return self._hanging(f"{kind_of(note)}:", text, "red" if problem else "cyan", indent=0)

    def _total(self) -> Text:
        grade = self.report.grade
        line = Text(_("total  {points}", points=total(self.report)), style="bold")
        if unknown := grade.unchecked_points - grade.later_points:
            text = _("({points} could not be checked, not your mistake)", points=shown(unknown))
            line.append(f"  {text}", style="not bold yellow")
        if grade.later_points:
            line.append(f"  ({later_in_all(grade)})", style="not bold bright_black")
        return line

    def _tier(self) -> Text:
        isolation = self.report.isolation
        reason = "" if isolation is None else isolation.reason
        text = one_line(self.report.tier + (f" ({reason})" if reason else ""))
        return Text(_("isolation  {tier}", tier=text), style="bright_black")

    def _hanging(self, mark: str, text: Text, style: str, indent: int = 4) -> RenderableType:
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True, style=style)
        table.add_column(overflow="fold")
        table.add_row(mark, text)
        return Padding(table, (0, 0, 0, indent))
