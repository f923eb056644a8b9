"""Count the words that a notebook tells, and those of its code.

A word is a run of characters between spaces that has a letter in it. In a markdown cell fenced
blocks and equations on lines of their own do not count; in a code cell everything counts, comments
and docstrings too.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_SET_APART = re.compile(r"(?ms)^(```|\$\$).*?^\1$")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class WordCount:
    """The numbers of words in the markdown cells and in the code cells of a notebook."""

    markdown: int
    code: int


def words_of(notebook: str) -> WordCount:
    """Return how many words the cells of a notebook hold.

    >>> cells = [
    ...     {"cell_type": "markdown", "source": ["Two words: 3.\\n", "$$\\n", "x = y\\n", "$$"]},
    ...     {"cell_type": "code", "source": ["x = 1  # one"]},
    ... ]
    >>> words_of(json.dumps({"cells": cells}))
    WordCount(markdown=2, code=2)
    """
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(notebook)["cells"]]
    return WordCount(
        sum(_words(_SET_APART.sub("", source)) for kind, source in cells if kind == "markdown"),
        sum(_words(source) for kind, source in cells if kind == "code"),
    )


def _words(text: str) -> int:
    return sum(_LETTER.search(part) is not None for part in text.split())
