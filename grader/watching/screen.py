"""What `--watch` shows: how far it is, one exercise, and the keys. Text in, text out."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.evidence import Outcome
from grader.explanations import STEPS, Explanation, ExplanationError, Explanations
from grader.language import _, ngettext
from grader.report.cleaning import one_line
from grader.report.marks import ASCII, UNICODE, Marks
from grader.report.next_step import explainable
from grader.report.points import shown
from grader.report.terminal import render
from grader.watching.progress import Progress, View

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
_BAR_MAX = 30
_WIDTH_MAX = 100


@dataclass(frozen=True)
class Screen:
    """A terminal as it is now, and what its lines are made with."""

    width: int
    encoding: str
    colour: bool
    has_keys: bool
    cwd: Path
    explanations: Explanations | None = None
    """None in a copy of the course that has none."""

    def page(self, progress: Progress) -> str:
        """Everything there is to see."""
        file = io.TextIOWrapper(io.BytesIO(), encoding=self.encoding, errors="replace", newline="")
        console = Console(
            file=file,
            width=self.width,
            force_terminal=self.colour,
            color_system="standard" if self.colour else None,
            highlight=False,
            legacy_windows=False,
        )
        marks = UNICODE if self.encoding.lower().startswith("utf") else ASCII
        console.print(self._headline(progress, marks))
        console.print()
        self._middle(progress, console, marks)
        if self.has_keys:
            console.print()
            console.print(Text("   ").join(_keys(progress)))
        file.flush()
        written = file.buffer
        assert isinstance(written, io.BytesIO)
        return written.getvalue().decode(self.encoding)

    def summary(self, progress: Progress) -> str:
        """How far it is, in a line."""
        count = len(progress.order)
        return ngettext(
            "{done} of {count} exercise done",
            "{done} of {count} exercises done",
            count,
            done=progress.done,
        )

    def _headline(self, progress: Progress, marks: Marks) -> Text:
        said = self.summary(progress)
        room = min(self.width, _WIDTH_MAX) - cell_len(said) - 2
        length = max(0, min(_BAR_MAX, room))
        full = length * progress.done // max(1, len(progress.order))
        bar = Text(marks.full * full, style="green")
        bar.append(marks.empty * (length - full), style="bright_black")
        return bar.append(("  " if length else "") + said, style="bold")

    def _middle(self, progress: Progress, console: Console, marks: Marks) -> None:
        if progress.note:
            console.print(Text(progress.note), style="yellow")
        elif progress.view is View.LIST:
            self._list(progress, console, marks)
        elif progress.view is View.ALL and progress.whole is not None:
            render(progress.whole, console, self.cwd)
        elif progress.current in progress.reports:
            render(progress.reports[progress.current], console, self.cwd)
            self._after(progress, console)

    def _after(self, progress: Progress, console: Console) -> None:
        if progress.is_done(progress.current):
            following = progress.unfinished_after(progress.current)
            if following == progress.current:
                text = _("All exercises are done.")
            else:
                text = _("{slug} is done. Next: {following}")
            done = text.format(slug=progress.current, following=following)
            console.print()
            console.print(Text(done, style="bold green"))
        if progress.hints:
            self._hints(progress, console)

    def _hints(self, progress: Progress, console: Console) -> None:
        found = self._explanation(progress)
        console.print()
        if found is None:
            console.print(Text(_("There are no hints for this one.")))
            return
        for number in range(progress.hints):
            title = _("hint {number} of {count}", number=number + 1, count=STEPS)
            console.print(Text(title, style="bright_black"))
            hint = Padding(Text(found.hints[number]), (0, 0, 0, 2))
            console.print(hint, width=min(self.width, _WIDTH_MAX))

    def _explanation(self, progress: Progress) -> Explanation | None:
        """Of the cause that was named, else of the exercise."""
        report = progress.reports.get(progress.current)
        names = (explainable(report) if report is not None else None, progress.current)
        for name in names:
            try:
                if name is not None and self.explanations is not None:
                    return self.explanations.of(name)
            except ExplanationError:
                continue
        return None

    def _list(self, progress: Progress, console: Console, marks: Marks) -> None:
        width = max(map(len, progress.order))
        for slug in progress.order:
            part = progress.part(slug)
            mark, style = (" ", "bright_black") if part is None else _mark(progress, slug, marks)
            line = Text("> " if slug == progress.current else "  ", style="bold cyan")
            line.append(f"{mark} ", style=style).append(slug.ljust(width))
            if part is not None:
                earned = "?" if part.is_unknown else shown(part.grade.points)
                line.append(f"  {earned:>5} / {shown(part.grade.max_points)}", style=style)
            console.print(line, no_wrap=True, overflow="crop")


def _mark(progress: Progress, slug: str, marks: Marks) -> tuple[str, str]:
    part = progress.part(slug)
    assert part is not None
    if progress.is_done(slug):
        return marks.outcome[Outcome.PASSED], "green"
    if part.is_untouched:
        return marks.outcome[Outcome.NOT_ATTEMPTED], "bright_black"
    return marks.outcome[Outcome.FAILED], "red"


def _keys(progress: Progress) -> Iterator[Text]:
    for key, says in (
        ("n", _("next")),
        ("h", _("hint")),
        ("l", _("back") if progress.view is View.LIST else _("list")),
        ("a", _("all")),
        ("q", _("quit")),
    ):
        yield Text(key, style="bold cyan").append(f" {one_line(says)}", style="not bold default")
