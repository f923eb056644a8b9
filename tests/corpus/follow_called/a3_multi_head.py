import torch
from torch import nn

from a1_attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} features for {num_heads} heads")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (w(x).view(b, t, self.num_heads, -1).transpose(1, 2)
                   for w in (self.W_query, self.W_key, self.W_value))
        seen = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        _, weights = scaled_dot_product_attention(q, k, v, mask=seen)
        return self.out_proj((self.dropout(weights) @ v).transpose(1, 2).reshape(b, t, -1))
