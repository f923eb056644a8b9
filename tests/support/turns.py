"""Which part of the longest tests a run makes: all of them, unless it is told a turn.

`make test` makes all. `.ci/run` has to end in a limited time, and its turn is the number of its
commit: of three parts it makes one, and three commits in a row make all three.
`GRADER_TURN=1234 make test` makes again what that run made.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
TURN = os.environ.get("GRADER_TURN", "")
IS_WHOLE = not TURN
"""True if this run makes all."""
PLACE = "tests/e2e/"
ALWAYS = tuple(
    f"{PLACE}test_{name}.py"
    for name in (
        "agreement", "apart", "causes_without_a_known_mistake", "conformance", "corpus",
        "diagnosis", "draws", "endings", "jail", "late_worker", "odd_answers", "odd_calls",
        "policy", "processes", "right_answers_together", "secrets", "toy_course", "validate",
        "violations",
    )
)  # fmt: skip
"""Files that say who gets which grade, and what a submission cannot do. Of the other ones in
`tests/e2e`, on commands, pages, guides and packages, each third is made in its turn."""
PARTS = 3


def in_turn(things: Sequence[T], parts: int, turn: str = TURN) -> tuple[T, ...]:
    """Return those of `things` whose turn it is, one in `parts`; all of them where there is none.

    >>> in_turn("abcdefg", 3, turn="4")
    ('b', 'e')
    >>> in_turn("abc", 3, turn="")
    ('a', 'b', 'c')
    """
    return tuple(things[int(turn) % parts :: parts] if turn else things)


def waiting(files: Iterable[str], turn: str = TURN) -> frozenset[str]:
    """Return those of the test files, named from the root, whose turn it is not."""
    others = sorted({file for file in files if file.startswith(PLACE)} - {*ALWAYS})
    return frozenset(others) - {*in_turn(others, PARTS, turn)}
