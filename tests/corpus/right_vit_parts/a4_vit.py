"""Assignment 4, everything before the blocks, with names of my own."""

import math

import torch
from einops import rearrange
from torch import nn
from torch.nn import functional as F


def check(length, side):
    if length % side:
        raise ValueError(f"cannot cut {length} by {side}")
    return length // side


def patchify(images, patch_size):
    p = patch_size
    check(images.shape[2], p), check(images.shape[3], p)
    return rearrange(images, "b c (h p) (w q) -> b (h w) (p q c)", p=p, q=p)


def unpatchify(patches, patch_size, height, width):
    p = patch_size
    h, w = check(height, p), check(width, p)
    if patches.size(1) != h * w:
        raise ValueError(f"got {patches.size(1)} patches and need {h * w}")
    return rearrange(patches, "b (h w) (p q c) -> b c (h p) (w q)", h=h, w=w, p=p, q=p)


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(in_channels * patch_size**2, emb_size)

    def forward(self, images):
        return self.projection(patchify(images, self.patch_size))


class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        side = check(img_size, patch_size)
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, emb_size))
        self.cls_position = nn.Parameter(torch.zeros(1, 1, emb_size))
        self.pos_embed = nn.Embedding(side * side, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, images):
        patches = self.patch_embedding(images) + self.pos_embed.weight
        cls = (self.cls_token + self.cls_position).expand(patches.shape[0], -1, -1)
        return self.dropout(torch.cat([cls, patches], dim=1))


def sincos_2d(height, width, dim):
    """Columns: for each frequency sin and cos of x, then sin and cos of y."""
    check(dim, 4)
    rows = []
    for y in range(height):
        for x in range(width):
            row = []
            for i in range(dim // 4):
                omega = math.pow(10000, -4 * i / dim)
                row += [math.sin(x * omega), math.cos(x * omega)]
                row += [math.sin(y * omega), math.cos(y * omega)]
            rows.append(row)
    return torch.tensor(rows)


def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    flat = positions.reshape(-1, positions.shape[-1])
    picture = rearrange(flat[num_prefix:], "(h w) d -> 1 d h w", h=old_grid[0])
    picture = F.interpolate(picture, size=new_grid, mode="bilinear", align_corners=True)
    new = torch.cat([flat[:num_prefix], rearrange(picture, "1 d h w -> (h w) d")])
    return new[None] if positions.dim() == 3 else new


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        out = self.fn(x, **kwargs)
        return out + x


class FeedForward(nn.Sequential):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(expansion * emb_size, emb_size),
            nn.Dropout(dropout),
        )
