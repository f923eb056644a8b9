"""Describe how wrong masks, tensors of truths, differ from the right ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import torch

from ...text.language import _
from .finding import Finding

Tensor = torch.Tensor
MAX_SHIFT = 3
"""As far as this along an axis, entries are looked for in another place."""


def truth_finding(observed: Tensor, expected: Tensor, words: Mapping[int, str]) -> Finding | None:
    """Describe how two masks of one shape differ; None if they agree, or are no masks.

    `words` are the names of axes by their lengths.
    """
    if observed.shape != expected.shape or observed.dim() == 0:
        return None
    if not observed.dtype == expected.dtype == torch.bool or torch.equal(observed, expected):
        return None
    if torch.equal(observed, ~expected):
        return Finding("value.inverted", _("every True should be False, and every False True"))
    if bool(observed.all()) or not bool(observed.any()):
        text = _("every entry is {value}", value=bool(observed.any()))
        return Finding("value.constant", text, _("every entry is the same"))
    return (
        _turned(observed, expected)
        or _shifted(observed, expected, words)
        or _one_sided(observed, expected)
    )


def _turned(observed: Tensor, expected: Tensor) -> Finding | None:
    # Both: one shape.
    for one, other in combinations(range(observed.dim()), 2):
        if torch.equal(observed, expected.transpose(one, other)):
            text = _(
                "the entries are right with axes {one} and {other} swapped", one=one, other=other
            )
            return Finding("value.transposed", text)
    for axis in range(observed.dim()):
        if torch.equal(observed, expected.flip(axis)):
            text = _("the entries of axis {axis} are in the opposite order", axis=axis)
            return Finding("value.permuted", text)
    return None


def _shifted(observed: Tensor, expected: Tensor, words: Mapping[int, str]) -> Finding | None:
    """Tell whether the entries of an axis stand some places further on; both have one shape."""
    for axis in reversed(range(observed.dim())):
        length = observed.shape[axis]
        for places in range(1, min(MAX_SHIFT, length - 2) + 1):
            rest = length - places
            named = f"{axis} ({words[length]})" if length in words else str(axis)
            if torch.equal(observed.narrow(axis, places, rest), expected.narrow(axis, 0, rest)):
                text = _(
                    "along axis {axis} the entries are shifted by {places} towards the end",
                    axis=named,
                    places=places,
                )
            elif torch.equal(observed.narrow(axis, 0, rest), expected.narrow(axis, places, rest)):
                text = _(
                    "along axis {axis} the entries are shifted by {places} towards the start",
                    axis=named,
                    places=places,
                )
            else:
                continue
            return Finding("value.shifted", text, _("the edge of what is True is shifted"))
    return None


def _one_sided(observed: Tensor, expected: Tensor) -> Finding | None:
    # Both: one shape.
    if not bool((expected & ~observed).any()):
        text = _("all that should be True is, and some entries more")
        return Finding("value.too_many", text)
    if not bool((observed & ~expected).any()):
        return Finding(
            "value.too_few", _("all that is True should be, and some entries are missing")
        )
    return None
