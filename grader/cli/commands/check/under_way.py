"""Show on a terminal what is being done, in a line that is gone when that is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from grader.engine.engine import Tell
from grader.text.news import News


@contextmanager
def line() -> Iterator[Tell | None]:
    """Yield a function that shows news in the line; None if the error stream is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    def words(news: News) -> Text:
        return Text(str(news), no_wrap=True, overflow="ellipsis")

    # Of plain letters: they can be shown in any encoding.
    console = Console(stderr=True, highlight=False)
    with Status(words(News()), console=console, spinner="line") as status:

        def tell(news: News | None) -> None:
            if news is not None:
                status.update(words(news))

        yield tell
