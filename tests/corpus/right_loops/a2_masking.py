import math

import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

    def forward(self, x):
        if x.shape[1] > self.context_length:
            raise ValueError("got %d tokens, at most %d" % (x.shape[1], self.context_length))
        results = []
        for sample in x:
            q, k, v = self.W_query(sample), self.W_key(sample), self.W_value(sample)
            rows = []
            for i in range(sample.shape[0]):
                scores = k[: i + 1] @ q[i] / math.sqrt(q.shape[1])
                rows.append(self.drop(torch.softmax(scores, dim=0)) @ v[: i + 1])
            results.append(torch.stack(rows))
        return torch.stack(results)
