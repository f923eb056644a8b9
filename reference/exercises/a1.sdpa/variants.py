"""Other right ways to write a1.sdpa."""

# %% sdpa.scale_as_a_tensor
# Notebook 000 divides by a float32 tensor. Of no dimensions, it leaves half precision be.
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    root = torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    scores = torch.matmul(query, key.transpose(-2, -1)) / root
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, float("-inf"))
        else:
            mask = mask.to(scores.dtype)
        scores = scores + mask
    p_attn = F.softmax(scores, dim=-1)
    if mask is not None:
        keep = (mask != float("-inf")).expand_as(scores)
        p_attn = torch.where(keep.any(-1, keepdim=True), scores, torch.zeros_like(scores))
        p_attn = F.softmax(p_attn, dim=-1) * keep
    return torch.matmul(p_attn, value), p_attn


# %% sdpa.query_divided_first
def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = (query / query.shape[-1] ** 0.5) @ key.transpose(-2, -1)  # … S L
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    if mask.dtype == torch.bool:
        forbidden = ~mask
    else:
        bias = mask.to(scores.dtype)
        forbidden = bias == -torch.inf
        scores = scores + bias
    scores = scores.masked_fill(forbidden, -torch.inf)
    # A row of -inf has no softmax (0 / 0, and NaN gradients): give it any other row, then zeros.
    empty = forbidden.all(dim=-1, keepdim=True)  # … S 1
    weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)
    weights = weights.masked_fill(forbidden, 0.0)
    return weights @ value, weights


# %% sdpa.fourth_root_on_both
def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = (query * query.shape[-1] ** -0.25) @ (key * key.shape[-1] ** -0.25).mT  # … S L
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    if mask.dtype == torch.bool:
        forbidden = ~mask
    else:
        bias = mask.to(scores.dtype)
        forbidden = bias == -torch.inf
        scores = scores + bias
    scores = scores.masked_fill(forbidden, -torch.inf)
    # A row of -inf has no softmax (0 / 0, and NaN gradients): give it any other row, then zeros.
    empty = forbidden.all(dim=-1, keepdim=True)  # … S 1
    weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)
    weights = weights.masked_fill(forbidden, 0.0)
    return weights @ value, weights


# %% sdpa.lowest_number_and_where
def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … S L
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    if mask.dtype == torch.bool:
        forbidden = ~mask
    else:
        bias = mask.to(scores.dtype)
        forbidden = bias == -torch.inf
        scores = scores + bias
    scores = torch.where(forbidden, torch.finfo(scores.dtype).min, scores)
    # A row of -inf has no softmax (0 / 0, and NaN gradients): give it any other row, then zeros.
    empty = forbidden.all(dim=-1, keepdim=True)  # … S 1
    weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)
    weights = weights.masked_fill(forbidden, 0.0)
    return weights @ value, weights


# %% sdpa.nan_to_num
def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … S L
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    if mask.dtype == torch.bool:
        forbidden = ~mask
    else:
        bias = mask.to(scores.dtype)
        forbidden = bias == -torch.inf
        scores = scores + bias
    scores = scores.masked_fill(forbidden, -torch.inf)
    # A row of -inf has no softmax (0 / 0, and NaN gradients): give it any other row, then zeros.
    empty = forbidden.all(dim=-1, keepdim=True)  # … S 1
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ value, weights


# %% sdpa.einsum
def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5  # … S L
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    if mask.dtype == torch.bool:
        forbidden = ~mask
    else:
        bias = mask.to(scores.dtype)
        forbidden = bias == -torch.inf
        scores = scores + bias
    scores = scores.masked_fill(forbidden, -torch.inf)
    # A row of -inf has no softmax (0 / 0, and NaN gradients): give it any other row, then zeros.
    empty = forbidden.all(dim=-1, keepdim=True)  # … S 1
    weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)
    weights = weights.masked_fill(forbidden, 0.0)
    return weights @ value, weights


# %% sdpa.guided
def scaled_dot_product_attention(query, key, value, mask=None):
    numbers = query.shape[-1]
    scores = query @ key.transpose(-2, -1) / numbers**0.5
    forbidden = torch.zeros_like(scores, dtype=torch.bool)
    if mask is not None and mask.dtype == torch.bool:
        forbidden = forbidden | ~mask
    elif mask is not None:
        extra = mask.to(scores.dtype)
        scores, forbidden = scores + extra, forbidden | (extra == -torch.inf)
    lonely = forbidden.all(dim=-1, keepdim=True)
    scores = scores.masked_fill(forbidden, -torch.inf).masked_fill(lonely, 0.0)
    weights = torch.softmax(scores, dim=-1).masked_fill(forbidden, 0.0)
    output = weights @ value
    return output, weights
