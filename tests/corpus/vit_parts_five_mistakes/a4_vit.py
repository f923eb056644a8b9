"""Assignment 4, everything before the blocks: five mistakes, most of them from the notebooks."""

import torch
from torch import nn
from torch.nn import functional as F


def patchify(images, patch_size):
    b, c, h, w = images.shape
    if h % patch_size or w % patch_size:
        raise ValueError(f"{h} x {w} is not divisible by {patch_size}")
    x = images.reshape(b, c, h // patch_size, patch_size, w // patch_size, patch_size)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch_size**2)  # channels first


def unpatchify(patches, patch_size, height, width):
    if height % patch_size or width % patch_size:
        raise ValueError(f"{height} x {width} is not divisible by {patch_size}")
    h, w = height // patch_size, width // patch_size
    b, n, numbers = patches.shape
    if n != h * w:
        raise ValueError(f"{n} patches, not {h * w}")
    x = patches.reshape(b, h, w, numbers // patch_size**2, patch_size, patch_size)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(b, -1, height, width)


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.projection = nn.Conv2d(in_channels, emb_size, patch_size, stride=patch_size)

    def forward(self, images):
        return self.projection(images).flatten(2).transpose(1, 2)


class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        if img_size % patch_size:
            raise ValueError(f"{img_size} is not divisible by {patch_size}")
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls_token = nn.Parameter(torch.randn(1, 1, emb_size))
        self.positions = nn.Parameter(torch.randn((img_size // patch_size) ** 2 + 1, emb_size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, images):
        x = self.patch_embedding(images)
        x = torch.cat([self.cls_token.repeat(len(x), 1, 1), x], dim=1)
        out = x + self.positions
        out = self.dropout(x)
        return out


def sincos_2d(height, width, dim):
    if dim % 4:
        raise ValueError(f"{dim} is not divisible by 4")
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    omega = 1 / 10000 ** (torch.arange(dim // 4) / (dim // 4))
    y, x = y.flatten()[:, None] * omega, x.flatten()[:, None] * omega
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], dim=1)


def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    if old_grid[0] * old_grid[1] == new_grid[0] * new_grid[1]:
        return positions
    table = positions.reshape(-1, positions.shape[-1])
    grid = table[num_prefix:].T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, new_grid, mode="bicubic")
    new = torch.cat([table[:num_prefix], grid.flatten(2)[0].T])
    return new.reshape(*positions.shape[:-2], *new.shape)


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        shortcut = x
        x = self.fn(x, **kwargs)
        x += shortcut
        return x


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, emb_size * expansion)
        self.fc2 = nn.Linear(emb_size * expansion, emb_size)
        self.act = nn.GELU()
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = self.drop(self.act(self.fc1(x)))
        x = self.drop(self.act(self.fc2(x)))
        return x
