import torch
import torch.nn.functional as F
from torch import nn


def matrix(*shape):
    return nn.Parameter(0.2 * torch.randn(*shape))


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return x + self.fn(x, **kwargs)


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.W_in = matrix(emb_size, expansion * emb_size)
        self.b_in = nn.Parameter(torch.zeros(expansion * emb_size))
        self.W_out = matrix(expansion * emb_size, emb_size)
        self.b_out = nn.Parameter(torch.zeros(emb_size))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(self.drop(F.gelu(x @ self.W_in + self.b_in)) @ self.W_out + self.b_out)


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        self.heads = num_heads
        self.norm1, self.norm2 = nn.LayerNorm(emb_size), nn.LayerNorm(emb_size)
        self.wq, self.wk, self.wv, self.wo = (matrix(emb_size, emb_size) for _ in range(4))
        self.bq, self.bk, self.bv, self.bo = (nn.Parameter(torch.zeros(emb_size)) for _ in range(4))
        self.w1 = matrix(emb_size, expansion * emb_size)
        self.b1 = nn.Parameter(torch.zeros(expansion * emb_size))
        self.w2 = matrix(expansion * emb_size, emb_size)
        self.b2 = nn.Parameter(torch.zeros(emb_size))
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        q, k, v = (
            (x @ w + b).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for w, b in ((self.wq, self.bq), (self.wk, self.bk), (self.wv, self.bv))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask[:, None] if mask.dim() == 3 else mask
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return (self.drop(weights) @ v).transpose(1, 2).flatten(2) @ self.wo + self.bo

    def think(self, x):
        return self.drop(self.drop(F.gelu(x @ self.w1 + self.b1)) @ self.w2 + self.b2)

    def forward(self, x, mask=None):
        x = x + self.attend(self.norm1(x), mask)
        return x + self.think(self.norm2(x))


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.think(x))


class Encoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, expansion=4, dropout=0.0, final_norm=True):
        super().__init__()
        blocks = (EncoderBlock(emb_size, num_heads, expansion, dropout) for _ in range(depth))
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(emb_size) if final_norm else nn.Identity()

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.pool = pool
        self.W = matrix(emb_size, num_classes)
        self.b = nn.Parameter(torch.zeros(num_classes))

    def forward(self, x):
        pooled = x[:, 0] if self.pool == "cls" else x[:, 1:].mean(1)
        return pooled @ self.W + self.b
