"""The place of a live object is where that object was made, not where the text has its name."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from grader.wire.load_plan import LoadPlan
from grader.worker.live import Kernel, LiveObjects, Space

FILE = "t1_paint.py"
BEFORE = {
    "function": "\n\ndef paint(x):\n    return x\n",
    "class": "\n\nclass paint:\n    def __init__(self):\n        self.x = 1\n",
    "method": "\n\nclass Box:\n    def paint(self, x):\n        return x\n\npaint = Box().paint\n",
}
"""What made the object, and stands in the text no longer; its code begins in line 3 or 4."""
NOW = "colour = 1\n" * 8 + "def paint(x):\n    return -x\n"


def line_of(made_by: str, text: str) -> Any:
    values: dict[str, Any] = {"__name__": "t1_paint"}
    exec(compile(textwrap.dedent(made_by), f"/home/{FILE}", "exec"), values)
    space = Space(FILE, values, text.encode(), f"/home/{FILE}")
    plan = LoadPlan({}, {"t1_paint": FILE}, {"t1_paint": ("paint",)}, {})
    loaded = LiveObjects(Kernel((space,), {"t1_paint": FILE})).load(plan, lambda _path, _at: None)
    return loaded.report.modules["t1_paint"].targets["paint"].line


@pytest.mark.parametrize(("kind", "line"), [("function", 3), ("class", 4), ("method", 4)])
def test_the_place_is_that_of_the_object(kind: str, line: int) -> None:
    assert line_of(BEFORE[kind], NOW) == line


@pytest.mark.parametrize(("kind", "line"), [("function", 3), ("class", 3)])
def test_the_place_in_the_text_stays_where_the_object_came_from_there(kind: str, line: int) -> None:
    assert line_of(BEFORE[kind], BEFORE[kind]) == line
