"""Other right ways to write assignment 2."""

from grader.misconceptions import Variant

VARIANTS = (
    Variant(
        id="causal_mask.tril",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    return torch.ones(T, T + offset, dtype=torch.bool, device=device).tril(diagonal=offset)
""",
    ),
    Variant(
        # The triangle of notebook 002, which is one where a key is hidden.
        id="causal_mask.not_triu",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    hidden = torch.triu(torch.ones(T, T + offset, device=device), diagonal=1 + offset)
    return ~hidden.bool()
""",
    ),
    Variant(
        id="causal_mask.past_beside_triangle",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    past = torch.ones((T, offset), dtype=torch.bool, device=device)
    new = torch.eye(T, device=device).cumsum(0) > 0
    return torch.cat([past, new], dim=1)
""",
    ),
    Variant(
        id="causal_mask.row_by_row",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    mask = torch.zeros(T, T + offset, device=device, dtype=bool)
    for i in range(T):
        mask[i, : i + offset + 1] = True
    return mask
""",
    ),
    Variant(
        # The steps of notebook 002, and a thought for rows of which nothing remains.
        id="renormalise.times_mask",
        target="mask_then_renormalise",
        source="""
def mask_then_renormalise(weights, mask):
    masked_simple = weights * mask.to(weights.dtype)
    row_sums = masked_simple.sum(dim=-1, keepdim=True)
    row_sums = torch.where(row_sums > 0, row_sums, torch.ones_like(row_sums))
    return masked_simple / row_sums
""",
    ),
    Variant(
        id="renormalise.largest_first",
        target="mask_then_renormalise",
        source="""
from torch.nn import functional as F


def mask_then_renormalise(weights, mask):
    kept = torch.where(mask.bool(), weights, 0.0)
    nothing = kept.amax(-1, keepdim=True) == 0
    return F.normalize(kept.masked_fill(nothing, 1.0), p=1, dim=-1, eps=0.0) * ~nothing
""",
    ),
    Variant(
        id="masked.lowest_number_of_the_dtype",
        target="masked_softmax",
        source="""
def masked_softmax(scores, mask, dim=-1):
    allowed = mask.bool().expand_as(scores)
    filled = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
    weights = torch.softmax(filled, dim=dim)
    return torch.where(allowed.any(dim=dim, keepdim=True) & allowed, weights, 0.0)
""",
    ),
    Variant(
        id="masked.by_hand",
        target="masked_softmax",
        source="""
def masked_softmax(scores, mask, dim=-1):
    keep = mask.to(torch.bool)
    largest = scores.masked_fill(~keep, float("-inf")).detach().amax(dim, keepdim=True)
    shift = largest.nan_to_num(neginf=0.0)
    powers = torch.exp((scores - shift).masked_fill(~keep, float("-inf")))
    total = powers.sum(dim, keepdim=True)
    return powers / (total + (total == 0).to(total.dtype))
""",
    ),
    Variant(
        id="masked.nan_to_num",
        target="masked_softmax",
        edits=(
            (
                "    # A row of -inf has no softmax (0 / 0, and NaN gradients): "
                "give it any other row, then zeros.\n"
                "    empty = (scores == -torch.inf).all(dim=dim, keepdim=True)\n"
                "    weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=dim)\n"
                "    return weights.masked_fill(empty, 0.0)",
                "    return torch.softmax(scores, dim=dim).nan_to_num(0.0)",
            ),
        ),
    ),
    Variant(
        id="padding.row_by_row",
        target="padding_mask",
        source="""
def padding_mask(lengths, L):
    mask = torch.zeros(lengths.shape[0], 1, 1, L, dtype=torch.bool, device=lengths.device)
    if not lengths.is_meta:
        for row, length in zip(mask, lengths.tolist()):
            row[..., :length] = True
    return mask
""",
    ),
    Variant(
        id="padding.einops",
        target="padding_mask",
        source="""
from einops import rearrange, repeat


def padding_mask(lengths, L):
    places = repeat(torch.arange(L, device=lengths.device), "key -> b key", b=len(lengths))
    return rearrange(places < rearrange(lengths, "b -> b 1"), "b key -> b 1 1 key")
""",
    ),
    Variant(
        id="padding.table_of_triangles",
        target="padding_mask",
        source="""
def padding_mask(lengths, L):
    by_length = torch.ones(L + 1, L, device=lengths.device).tril(-1).bool()
    return by_length[lengths.long()].view(-1, 1, 1, L)
""",
    ),
    Variant(
        id="combine.reduce",
        target="combine_masks",
        source="""
import functools


def combine_masks(*masks):
    given = [mask for mask in masks if mask is not None]
    return functools.reduce(torch.logical_and, given) if given else None
""",
    ),
    Variant(
        id="combine.broadcast_and_all",
        target="combine_masks",
        source="""
def combine_masks(*masks):
    given = [mask for mask in masks if mask is not None]
    if not given:
        return None
    return torch.stack(torch.broadcast_tensors(*given)).all(dim=0)
""",
    ),
    Variant(
        id="combine.hidden_by_any",
        target="combine_masks",
        source="""
def combine_masks(first=None, *others):
    rest = combine_masks(*others) if others else None
    if first is None or rest is None:
        return first if rest is None else rest
    return ~(~first | ~rest)
""",
    ),
    Variant(
        # As notebook 002 does it.
        id="dropout.module",
        target="attention_dropout",
        source="""
def attention_dropout(weights, p, training):
    dropout = torch.nn.Dropout(p)
    dropout.train(training)
    return dropout(weights)
""",
    ),
    Variant(
        id="dropout.functional",
        target="attention_dropout",
        source="""
def attention_dropout(weights, p, training):
    return torch.nn.functional.dropout(weights, p=p, training=training)
""",
    ),
    Variant(
        id="dropout.bernoulli",
        target="attention_dropout",
        source="""
def attention_dropout(weights, p, training):
    if training and p > 0:
        keep = torch.empty_like(weights).bernoulli_(1 - p).bool()
        scale = 1 / max(1 - p, 1e-12)
        return torch.where(keep, weights * scale, torch.zeros_like(weights))
    return weights.clone()
""",
    ),
    Variant(
        id="dropout.numbers_of_python",
        target="attention_dropout",
        source="""
import random


def attention_dropout(weights, p, training):
    if not training:
        return weights
    dropped = [random.random() < p for _ in range(weights.numel())]
    dropped = torch.tensor(dropped).reshape(weights.shape)
    return weights.masked_fill(dropped, 0.0) / (1 - p if p < 1 else 1)
""",
    ),
    Variant(
        id="causal.triu_of_ones",
        target="CausalAttention",
        edits=(
            (
                "may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()",
                "may_attend = torch.triu(torch.ones(context_length, context_length), diagonal=1)",
            ),
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)",
                "scores.masked_fill_(self.mask.bool()[:tokens, :tokens], -torch.inf)",
            ),
        ),
    ),
    Variant(
        id="causal.additive_mask",
        target="CausalAttention",
        edits=(
            (
                "may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()",
                'may_attend = torch.full((context_length, context_length), float("-inf")).triu(1)',
            ),
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)",
                "scores = scores + self.mask[:tokens, :tokens]",
            ),
        ),
    ),
    Variant(
        id="causal.positions_compared",
        target="CausalAttention",
        edits=(
            (
                "may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()",
                "may_attend = torch.arange(context_length)",
            ),
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)",
                "order = self.mask[:tokens]\n"
                "        scores = scores.masked_fill(order > order[:, None], -torch.inf)",
            ),
        ),
    ),
    Variant(
        id="causal.weights_renormalised",
        target="CausalAttention",
        edits=(
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)\n"
                "        weights = self.dropout(torch.softmax(scores, dim=-1))",
                "allowed = self.mask[:tokens, :tokens]\n"
                "        largest = scores.masked_fill(~allowed, -torch.inf).amax(-1, True)\n"
                "        powers = torch.exp((scores - largest).clamp(max=0)) * allowed\n"
                "        weights = self.dropout(powers / powers.sum(dim=-1, keepdim=True))",
            ),
        ),
    ),
    Variant(
        id="causal.buffer_not_in_state",
        target="CausalAttention",
        edits=(
            (
                'self.register_buffer("mask", may_attend)',
                'self.register_buffer("mask", may_attend, persistent=False)',
            ),
        ),
    ),
    Variant(
        id="causal.functional_dropout",
        target="CausalAttention",
        edits=(
            ("self.dropout = nn.Dropout(dropout)", "self.dropout = dropout"),
            (
                "self.dropout(torch.softmax(scores, dim=-1))",
                "nn.functional.dropout(\n"
                "            torch.softmax(scores, dim=-1), self.dropout, training=self.training\n"
                "        )",
            ),
        ),
    ),
)
