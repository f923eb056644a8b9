"""Statistics of dropout that several suites share."""

import torch

from . import proofs, reasons

SHARED = 0.4
"""The largest correlation of two rows whose weights are dropped one by one, in 256 samples: it is 0
with a spread of 0.06 at most. Of rows that lose the same keys, or whole heads, it is 0.85 and more.
"""


DRAWS, FEW = 64, 16
"""Of four numbers that are each dropped or not there are 2^4 states. Where weights are dropped, or
hidden numbers, 64 draws give nearly as many."""


def expect_each_row_drops_its_own(expect, wild):
    """Expect that what is dropped for the last token is not what is dropped for the one before it.

    `wild`, (N, T, D): outputs in train mode for N samples of tokens that are all alike.
    """
    last, before = (wild[:, at] - wild[:, at].mean(0) for at in (-1, -2))  # N D
    shared = (last * before).sum() / (last.norm() * before.norm()).clamp(min=1e-12)
    expect.true(
        shared.item() < SHARED,
        observed="what is dropped for one token is dropped for its neighbour too",
        expected="weights dropped one by one: each head and each row draws its own",
        why=lambda: reasons.SHARED_DROPS,
    )


def expect_drawn_anew(expect, first, second, atol):
    """Require that two calls drop half of all numbers each, independently of one another.

    Both are bool of one shape, True where a number was dropped.
    """
    alike = (first == second).double().mean()
    expect.close(
        alike,
        torch.tensor(0.5),
        what="share that both calls treat alike",
        atol=atol,
        why=lambda: proofs.same_in_each_call(first, second),
    )


def expect_drops_inside(expect, wild, branch):
    """Require that a branch drops something inside, and not only of what it adds in the end.

    `wild`, (N, D): outputs of one token in `DRAWS` draws in train mode. The other branches add
    nothing, and a norm behind, if there is one, has neither gain nor bias: it changes all numbers
    of a token alike, and so leaves the ratio of two differences as it is.
    """
    first, second, third, fourth = wild[:, :4].unbind(-1)
    ratios = ((first - second) / (third - fourth)).sort().values  # N
    gaps = ratios.diff() > 1e-3 * ratios[1:].abs().clamp(min=1.0)
    expect.true(
        int(gaps.sum()) >= FEW,
        observed=f"what the {branch} adds is dropped number by number, and nothing inside it is",
        expected="dropout of the attention weights, and inside the MLP",
        why=lambda: reasons.DROPPED_AT_THE_END,
    )
