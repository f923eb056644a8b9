"""Suggest a name for a misspelt one of the command line."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def suggestion(name: str, names: Collection[str]) -> str:
    """Return the end of a message on an unknown name: a similar one, else all there are.

    >>> suggestion("chek", ["start", "check"]), suggestion("xyzzy", ["start", "check"])
    (" - did you mean 'check'?", '; there are start, check')
    """
    near = difflib.get_close_matches(name, names, n=1)
    return f" - did you mean '{near[0]}'?" if near else f"; there are {', '.join(names)}"
