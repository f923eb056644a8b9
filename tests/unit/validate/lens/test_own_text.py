"""A student's text becomes pieces of the reference, as few lines each as can be."""

from __future__ import annotations

import ast

import pytest

from grader.validate.lens.own_text import MOST_BYTES, OwnPieces, own_pieces, pieces_of
from grader.validate.lens.plain_code import unusual
from grader.validate.lens.transplant import changed_lines, transplanted

REFERENCE = '''\
"""Attention."""

import math

import torch

EPS = 1e-6


def scores(query, key):
    """Say what it is for."""
    # as in the paper
    width = query.shape[-1]
    products = query @ key.mT  # B T T
    return products / math.sqrt(width)


class Attention(torch.nn.Module):
    """Attend."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = torch.nn.Linear(width, width)

    def forward(self, x: torch.Tensor, mask=None):
        if mask is None:
            mask = x
        elif mask.dim() == 2:
            mask = mask[None]
        else:
            mask = mask + EPS
        return self.query(x) * mask
'''
STUDENT = """\
import math
import torch
from torch import einsum


def half(x):
    return x / 2


def scores(query, key):
    d = query.shape[-1]
    p = einsum("bqd,bkd->bqk", query, key)
    return half(p) / d


class Attention(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.to_q = torch.nn.Linear(width, width)

    def forward(self, x, mask=None):
        if mask is None:
            mask = x
        elif mask.dim() == 2:
            mask = mask[:, None]
        else:
            mask = mask + EPS
        return self.to_q(x) * mask
"""
NAMES = ("scores", "Attention")


@pytest.fixture(scope="module")
def pieces() -> OwnPieces:
    return own_pieces(REFERENCE, STUDENT, NAMES)


def test_only_what_computes_differs_and_variables_are_the_reference_s(pieces: OwnPieces) -> None:
    assert [(one.first, one.last, one.text) for one in pieces.pieces] == [
        (14, 14, ("    products = einsum('bqd,bkd->bqk', query, key)",)),
        (15, 15, ("    return half(products) / width",)),
        (29, 29, ("            mask = mask[:, None]",)),
    ]


def test_a_piece_is_put_in_and_brings_what_it_uses(pieces: OwnPieces) -> None:
    edit = transplanted("a1_attention", REFERENCE, pieces, {1})
    assert edit is not None
    assert (edit.definition, edit.lines, edit.helpers) == ("scores", (15,), ("half",))
    assert edit.edits == (
        "own text: return products / math.sqrt(width) -> return half(products) / width",
    )
    assert "def half(x):\n    return x / 2\n\n\ndef scores" in edit.source
    assert "einsum" not in edit.source
    assert "    # as in the paper\n" in edit.source  # all else stays as it was


def test_pieces_of_two_definitions_go_together(pieces: OwnPieces) -> None:
    edit = transplanted("a1_attention", REFERENCE, pieces, {0, 2})
    assert edit is not None
    assert edit.definition == "scores and Attention"
    assert changed_lines(edit, REFERENCE) == 2 + 3  # the import, with two empty lines behind it
    ast.parse(edit.source)


def test_all_pieces_make_the_student_s_program(pieces: OwnPieces) -> None:
    edit = transplanted("a1_attention", REFERENCE, pieces, range(3))
    assert edit is not None
    again = own_pieces(edit.source, STUDENT, NAMES)
    assert again.pieces == ()


def test_the_same_program_has_no_pieces() -> None:
    plain = ast.unparse(ast.parse(REFERENCE))
    assert own_pieces(REFERENCE, plain, NAMES).pieces == ()


def test_a_text_is_read_in_a_process_of_its_own(pieces: OwnPieces) -> None:
    assert pieces_of(REFERENCE, STUDENT, NAMES) == pieces


@pytest.mark.parametrize(
    "text",
    [
        "def scores(:",
        "x = " + "(" * 500 + ")" * 500,
        "x = " + "-" * 90_000 + "1",
        "x = '" + "a" * MOST_BYTES + "'",
        "x = 1\0",
    ],
)
def test_what_no_parser_takes_is_no_text(text: str) -> None:
    assert pieces_of(REFERENCE, text, NAMES) is None


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("y = torch.load('f')", "load"),
        ("y = torch.ops.aten.mm", "ops"),
        ("().__class__.__base__", "__base__"),
        ("import subprocess", "subprocess"),
        ("from torch import save", "save"),
        ("from torch.utils import data", "torch.utils"),
        ("from math import *", "*"),
        ("exec('1')", "exec"),
        ("__import__('os')", "__import__"),
        ("getattr(x, 'y')", "getattr"),
        ("try:\n    x\nexcept Exception:\n    y", "try"),
        ("y = math.sqrt(x.shape[-1]) + sum(range(3))", ""),
        ("super().__init__()", ""),
    ],
)
def test_what_no_exercise_needs_is_told_by_its_name(code: str, name: str) -> None:
    assert unusual(ast.parse(code)) == name
