"""Tell the trusted side which statement of a submission runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CurrentStatement:
    """The statement of a submission that runs, told to the trusted side until loading is over.

    After that, whatever runs is part of a call that has its own deadline.
    """

    def __init__(self, tell: Callable[[str, int], None]) -> None:
        self._tell = tell
        self._current: tuple[str, int] | None = None
        self._is_over = False

    def begin(self, path: str, index: int, may_take_long: bool) -> None:
        """Note that a statement begins: a file, and its number in it."""
        self._current = (path, index)
        if may_take_long and not self._is_over:
            self._tell(path, index)

    @contextmanager
    def within(self) -> Iterator[None]:
        """Run another file meanwhile, because of the statement at hand."""
        outer = self._current
        try:
            yield
        finally:
            self._current = outer
        if outer is not None and not self._is_over:
            # the importing statement goes on: its own time limit, under its own name
            self._tell(*outer)

    def finish(self) -> None:
        """Note that loading is over."""
        self._current, self._is_over = None, True
