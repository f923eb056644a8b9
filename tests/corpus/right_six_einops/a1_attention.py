import torch
from einops import einsum, reduce
from torch import Tensor


def normalise_by_sum(scores: Tensor) -> Tensor:
    return scores / reduce(scores, "t -> ()", "sum")


def softmax_naive(x: Tensor) -> Tensor:
    powers = x.exp()
    return powers / reduce(powers, "t -> 1", "sum")


def stable_softmax(x: Tensor, dim: int = -1) -> Tensor:
    return (x - x.logsumexp(dim=dim, keepdim=True)).exp()


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Everything by einsum; masks are applied by where."""
    query = query / query.shape[-1] ** 0.5
    scores = einsum(query, key, "... s d, ... l d -> ... s l")
    if mask is None:
        weights = scores.softmax(-1)
    else:
        if mask.is_floating_point():
            allowed = ~mask.isneginf()
            scores = scores + torch.where(allowed, mask, 0.0).to(scores.dtype)
        else:
            allowed = mask
        weights = torch.where(allowed, scores, torch.finfo(scores.dtype).min).softmax(-1)
        weights = torch.where(allowed, weights, 0.0)
    return einsum(weights, value, "... s l, ... l v -> ... s v"), weights
