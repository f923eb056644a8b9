"""Number the calls of a check, whose time limits go by their numbers among its own calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class CallNumbers:
    """The numbers of one check's calls. Calls made aside take none from the check's own.

    >>> numbers = CallNumbers()
    >>> numbers.next()
    1
    >>> with numbers.aside():
    ...     numbers.next(), numbers.next()
    (2, 3)
    >>> numbers.next(), numbers.own
    (2, 2)
    """

    def __init__(self) -> None:
        self.own = 0
        """How many calls of its own the check has made."""
        self._aside: int | None = None
        """The number of the last call that was made aside; None while the check makes its own."""

    def next(self) -> int:
        """Return the number of the call that is made now.

        Aside, numbers go on from where the check's own are: such a call is limited as the call in
        whose place it is made.
        """
        if self._aside is None:
            self.own += 1
            return self.own
        self._aside += 1
        return self._aside

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Make calls that are not the check's own, meanwhile."""
        outer = self._aside
        self._aside = self.own if outer is None else outer
        try:
            yield
        finally:
            self._aside = outer
