import torch
from einops import rearrange
from einops.layers.torch import Reduce
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(emb_size, emb_size * 3)
        self.att_drop = nn.Dropout(dropout)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x):
        qkv = rearrange(self.qkv(x), "b n (h d r) -> r b h n d", h=self.num_heads, r=3)
        q, k, v = qkv
        att = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
        out = torch.einsum("bhal,bhlv->bhav", self.att_drop(att.softmax(-1)), v)
        return self.projection(rearrange(out, "b h n d -> b n (h d)"))


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return x + self.fn(x, **kwargs)


class FeedForward(nn.Sequential):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(expansion * emb_size, emb_size),
            nn.Dropout(dropout),
        )


class EncoderBlock(nn.Sequential):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        attention = MultiHeadAttention(emb_size, num_heads, dropout)
        mlp = FeedForward(emb_size, expansion, dropout)
        super().__init__(
            ResidualAdd(nn.Sequential(nn.LayerNorm(emb_size), attention)),
            ResidualAdd(nn.Sequential(nn.LayerNorm(emb_size), mlp)),
        )


class PostNormEncoderBlock(nn.Sequential):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__(
            ResidualAdd(MultiHeadAttention(emb_size, num_heads, dropout)),
            nn.LayerNorm(emb_size),
            ResidualAdd(FeedForward(emb_size, expansion, dropout)),
            nn.LayerNorm(emb_size),
        )


class Encoder(nn.Sequential):
    def __init__(self, depth, emb_size, num_heads, expansion=4, dropout=0.0, final_norm=True):
        blocks = [EncoderBlock(emb_size, num_heads, expansion, dropout) for _ in range(depth)]
        super().__init__(*blocks, nn.LayerNorm(emb_size) if final_norm else nn.Identity())


class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.pool = pool
        if pool == "mean":
            self.norm = nn.LayerNorm(emb_size)
            self.average = Reduce("b n e -> b e", reduction="mean")
        self.linear = nn.Linear(emb_size, num_classes)

    def forward(self, x):
        if self.pool == "cls":
            return self.linear(x[:, 0])
        return self.linear(self.norm(self.average(x)))
