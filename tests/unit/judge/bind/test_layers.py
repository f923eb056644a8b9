"""Test which of a student's layers is taken for each piece."""

import torch

from grader.judge.bind.forms import Piece
from grader.judge.bind.layers import Layer, assign

WIDTH = 4


def piece(block: int) -> Piece:
    """Return an output projection of this block."""
    places = torch.arange(WIDTH * WIDTH).reshape(WIDTH, WIDTH)
    return Piece((places,), False, "", ("c_proj",), block=(block,))


def layer(prefix: str) -> Layer:
    return Layer(prefix, (f"{prefix}.weight",), ((WIDTH, WIDTH),), raw=False)


def chosen(*prefixes: str) -> list[str]:
    """Return the layers for two output projections in each of two blocks."""
    assignment = assign([piece(0), piece(0), piece(1), piece(1)], list(map(layer, prefixes)))
    assert assignment is not None
    return [each.prefix for each in assignment.layers]


def test_a_name_takes_no_layer_out_of_another_block() -> None:
    """One of two maps in each block has a telling name: the other one stays in its block."""
    names = ("h.0.c_proj", "h.0.other", "h.1.c_proj", "h.1.other")
    assert chosen(*names) == [*names]


def test_blocks_that_are_numbered_otherwise_go_by_name_and_order() -> None:
    """Where no layer stands in a block of the reference's number, all may be taken."""
    assert chosen("h.5.other", "h.5.c_proj", "h.6.other", "h.6.c_proj") == [
        "h.5.c_proj",
        "h.6.c_proj",
        "h.5.other",
        "h.6.other",
    ]
