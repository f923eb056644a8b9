"""Declare the small calls that show by lines of code what no single call shows by its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .small_calls import Fixed, Given, SmallCall

THREE_FEATURES = Fixed("1 1 3", (1, 2, 4))


def parameters(target: str, made: str, count: int) -> SmallCall:
    """Show how many numbers a module learns; more of them than `count` do no harm."""
    steps = (
        f"module = {target}({made})",
        f"shown = min({count}, sum(p.numel() for p in module.parameters() if p.requires_grad))",
    )
    return SmallCall(target, {}, {"parameters": ""}, steps=steps)


def refuses(target: str, *steps: str, given: Mapping[str, Given] | None = None) -> SmallCall:
    """Show that the last of these steps has to raise a ValueError."""
    lines = (*steps[:-1], f"shown = {steps[-1]}")
    return SmallCall(target, given or {}, {"error": ""}, steps=lines, raises="ValueError")


def repeats(name: str, made: str, given: Given = THREE_FEATURES) -> SmallCall:
    """Show whether two modules with the same state give the same answer."""
    steps = (
        f"first, second = {name}({made}), {name}({made})",
        "second.load_state_dict(first.state_dict())",
        "shown = torch.allclose(first(x), second(x))",
    )
    return SmallCall(name, {"x": given}, {"alike": ""}, steps=steps)


def turned(
    target: str, call: str, given: Mapping[str, Given], made: Sequence[Any] | None = None
) -> SmallCall:
    """Show a call with a transposed view, whose numbers do not lie in memory in order."""
    return SmallCall(target, given, {"output": ""}, made, steps=(f"shown = {call}",))
