"""The worker's word for what ran is taken for names that were asked for, and for nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from grader.evidence import Where
from grader.judge.ran import Ran

GELU, RELU = "torch.nn.functional.gelu", "torch.relu"


def place(file: Any, cell: Any, line: Any) -> Where | None:
    return Where(file, line, cell) if file == "a1.py" else None


@pytest.mark.parametrize(
    ("noted", "found"),
    [
        ([[GELU, "a1.py", None, 3]], {GELU: Where("a1.py", 3)}),
        ([[GELU, "the hidden input", None, 3]], {GELU: None}),
        ([[GELU, "a1.py", None, 3], [GELU, "a1.py", None, 9]], {GELU: Where("a1.py", 3)}),
        ([["the hidden input", "a1.py", None, 3]], {}),
        ([[RELU, "a1.py", None, 3]], {}),
        ([[GELU, "a1.py"], GELU, None, [[GELU], 1, 2, 3]], {}),
        ({"a": 1}, {}),
        (None, {}),
    ],
    ids=["seen", "no place", "first", "other text", "not asked", "shapes", "dict", "nothing"],
)
def test_what_is_noted(noted: Any, found: dict[str, Where | None]) -> None:
    ran = Ran(place)
    ran.watch("a1.sums", (GELU,))
    ran.note(noted)
    assert ran.of("a1.sums") == found


def test_nothing_is_noted_when_nothing_is_watched() -> None:
    ran = Ran(place)
    ran.watch("a1.sums", (GELU,))
    ran.watch("a1.sums", ())
    ran.note([[GELU, "a1.py", None, 3]])
    assert ran.of("a1.sums") == {}
    assert ran.settings == {}
    assert ran.watched("a1.sums")
    assert not ran.watched("a1.other")
