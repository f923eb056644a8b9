import torch
from torch import nn


def padding_mask(lengths, L):
    rows = [[place < length for place in range(L)] for length in lengths.tolist()]
    return torch.tensor(rows, device=lengths.device).reshape(-1, 1, 1, L)


def combine_masks(*masks):
    result = None
    for mask in masks:
        if mask is not None:
            result = mask if result is None else result & mask
    return result


class CausalAttention(nn.Module):
    """The mask is a Parameter that is not trained."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        later = torch.ones(context_length, context_length).triu(1)
        self.mask = nn.Parameter(later, requires_grad=False)

    def forward(self, x):
        t, longest = x.shape[1], self.mask.shape[0]
        if t > longest:
            raise ValueError(f"{t} tokens do not fit a context_length of {longest}")
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(self.mask[:t, :t].bool(), -torch.inf)
        return self.dropout(scores.softmax(-1)) @ v
