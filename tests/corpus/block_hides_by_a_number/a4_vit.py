import torch
from torch import nn


class Attention(nn.Module):
    """As in GPT-2: one map for all three, and -10,000 for infinity."""

    def __init__(self, emb_size, num_heads, dropout):
        super().__init__()
        self.n_head = num_heads
        self.c_attn = nn.Linear(emb_size, 3 * emb_size)
        self.c_proj = nn.Linear(emb_size, emb_size)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        q, k, v = (
            part.unflatten(-1, (self.n_head, -1)).transpose(1, 2)
            for part in self.c_attn(x).chunk(3, dim=-1)
        )
        w = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            w = w * mask - 1e4 * (1 - mask.to(w.dtype))
        w = self.attn_dropout(w.softmax(dim=-1))
        return self.c_proj((w @ v).transpose(1, 2).flatten(2))


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = self.dropout(torch.nn.functional.gelu(self.fc1(x)))
        return self.dropout(self.fc2(x))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = Attention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.mlp(x))
