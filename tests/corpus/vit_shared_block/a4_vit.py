import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import nn


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Sequential(
            nn.Conv2d(in_channels, emb_size, kernel_size=patch_size, stride=patch_size),
            Rearrange("b e (h) (w) -> b (h w) e"),
        )

    def forward(self, x):
        for side in x.shape[2:]:
            if side % self.patch_size:
                raise ValueError(f"{side} is not a multiple of {self.patch_size}")
        return self.projection(x)


def conv_weight_from_linear(weight, in_channels, patch_size):
    return rearrange(weight, "e (s1 s2 c) -> e c s1 s2", s1=patch_size, c=in_channels)


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


class Tokens(nn.Module):
    """The patch embedding of notebook 003: patches, class token and positions in one module."""

    def __init__(self, in_channels, patch_size, emb_size, img_size):
        super().__init__()
        self.patches = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls = nn.Parameter(torch.randn(1, 1, emb_size))
        self.pos = nn.Embedding((img_size // patch_size) ** 2 + 1, emb_size)

    def forward(self, x):
        cls = repeat(self.cls, "() n e -> b n e", b=x.shape[0])
        x = torch.cat([cls, self.patches(x)], dim=1)
        return x + self.pos(torch.arange(x.shape[1], device=x.device))


class MultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(emb_size, emb_size * 3)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x):
        qkv = rearrange(self.qkv(x), "b n (h d qkv) -> (qkv) b h n d", h=self.num_heads, qkv=3)
        queries, keys, values = qkv[0], qkv[1], qkv[2]
        energy = torch.einsum("bhqd, bhkd -> bhqk", queries, keys)
        att = F.softmax(energy / queries.shape[-1] ** 0.5, dim=-1)
        out = torch.einsum("bhal, bhlv -> bhav ", att, values)
        return self.projection(rearrange(out, "b h n d -> b n (h d)"))


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


class FeedForwardBlock(nn.Sequential):
    def __init__(self, emb_size, expansion=4):
        super().__init__(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Linear(expansion * emb_size, emb_size),
        )


class Block(nn.Sequential):
    def __init__(self, emb_size, num_heads):
        super().__init__(
            ResidualAdd(nn.Sequential(nn.LayerNorm(emb_size), MultiHeadAttention(emb_size, num_heads))),
            ResidualAdd(nn.Sequential(nn.LayerNorm(emb_size), FeedForwardBlock(emb_size))),
        )


class Pool(nn.Module):
    def __init__(self, pool):
        super().__init__()
        self.pool = pool

    def forward(self, x):
        return x[:, 0] if self.pool == "cls" else x[:, 1:].mean(dim=1)


class ViT(nn.Sequential):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, depth=12,
                 num_heads=12, num_classes=1000, pool="cls"):
        super().__init__(
            Tokens(in_channels, patch_size, emb_size, img_size),
            nn.Sequential(*[Block(emb_size, num_heads)] * depth),
            nn.LayerNorm(emb_size),
            Pool(pool),
            nn.Linear(emb_size, num_classes),
        )
