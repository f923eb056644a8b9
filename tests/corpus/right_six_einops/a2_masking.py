import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        allowed = torch.ones(context_length, context_length).tril().bool()
        self.register_buffer("mask", allowed, persistent=False)

    def forward(self, x):
        t = x.shape[1]
        if t > len(self.mask):
            raise ValueError(f"T = {t} > context_length = {len(self.mask)}")
        q = self.W_query(x) / self.W_query.out_features ** 0.5
        scores = torch.einsum("bid,bjd->bij", q, self.W_key(x))
        lowest = torch.finfo(scores.dtype).min
        weights = torch.where(self.mask[:t, :t], scores, lowest).softmax(dim=2)
        return torch.einsum("bij,bjd->bid", self.dropout(weights), self.W_value(x))
