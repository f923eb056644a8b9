"""Draw the screen of `--watch`: the progress, one exercise, and the keys. Text in, text out."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.course.explanations import STEPS, Explanation, ExplanationError, Explanations
from grader.grade.evidence import Outcome
from grader.report.cleaning import one_line
from grader.report.content import Report
from grader.report.disclosure import named
from grader.report.marks import ASCII, UNICODE, Marks
from grader.report.next_step import explainable
from grader.report.terminal import pieces
from grader.text.language import _, ngettext
from grader.text.points import shown
from grader.watching.progress import Progress, View

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
_BAR_MAX = 30
_WIDTH_MAX = 100
_FEWEST = 6
"""The fewest lines of a report that are shown, in however small a terminal."""


@dataclass(frozen=True)
class Screen:
    """A terminal as it is now, and the means to make its lines."""

    width: int
    encoding: str
    colour: bool
    has_keys: bool
    cwd: Path
    explanations: Explanations | None = None
    """None in a copy of the course that has none."""
    rows: int | None = None
    """None if everything is to be shown, as in a pipe."""

    def page(self, progress: Progress) -> str:
        """Return the whole page; if it does not fit, only a part of the report in its middle."""
        marks = UNICODE if self.encoding.lower().startswith("utf") else ASCII
        busy = Text(progress.busy, style="yellow", no_wrap=True, overflow="ellipsis")
        head = self._printed(self._headline(progress, marks), busy)
        body, end = self._middle(progress, marks)
        about = self._printed(Text(), Text(progress.about)) if progress.about else []
        foot = self._foot(progress, is_cut=False)
        room = self._room([*head, *end, *about, *foot])
        if room is not None and len(body) > room:
            foot = self._foot(progress, is_cut=True)
            first = body.index(marker) if (marker := self._current(progress, body)) else 0
            body = self._shown(body, room, progress.turned, first, marks)
        return "\n".join([*head, *body, *end, *about, *foot]) + "\n"

    def _room(self, others: list[str]) -> int | None:
        """Return the number of report lines that fit beside these; None if there is no limit.

        The terminal breaks long lines itself: each counts for as many rows as it takes.
        """
        if self.rows is None:
            return None
        used = sum(max(1, -(-Text.from_ansi(line).cell_len // self.width)) for line in others)
        return max(_FEWEST, self.rows - used - 1)

    def _shown(
        self, body: list[str], room: int, turned: int, first: int, marks: Marks
    ) -> list[str]:
        """Return one part of the lines that fits into the room, and the number of other lines.

        The lines are cut into parts as long as the room. Shown is the part that holds line `first`,
        or the one that is `turned` parts further on.
        """
        step = room - 1
        start = (first // step + turned) % -(-len(body) // step) * step
        part = body[start : start + step]
        dots = "…" if marks is UNICODE else "..."
        left = len(body) - len(part)
        more = ngettext("{count} more line", "{count} more lines", left)
        return [*part, *self._printed(Text(f"{dots} {more}", style="bright_black"))]

    def _current(self, progress: Progress, body: list[str]) -> str | None:
        """Return the line of the list that is about the current exercise; None without a list."""
        if progress.view is not View.LIST or progress.note:
            return None
        return next((line for line in body if Text.from_ansi(line).plain.startswith(">")), None)

    def _foot(self, progress: Progress, is_cut: bool) -> list[str]:
        if not self.has_keys:
            return []
        return self._printed(Text(), Text("   ").join(_keys(progress, is_cut)))

    def _console(self) -> Console:
        # Encoded as the terminal is, so that nothing is written that it cannot show.
        file = io.TextIOWrapper(io.BytesIO(), encoding=self.encoding, errors="replace", newline="")
        return Console(
            file=file,
            width=self.width,
            force_terminal=self.colour,
            color_system="standard" if self.colour else None,
            highlight=False,
            legacy_windows=False,
        )

    def _printed(self, *texts: RenderableType, width: int | None = None) -> list[str]:
        """Return these texts as the terminal shows them, line by line."""
        console = self._console()
        for text in texts:
            console.print(text, width=width)
        return self._lines(console)

    def _lines(self, console: Console) -> list[str]:
        console.file.flush()
        assert isinstance(console.file, io.TextIOWrapper)
        written = console.file.buffer
        assert isinstance(written, io.BytesIO)
        return written.getvalue().decode(self.encoding).split("\n")[:-1]

    def summary(self, progress: Progress) -> str:
        """Say in a line how many exercises are done."""
        count = len(progress.order)
        return ngettext(
            "{done} of {count} exercise done",
            "{done} of {count} exercises done",
            count,
            done=progress.done,
        )

    def _headline(self, progress: Progress, marks: Marks) -> Text:
        summary = self.summary(progress)
        room = min(self.width, _WIDTH_MAX) - cell_len(summary) - 2
        length = max(0, min(_BAR_MAX, room))
        full = length * progress.done // max(1, len(progress.order))
        bar = Text(marks.full * full, style="green")
        bar.append(marks.empty * (length - full), style="bright_black")
        return bar.append(("  " if length else "") + summary, style="bold")

    def _middle(self, progress: Progress, marks: Marks) -> tuple[list[str], list[str]]:
        """Return the report, list or note to show, and the lines that are always shown below it."""
        if progress.note:
            return self._printed(Text(progress.note, style="yellow")), []
        if progress.view is View.LIST:
            return self._list(progress, marks), []
        if progress.view is View.ALL and progress.whole is not None:
            return self._report(progress.whole)
        if progress.current in progress.reports:
            report = progress.reports[progress.current]
            body, end = self._report(named(report) if progress.causes else report)
            return body, [*end, *self._after(progress)]
        return [], []

    def _report(self, report: Report) -> tuple[list[str], list[str]]:
        body, end = pieces(report, self._console(), self.cwd)
        return body.split("\n")[:-1], end.split("\n")[:-1]

    def _after(self, progress: Progress) -> list[str]:
        lines = []
        if progress.is_done(progress.current):
            following = progress.unfinished_after(progress.current)
            text = _("All exercises are done.")
            if following != progress.current:
                text = _(
                    "{slug} is done. Next: {following}", slug=progress.current, following=following
                )
            lines += self._printed(Text(), Text(text, style="bold green"))
        return lines + (self._hints(progress) if progress.hints else [])

    def _hints(self, progress: Progress) -> list[str]:
        explanation = self._explanation(progress)
        if explanation is None:
            return self._printed(Text(), Text(_("There are no hints for this one.")))
        lines = [""]
        for number in range(progress.hints):
            title = _("hint {number} of {count}", number=number + 1, count=STEPS)
            lines += self._printed(Text(title, style="bright_black"))
            hint = Padding(Text(explanation.hints[number]), (0, 0, 0, 2))
            lines += self._printed(hint, width=min(self.width, _WIDTH_MAX))
        return lines

    def _explanation(self, progress: Progress) -> Explanation | None:
        """Return the explanation of the cause that was named, else of the exercise."""
        report = progress.reports.get(progress.current)
        names = (None if report is None else explainable(named(report)), progress.current)
        for name in names:
            try:
                if name is not None and self.explanations is not None:
                    return self.explanations.of(name)
            except ExplanationError:
                continue
        return None

    def _list(self, progress: Progress, marks: Marks) -> list[str]:
        width = max(map(len, progress.order))
        lines: list[str] = []
        for slug in progress.order:
            part = progress.part(slug)
            mark, style = (" ", "bright_black") if part is None else _mark(progress, slug, marks)
            line = Text("> " if slug == progress.current else "  ", style="bold cyan")
            line.append(f"{mark} ", style=style).append(slug.ljust(width))
            if part is not None:
                earned = "?" if part.is_unknown else shown(part.grade.points)
                line.append(f"  {earned:>5} / {shown(part.grade.max_points)}", style=style)
            line.no_wrap, line.overflow = True, "crop"
            lines += self._printed(line)
        return lines


def _mark(progress: Progress, slug: str, marks: Marks) -> tuple[str, str]:
    part = progress.part(slug)
    assert part is not None
    if progress.is_done(slug):
        return marks.outcome[Outcome.PASSED], "green"
    if part.is_untouched:
        return marks.outcome[Outcome.NOT_ATTEMPTED], "bright_black"
    return marks.outcome[Outcome.FAILED], "red"


def _keeps_back(progress: Progress) -> bool:
    part = progress.part(progress.current)
    causes = () if part is None else (seen.cause for seen in part.observations)
    is_there = any(cause is not None and cause.is_kept_back for cause in causes)
    return is_there and not progress.causes and progress.view is View.EXERCISE


def _keys(progress: Progress, is_cut: bool) -> Iterator[Text]:
    for key, says in (
        *([("m", _("more"))] if is_cut else []),
        ("n", _("next")),
        ("h", _("hint")),
        *([("c", _("cause"))] if _keeps_back(progress) else []),
        ("l", _("back") if progress.view is View.LIST else _("list")),
        ("a", _("all")),
        ("q", _("quit")),
    ):
        yield Text(key, style="bold cyan").append(f" {one_line(says)}", style="not bold default")
