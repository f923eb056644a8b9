"""Other right ways to write a2.padding."""

# %% padding.row_by_row
def padding_mask(lengths, L):
    mask = torch.zeros(lengths.shape[0], 1, 1, L, dtype=torch.bool, device=lengths.device)
    if not lengths.is_meta:
        for row, length in zip(mask, lengths.tolist()):
            row[..., :length] = True
    return mask


# %% padding.einops
from einops import rearrange, repeat


def padding_mask(lengths, L):
    places = repeat(torch.arange(L, device=lengths.device), "key -> b key", b=len(lengths))
    return rearrange(places < rearrange(lengths, "b -> b 1"), "b key -> b 1 1 key")


# %% padding.table_of_triangles
def padding_mask(lengths, L):
    by_length = torch.ones(L + 1, L, device=lengths.device).tril(-1).bool()
    return by_length[lengths.long()].view(-1, 1, 1, L)


# %% combine.reduce
import functools


def combine_masks(*masks):
    given = [mask for mask in masks if mask is not None]
    return functools.reduce(torch.logical_and, given) if given else None


# %% combine.broadcast_and_all
def combine_masks(*masks):
    given = [mask for mask in masks if mask is not None]
    if not given:
        return None
    return torch.stack(torch.broadcast_tensors(*given)).all(dim=0)


# %% combine.hidden_by_any
def combine_masks(first=None, *others):
    rest = combine_masks(*others) if others else None
    if first is None or rest is None:
        return first if rest is None else rest
    return ~(~first | ~rest)
