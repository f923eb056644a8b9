import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"d_out={d_out} does not divide into num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Parameter(torch.randn(d_in, num_heads, self.head_dim) / d_in ** 0.5)
        self.W_key = nn.Parameter(torch.randn(d_in, num_heads, self.head_dim) / d_in ** 0.5)
        self.W_value = nn.Parameter(torch.randn(d_in, num_heads, self.head_dim) / d_in ** 0.5)
        self.W_out = nn.Parameter(torch.randn(num_heads, self.head_dim, d_out) / d_out ** 0.5)
        self.b_out = nn.Parameter(torch.zeros(d_out))
        self.biases = None
        if qkv_bias:
            self.b_query = nn.Parameter(torch.zeros(num_heads, self.head_dim))
            self.b_key = nn.Parameter(torch.zeros(num_heads, self.head_dim))
            self.b_value = nn.Parameter(torch.zeros(num_heads, self.head_dim))
            self.biases = True
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        t = x.shape[1]
        q, k, v = (torch.tensordot(x, w, dims=1) for w in (self.W_query, self.W_key, self.W_value))
        if self.biases:
            q, k, v = q + self.b_query, k + self.b_key, v + self.b_value
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        weights = self.dropout(torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1))
        context = (weights @ v).transpose(1, 2)
        return torch.tensordot(context, self.W_out, dims=2) + self.b_out
