"""Probes of functions and modules: their answers, and torch's own to the same questions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from tests.restyled.anew.oracles import (
    Names,
    Seen,
    Tensor,
    attempt,
    drawn,
    gradients,
    torchs_attention,
)

B, H, S, L, W, V = 2, 3, 4, 5, 8, 6
MASK = drawn(B, 1, S, L, seed=9) > 0
MASK[..., 0] = True
EMPTY = MASK.clone()
EMPTY[0, 0, 1] = False
FLOATS = drawn(S, L, seed=8).masked_fill(~EMPTY[0, 0], -torch.inf)


def of_sdpa(names: Names, attend: Callable[..., Any] | None = None) -> Seen:
    """Ask for attention with all kinds of masks, also of scores in the hundred thousands."""
    attend = attend or names["scaled_dot_product_attention"]
    q, k, v = drawn(B, H, S, W), drawn(B, H, L, W, seed=1), drawn(B, H, L, V, seed=2)
    masks = (None, MASK, EMPTY, FLOATS)
    seen: Seen = [attempt(partial(_first, attend, q, k, v, m)) for m in masks]
    return [*seen, attempt(lambda: attend(q.abs(), -1e5 * k.abs(), v, EMPTY)[0])]


def _first(attend: Callable[..., Any], *args: Any) -> Any:
    return attend(*args)[0]


def sdpa_of_torch(names: Names) -> Seen:
    return of_sdpa(names, lambda q, k, v, m: (torchs_attention(q, k, v, m),))


def of_softmax(names: Names) -> Seen:
    x, few = drawn(3, 4, 5), drawn(6).abs() + 0.1
    spread = x + torch.tensor([[0.0], [500.0], [1000.0], [0.0]])
    soft = names["stable_softmax"]
    seen = [attempt(partial(soft, spread, d)) for d in (0, 1, 2, -1)]
    return [
        *seen,
        attempt(lambda: names["normalise_by_sum"](few - 0.5)),
        names["softmax_naive"](few),
    ]


def softmax_of_torch(names: Names) -> Seen:
    few = drawn(6).abs() + 0.1
    theirs = {
        "stable_softmax": torch.softmax,
        "normalise_by_sum": lambda s: s / s.sum(),
        "softmax_naive": lambda s: torch.softmax(s, 0),
    }
    assert few.dim() == 1
    return of_softmax(theirs)


def of_online(names: Names) -> Seen:
    q, k, v = drawn(B, S, W), drawn(B, L, W, seed=1), drawn(B, L, V, seed=2)
    chunks = [drawn(S, n, seed=n) * 9 for n in (2, 3, 1)]
    seen = [attempt(lambda: names["online_softmax"](chunks))]
    chunked = names["chunked_attention"]
    masks = (None, EMPTY[:, 0])
    return [*seen, *(attempt(partial(chunked, q * 5, k, v, 2, m)) for m in masks)]


def online_of_torch(names: Names) -> Seen:
    return of_online(
        {
            "online_softmax": lambda chunks: torch.softmax(torch.cat(list(chunks), -1), -1),
            "chunked_attention": lambda q, k, v, size, m: torchs_attention(q, k, v, m),
        }
    )


def of_heads(names: Names) -> Seen:
    x = drawn(B, S, 12)
    split = names["split_heads"](x, H)
    return [split, names["merge_heads"](drawn(B, H, S, 4, seed=3))]


def heads_of_torch(names: Names) -> Seen:
    merged = drawn(B, H, S, 4, seed=3).permute(0, 2, 1, 3).flatten(2)
    return [drawn(B, S, 12).reshape(B, S, H, 4).permute(0, 2, 1, 3), merged]


def of_masked(names: Names) -> Seen:
    scores, mask = drawn(S, L), EMPTY[0, 0]
    weights = torch.softmax(scores, -1)
    return [
        attempt(lambda: names["masked_softmax"](scores, mask)),
        attempt(lambda: names["masked_softmax"](scores, mask, 0)),
        attempt(lambda: names["mask_then_renormalise"](weights, mask)),
    ]


def masked_of_torch(names: Names) -> Seen:
    def soft(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim).nan_to_num(0.0)

    return of_masked(
        {
            "masked_softmax": soft,
            "mask_then_renormalise": lambda w, mask: soft(w.log(), mask),
        }
    )


def of_positions(names: Names) -> Seen:
    x, places = drawn(B, H, S, W), torch.tensor([3, 500, 1001, 70])
    return [
        names["sinusoidal_positions"](7, W),
        names["apply_rope"](x, places),
        names["apply_rope"](x, torch.arange(S), 500.0),
    ]


def positions_of_torch(names: Names) -> Seen:
    """Turn points as complex numbers, one pair at a time."""

    def rope(x: Tensor, places: Tensor, base: float = 10000.0) -> Tensor:
        pairs = []
        for i in range(W // 2):
            angle = places.double() * base ** (-2 * i / W)
            turn = torch.complex(angle.cos(), angle.sin())  # T
            point = torch.complex(x[..., 2 * i].double(), x[..., 2 * i + 1].double()) * turn
            pairs += [point.real, point.imag]
        return torch.stack(pairs, -1).to(x.dtype)

    def table(count: int, dim: int) -> Tensor:
        ones = torch.zeros(1, 1, count, dim)
        ones[..., 1::2] = 1.0
        turned = rope(ones, torch.arange(count))  # (-sin, cos) in each pair
        return torch.stack([-turned[0, 0, :, 0::2], turned[0, 0, :, 1::2]], -1).flatten(1)

    return of_positions({"sinusoidal_positions": table, "apply_rope": rope})


def of_dropout(names: Names) -> Seen:
    """Ask for the mean, the values and the share of survivors, and whether rows go as a whole."""
    drop = names["attention_dropout"]
    torch.manual_seed(0)
    kept = drop(torch.full((400, 50), 0.5), 0.2, True)
    rows = (kept == 0).float().mean(-1)
    return [
        (kept[kept != 0] - 0.625).abs().max() < CLOSE if (kept != 0).any() else False,
        bool(abs(float((kept == 0).float().mean()) - 0.2) < 0.03),
        bool(rows.std() < 0.1),
        torch.equal(drop(kept, 0.5, False), kept),
    ]


CLOSE = 1e-5


def dropout_of_torch(names: Names) -> Seen:
    return of_dropout({"attention_dropout": F.dropout})


def of_patches(names: Names) -> Seen:
    torch.manual_seed(0)
    embed = names["PatchEmbedding"](3, 4, 10)
    with torch.no_grad():
        embed.projection.weight.copy_(drawn(*embed.projection.weight.shape, seed=4))
        embed.projection.bias.copy_(drawn(10, seed=5))
    images = drawn(2, 3, 8, 12)
    move = names["conv_weight_from_linear"]
    return [
        attempt(lambda: embed(images)),
        attempt(lambda: embed(drawn(2, 3, 9, 12))),
        attempt(lambda: move(drawn(10, 48), 3, 4)),
    ]


def patches_of_torch(names: Names) -> Seen:
    class Patches(nn.Module):
        def __init__(self, channels: int, size: int, width: int) -> None:
            super().__init__()
            self.projection = nn.Conv2d(channels, width, size, size)

        def forward(self, images: Tensor) -> Tensor:
            if images.shape[2] % 4:
                raise ValueError
            tokens: Tensor = self.projection(images).flatten(2).transpose(1, 2)
            return tokens

    moved = [
        [[[[drawn(10, 48)[d, (r * 4 + s) * 3 + c] for s in range(4)] for r in range(4)]]]
        for d in range(10)
        for c in range(3)
    ]
    table = torch.tensor(moved).reshape(10, 3, 4, 4)
    return of_patches({"PatchEmbedding": Patches, "conv_weight_from_linear": lambda *a: table})


def with_gradients(call: Callable[..., Tensor], x: Tensor) -> Seen:
    """Return the output of a call, and its gradient to x."""
    x = x.clone().requires_grad_()
    return [attempt(lambda: call(x).detach()), gradients(lambda: call(x), [x])]
