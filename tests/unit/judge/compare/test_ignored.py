"""Keyword arguments that a function takes and does not read."""

from __future__ import annotations

import torch

from grader.judge.compare.ignored import ignored_argument

X = torch.tensor([3.0, 1.0, 2.0])


def scaled(x: torch.Tensor, factor: float = 1.0, reverse: bool = False) -> torch.Tensor:
    return (x.flip(0) if reverse else x) * factor


def not_reversed(x: torch.Tensor, factor: float = 1.0, reverse: bool = False) -> torch.Tensor:
    return x * factor


def test_an_argument_without_effect_is_named() -> None:
    kwargs = {"factor": 2.0, "reverse": True}
    assert ignored_argument(not_reversed, scaled, [X], kwargs) == "reverse"
    assert ignored_argument(scaled, scaled, [X], kwargs) is None


def test_an_argument_that_has_its_default_changes_nothing_in_right_code_either() -> None:
    assert ignored_argument(not_reversed, scaled, [X], {"factor": 1.0, "reverse": False}) is None


def test_an_argument_without_a_default_is_none_that_can_be_left_out() -> None:
    def shifted(x: torch.Tensor, *, by: float) -> torch.Tensor:
        return x + by

    def same(x: torch.Tensor, *, by: float) -> torch.Tensor:
        return x

    assert ignored_argument(same, shifted, [X], {"by": 1.0}) is None
