"""The course notebook prints numbers; the reference gives the same ones.

The notebook's six words are 3-dimensional embeddings of "Your journey starts with one step", and
its layers are created right after `torch.manual_seed`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from reference.a1_attention import scaled_dot_product_attention
from reference.a2_masking import CausalAttention

SIX_WORDS = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)


@pytest.fixture(autouse=True)
def own_generator() -> Iterator[None]:
    """Leave the random state as it was."""
    with torch.random.fork_rng(devices=[]):
        yield


def printed(observed: torch.Tensor, rows: list[list[float]]) -> None:
    """The numbers agree in all four places that the notebook prints."""
    torch.testing.assert_close(observed.detach(), torch.tensor(rows), rtol=0, atol=0.51e-4)


def three_linears(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return what the notebook's linear layers of that seed make of the six words."""
    torch.manual_seed(seed)
    query, key, value = (nn.Linear(3, 2, bias=False) for _ in range(3))
    return query(SIX_WORDS), key(SIX_WORDS), value(SIX_WORDS)


def test_causal_attention_at_seed_123() -> None:
    """CausalAttention on the batch of two copies of the six words prints the notebook's output."""
    torch.manual_seed(123)
    attention = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)
    output = attention(torch.stack([SIX_WORDS, SIX_WORDS]))
    rows = [
        [-0.4519, 0.2216],
        [-0.5874, 0.0058],
        [-0.6300, -0.0632],
        [-0.5675, -0.0843],
        [-0.5526, -0.0981],
        [-0.5299, -0.1081],
    ]
    printed(output[0], rows)
    printed(output[1], rows)


def test_self_attention_with_parameters_at_seed_123() -> None:
    """Attention with uniformly drawn weights prints the output of the notebook's first class."""
    torch.manual_seed(123)
    query, key, value = (SIX_WORDS @ torch.rand(3, 2) for _ in range(3))
    output, weights = scaled_dot_product_attention(query, key, value)
    printed(
        output,
        [
            [0.2996, 0.8053],
            [0.3061, 0.8210],
            [0.3058, 0.8203],
            [0.2948, 0.7939],
            [0.2927, 0.7891],
            [0.2990, 0.8040],
        ],
    )
    printed(weights[1:2], [[0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820]])


def test_self_attention_with_linears_at_seed_789() -> None:
    """Attention between linear layers prints the output and weights of the notebook's second."""
    output, weights = scaled_dot_product_attention(*three_linears(789))
    printed(
        output,
        [
            [-0.0739, 0.0713],
            [-0.0748, 0.0703],
            [-0.0749, 0.0702],
            [-0.0760, 0.0685],
            [-0.0763, 0.0679],
            [-0.0754, 0.0693],
        ],
    )
    printed(
        weights,
        [
            [0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
            [0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
            [0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480],
            [0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564],
            [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585],
            [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529],
        ],
    )


def causal_rows() -> list[list[float]]:
    return [
        [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5517, 0.4483, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3800, 0.3097, 0.3103, 0.0000, 0.0000, 0.0000],
        [0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000],
        [0.2175, 0.1983, 0.1984, 0.1888, 0.1971, 0.0000],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529],
    ]


def test_causal_weights_at_seed_789() -> None:
    """With a triangle as its mask, attention prints the notebook's causal weights."""
    triangle = torch.ones(6, 6, dtype=torch.bool).tril()
    printed(scaled_dot_product_attention(*three_linears(789), triangle)[1], causal_rows())


def test_causal_weights_with_an_additive_mask() -> None:
    """The same triangle as a float mask of -inf prints the same weights."""
    triangle = torch.full((6, 6), -torch.inf).triu(1)
    printed(scaled_dot_product_attention(*three_linears(789), triangle)[1], causal_rows())


def test_attention_without_weights() -> None:
    """Unscaled scores and their context vectors are the notebook's.

    The function scales, so the queries are multiplied by the root of their width beforehand.
    """
    output, weights = scaled_dot_product_attention(SIX_WORDS * 3**0.5, SIX_WORDS, SIX_WORDS)
    printed(weights[1:2], [[0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]])
    printed(
        output,
        [
            [0.4421, 0.5931, 0.5790],
            [0.4419, 0.6515, 0.5683],
            [0.4431, 0.6496, 0.5671],
            [0.4304, 0.6298, 0.5510],
            [0.4671, 0.5910, 0.5266],
            [0.4177, 0.6503, 0.5645],
        ],
    )
