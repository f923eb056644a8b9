"""Find the format of a report by its name; a format is imported only when it is asked for."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from grader.report.content import Report

FILE_WIDTH = 100


def renderer(name: str) -> Callable[[Report], str]:
    """Return the function that renders a report in the format `name`.

    Raises LookupError if there is no such format.
    """
    match name:
        case "text":
            return _text()
        case "json":
            from grader.report.json import rendered
        case "junit":
            from grader.report.junit import rendered
        case "markdown":
            from grader.report.markdown import rendered
        case "html":
            from grader.report.html.page import rendered
        case _:
            raise LookupError(name)
    return rendered


def _text() -> Callable[[Report], str]:
    from rich.console import Console

    from grader.report.terminal import render

    def rendered(report: Report) -> str:
        page = io.StringIO()
        render(report, Console(file=page, width=FILE_WIDTH, highlight=False), Path.cwd())
        return page.getvalue()

    return rendered
