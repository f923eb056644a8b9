import torch
import torch.nn as nn

from a1_attention import scaled_dot_product_attention


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        t = x.shape[1]
        if t > self.context_length:
            raise ValueError(f"{t} tokens, context_length is {self.context_length}")
        values = self.W_value(x)
        _, weights = scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), values, mask=self.mask[:t, :t]
        )
        return self.dropout(weights) @ values
