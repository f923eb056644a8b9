"""Other right ways to write a2.masked_softmax."""

# %% renormalise.times_mask
# The steps of notebook 002, and a thought for rows of which nothing remains.
def mask_then_renormalise(weights, mask):
    masked_simple = weights * mask.to(weights.dtype)
    row_sums = masked_simple.sum(dim=-1, keepdim=True)
    row_sums = torch.where(row_sums > 0, row_sums, torch.ones_like(row_sums))
    return masked_simple / row_sums


# %% renormalise.largest_first
from torch.nn import functional as F


def mask_then_renormalise(weights, mask):
    kept = torch.where(mask.bool(), weights, 0.0)
    nothing = kept.amax(-1, keepdim=True) == 0
    return F.normalize(kept.masked_fill(nothing, 1.0), p=1, dim=-1, eps=0.0) * ~nothing


# %% masked.lowest_number_of_the_dtype
def masked_softmax(scores, mask, dim=-1):
    allowed = mask.bool().expand_as(scores)
    filled = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
    weights = torch.softmax(filled, dim=dim)
    return torch.where(allowed.any(dim=dim, keepdim=True) & allowed, weights, 0.0)


# %% masked.by_hand
def masked_softmax(scores, mask, dim=-1):
    keep = mask.to(torch.bool)
    largest = scores.masked_fill(~keep, float("-inf")).detach().amax(dim, keepdim=True)
    shift = largest.nan_to_num(neginf=0.0)
    powers = torch.exp((scores - shift).masked_fill(~keep, float("-inf")))
    total = powers.sum(dim, keepdim=True)
    return powers / (total + (total == 0).to(total.dtype))


# %% masked.nan_to_num
def masked_softmax(scores: torch.Tensor, mask: torch.Tensor, dim: int = -1) -> torch.Tensor:
    scores = scores.masked_fill(mask == 0, -torch.inf)
    return torch.softmax(scores, dim=dim).nan_to_num(0.0)
