import torch
import torch.nn.functional as F
from torch import nn

import utils


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, qkv_bias))
        self.p = dropout
        self.register_buffer("mask", torch.full((context_length,) * 2, -torch.inf).triu(1))

    def forward(self, x):
        n, limit = x.size(1), self.mask.size(0)
        if n > limit:
            raise ValueError(f"context length {limit} exceeded: {n}")
        q = F.linear(x, self.W_query.weight, self.W_query.bias)
        k = F.linear(x, self.W_key.weight, self.W_key.bias)
        v = F.linear(x, self.W_value.weight, self.W_value.bias)
        scores = torch.baddbmm(self.mask[:n, :n], q, k.mT, alpha=q.size(-1) ** -0.5)
        w = F.dropout(utils.safe_softmax(scores), self.p, training=self.training)
        return torch.bmm(w, v)
