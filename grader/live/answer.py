"""The result of a check in a kernel, shown as HTML where possible and as text elsewhere."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from grader.live.spaces import shell_of_this_process
from grader.report.content import Report

_WIDTH = 100


@dataclass(frozen=True, repr=False)
class Answer:
    """A report on live objects. Shows itself as a notebook or a console does."""

    report: Report
    folder: Path

    def __repr__(self) -> str:
        from rich.console import Console

        from grader.report.terminal import render

        page = io.StringIO()
        # In a notebook rich would show what is written here by itself, beside what is shown of us.
        console = Console(
            file=page, width=_WIDTH, highlight=False, force_jupyter=False, color_system=None
        )
        render(self.report, console, self.folder)
        return page.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        from grader.report.html.page import fragment

        return fragment(self.report)


@dataclass(frozen=True, repr=False)
class Refusal:
    """The reason why nothing could be checked, and what to do: shown instead of a traceback."""

    text: str

    def __repr__(self) -> str:
        return f"grader: {self.text}"


def show(answer: Answer | Refusal) -> None:
    """Show the answer: in a notebook as rich as it can be, in a console as text."""
    if shell_of_this_process() is None:
        print(answer)
        return
    from IPython.display import display

    display(answer)  # type: ignore[no-untyped-call]
