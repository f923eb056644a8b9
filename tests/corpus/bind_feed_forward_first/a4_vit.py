import torch
from torch import nn


def attend(qkv, heads, mask):
    q, k, v = qkv.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is None:
        weights = scores.softmax(-1)
    else:
        mask = mask[:, None] if mask.dim() == 3 else mask
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
        weights = weights.masked_fill(~mask, 0.0)
    return weights, v


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.heads = num_heads
        self.a = nn.Linear(emb_size, expansion * emb_size)
        self.b = nn.Linear(expansion * emb_size, emb_size)
        self.c = nn.Linear(emb_size, 3 * emb_size)
        self.d = nn.Linear(emb_size, emb_size)
        self.e, self.f = nn.LayerNorm(emb_size), nn.LayerNorm(emb_size)
        self.drop = nn.Dropout(dropout)

    def look(self, x, mask):
        weights, v = attend(self.c(x), self.heads, mask)
        return self.d((self.drop(weights) @ v).transpose(1, 2).flatten(2))

    def think(self, x):
        return self.b(self.drop(nn.functional.gelu(self.a(x))))

    def forward(self, x, mask=None):
        x = x + self.look(self.f(x), mask)
        return x + self.think(self.e(x))


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        x = self.f(x + self.look(x, mask))
        return self.e(x + self.think(x))
