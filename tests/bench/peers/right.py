"""The six pieces that every grader of the benchmark grades, done right."""

import math

import torch
import torch.nn as nn
from torch import Tensor


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value


class CausalAttention(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[-2]
        mask = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
        return attend(self.query(x), self.key(x), self.value(x), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        heads = attend(qkv[0], qkv[1], qkv[2])
        merged: Tensor = self.out(heads.transpose(1, 2).reshape(batch, length, width))
        return merged


class PatchEmbedding(nn.Module):
    def __init__(self, size: int, patch: int, d_model: int) -> None:
        super().__init__()
        self.patch = patch
        self.project = nn.Linear(3 * patch * patch, d_model)
        self.position = nn.Parameter(torch.randn(1, (size // patch) ** 2, d_model) * 0.02)

    def forward(self, images: Tensor) -> Tensor:
        patches = images.unfold(2, self.patch, self.patch).unfold(3, self.patch, self.patch)
        patches = patches.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)
        answer: Tensor = self.project(patches) + self.position
        return answer


class EncoderBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm2 = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, 4 * d_model)
        self.down = nn.Linear(4 * d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        answer: Tensor = x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))
        return answer


class VisionTransformer(nn.Module):
    def __init__(
        self, size: int, patch: int, d_model: int, num_heads: int, depth: int, classes: int
    ) -> None:
        super().__init__()
        self.embed = PatchEmbedding(size, patch, d_model)
        self.token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
        self.blocks = nn.ModuleList(EncoderBlock(d_model, num_heads) for _ in range(depth))
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.embed(images)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1)
        for block in self.blocks:
            x = block(x)
        answer: Tensor = self.head(self.norm(x)[:, 0])
        return answer
