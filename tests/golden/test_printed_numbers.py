"""The course notebook prints numbers; the reference gives the same ones.

The notebook's six words are 3-dimensional embeddings of "Your journey starts with one step", and
its layers are created right after `torch.manual_seed`.

The notebook's two prints of seeded dropout are left out: which entries a seed drops differs between
versions of torch, and current ones do not reproduce them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from reference.a1_attention import (
    SelfAttentionV1,
    SelfAttentionV2,
    attention_scores,
    context_vector,
    dot_product_loop,
    normalise_by_sum,
    scaled_dot_product_attention,
    simple_self_attention,
    softmax_naive,
    stable_softmax,
)
from reference.a2_masking import (
    CausalAttention,
    causal_mask,
    mask_then_renormalise,
    masked_softmax,
)
from reference.a3_multi_head import MultiHeadAttention, MultiHeadAttentionWrapper

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


def printed(observed: torch.Tensor, rows: list[float] | list[list[float]]) -> None:
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
    """SelfAttentionV1, with its weights drawn uniformly, prints the notebook's output."""
    torch.manual_seed(123)
    printed(
        SelfAttentionV1(3, 2)(SIX_WORDS),
        [
            [0.2996, 0.8053],
            [0.3061, 0.8210],
            [0.3058, 0.8203],
            [0.2948, 0.7939],
            [0.2927, 0.7891],
            [0.2990, 0.8040],
        ],
    )


def test_self_attention_with_linears_at_seed_789() -> None:
    """SelfAttentionV2 prints the notebook's output; attention of its layers, the weights."""
    torch.manual_seed(789)
    printed(
        SelfAttentionV2(3, 2)(SIX_WORDS),
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
        scaled_dot_product_attention(*three_linears(789))[1],
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
    """With the causal mask, attention prints the notebook's causal weights."""
    printed(scaled_dot_product_attention(*three_linears(789), causal_mask(6))[1], causal_rows())


def test_causal_weights_with_an_additive_mask() -> None:
    """The same triangle as a float mask of -inf prints the same weights."""
    triangle = torch.full((6, 6), -torch.inf).triu(1)
    printed(scaled_dot_product_attention(*three_linears(789), triangle)[1], causal_rows())


def test_attention_without_parameters() -> None:
    """All context vectors are the notebook's, and the second one too when it is made alone."""
    context, weights = simple_self_attention(SIX_WORDS)
    printed(weights[1:2], [[0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]])
    printed(context_vector(weights[1], SIX_WORDS), [0.4419, 0.6515, 0.5683])
    printed(
        context,
        [
            [0.4421, 0.5931, 0.5790],
            [0.4419, 0.6515, 0.5683],
            [0.4431, 0.6496, 0.5671],
            [0.4304, 0.6298, 0.5510],
            [0.4671, 0.5910, 0.5266],
            [0.4177, 0.6503, 0.5645],
        ],
    )


def test_scores_of_all_words() -> None:
    """The dot products of all pairs of words print the notebook's table, one of them by a loop."""
    printed(dot_product_loop(SIX_WORDS[0], SIX_WORDS[1])[None], [0.9544])
    printed(
        attention_scores(SIX_WORDS, SIX_WORDS),
        [
            [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
            [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
            [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
            [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
            [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
            [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
        ],
    )


def test_shares_of_the_second_word() -> None:
    """Its scores, divided by their sum and through both softmaxes, print as in the notebook."""
    scores = SIX_WORDS @ SIX_WORDS[1]
    printed(scores, [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
    printed(normalise_by_sum(scores), [0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])
    softmax = [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]
    printed(softmax_naive(scores), softmax)
    printed(stable_softmax(scores), softmax)


def test_weights_of_all_words_without_parameters() -> None:
    """The softmax of all unscaled scores prints the notebook's table."""
    printed(
        stable_softmax(attention_scores(SIX_WORDS, SIX_WORDS)),
        [
            [0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
            [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
            [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
            [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
            [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
            [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896],
        ],
    )


def test_the_second_word_step_by_step() -> None:
    """Query, score of itself, all scores, weights and context of the second word."""
    torch.manual_seed(123)
    query, key, value = (SIX_WORDS @ torch.rand(3, 2) for _ in range(3))
    printed(query[1], [0.4306, 1.4551])
    printed((query[1] @ key[1])[None], [1.8524])
    printed(query[1] @ key.T, [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])
    output, weights = scaled_dot_product_attention(query[1:2], key, value)
    printed(weights[0], [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])
    printed(output[0], [0.3061, 0.8210])


def test_row_sums_after_a_mask_that_comes_too_late() -> None:
    """Weights masked after the softmax no longer add up to 1, until they are normalised again."""
    _, weights = scaled_dot_product_attention(*three_linears(789))
    triangle = torch.tril(torch.ones(6, 6))
    printed((weights * triangle).sum(dim=-1), [0.1921, 0.3700, 0.5357, 0.6775, 0.8415, 1.0000])
    printed(mask_then_renormalise(weights, triangle), causal_rows())
    printed(mask_then_renormalise(weights, causal_mask(6)), causal_rows())


def test_a_mask_before_the_softmax() -> None:
    """The softmax over the allowed scores prints the same causal weights at once."""
    query, key, _ = three_linears(789)
    printed(masked_softmax(query @ key.T / key.shape[-1] ** 0.5, causal_mask(6)), causal_rows())


def test_two_causal_heads_side_by_side_at_seed_123() -> None:
    """MultiHeadAttentionWrapper with two heads of width 2 prints these."""
    torch.manual_seed(123)
    attention = MultiHeadAttentionWrapper(3, 2, context_length=6, dropout=0.0, num_heads=2)
    printed(
        attention(SIX_WORDS[None])[0],
        [
            [-0.4519, 0.2216, 0.4772, 0.1063],
            [-0.5874, 0.0058, 0.5891, 0.3257],
            [-0.6300, -0.0632, 0.6202, 0.3860],
            [-0.5675, -0.0843, 0.5478, 0.3589],
            [-0.5526, -0.0981, 0.5321, 0.3428],
            [-0.5299, -0.1081, 0.5077, 0.3493],
        ],
    )


def test_multi_head_attention_at_seed_123() -> None:
    """MultiHeadAttention with two heads on two copies of the six words prints these, twice."""
    torch.manual_seed(123)
    attention = MultiHeadAttention(3, 4, context_length=6, dropout=0.0, num_heads=2)
    output = attention(torch.stack([SIX_WORDS, SIX_WORDS]))
    rows = [
        [0.1184, 0.3120, -0.0847, -0.5774],
        [0.0178, 0.3221, -0.0763, -0.4225],
        [-0.0147, 0.3259, -0.0734, -0.3721],
        [-0.0116, 0.3138, -0.0708, -0.3624],
        [-0.0117, 0.2973, -0.0698, -0.3543],
        [-0.0132, 0.2990, -0.0689, -0.3490],
    ]
    printed(output[0], rows)
    printed(output[1], rows)
