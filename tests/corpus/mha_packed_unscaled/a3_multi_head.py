import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"d_out={d_out} does not divide into num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, self.num_heads, self.head_dim, 3).permute(4, 0, 2, 1, 3)

        scores = q @ k.transpose(-2, -1)
        later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        weights = self.dropout(torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1))
        return self.out_proj((weights @ v).transpose(1, 2).reshape(b, t, -1))
