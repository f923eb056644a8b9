"""Run `grader check --watch`, and write a mark when nothing that a save reached is left to grade.

The page itself does not tell: an exercise that is as right as before leaves it as it was. The mark
is written after the page, to the same terminal, so that whoever reads it has read the page.
"""

from __future__ import annotations

import sys

from grader.cli.cli import main
from grader.cli.commands.check import watch
from grader.watching.changes import Affected


def mark(number: int) -> str:
    """Return what is written after the save with this number."""
    return f"[all that save {number} reached]"


class _Marked(watch._Watch):
    """The loop of `--watch`, which numbers the saves that changed something."""

    _saves = 0

    def _after_change(self, changed: Affected) -> None:
        self._saves += 1
        super()._after_change(changed)
        self._mark()

    def _grade_pending(self) -> None:
        super()._grade_pending()
        self._mark()

    def _mark(self) -> None:
        if not self._pending:
            sys.stdout.write(mark(self._saves))
            sys.stdout.flush()


if __name__ == "__main__":
    watch._Watch = _Marked  # type: ignore[misc]
    raise SystemExit(main(sys.argv[1:]))
