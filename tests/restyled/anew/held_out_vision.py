# ruff: noqa: E501
"""Parts of a Vision Transformer that nothing was tuned on, in styles far from the reference's."""

from __future__ import annotations

from tests.restyled.by_hand import Program

UNFOLDED = Program(
    "unfold",
    "a4.patch_embedding",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.p = patch_size
        self.projection = nn.Conv2d(in_channels, emb_size, patch_size, patch_size)

    def forward(self, images):
        for n in images.shape[-2:]:
            if n % self.p:
                raise ValueError(f"{n} is no multiple of {self.p}")
        columns = F.unfold(images, self.p, stride=self.p)
        matrix = self.projection.weight.flatten(1)
        return columns.mT @ matrix.T + self.projection.bias


def conv_weight_from_linear(weight, in_channels, patch_size):
    return torch.einsum("drsc->dcrs", weight.unflatten(1, (patch_size, patch_size, in_channels))).clone()
""",
    (
        (
            "patch.features_as_patches",
            "return columns.mT @ matrix.T + self.projection.bias",
            "y = matrix @ columns + self.projection.bias[:, None]\n        return y.reshape(len(images), -1, len(matrix))",
        ),
        ("patch.no_divisibility_check", "if n % self.p:", "if False:"),
        (
            "patch.column_by_column",
            "return columns.mT @ matrix.T",
            "w = images.shape[-1] // self.p\n        columns = columns.unflatten(2, (-1, w)).mT.flatten(2)\n        return columns.mT @ matrix.T",
        ),
        (
            "patch.conversion_by_reshape",
            'torch.einsum("drsc->dcrs", weight.unflatten(1, (patch_size, patch_size, in_channels)))',
            "weight.reshape(-1, in_channels, patch_size, patch_size)",
        ),
    ),
)

ONE_PARAMETER_EACH = Program(
    "a parameter for each token",
    "a4.embeddings",
    """
import torch
import torch.nn as nn


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Conv2d(in_channels, emb_size, patch_size, patch_size)

    def forward(self, images):
        for n in images.shape[-2:]:
            if n % self.patch_size:
                raise ValueError(f"{n} is no multiple of {self.patch_size}")
        return self.projection(images).flatten(2).mT



class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        side, rest = divmod(img_size, patch_size)
        if rest:
            raise ValueError(f"{img_size} / {patch_size}")
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls_token = nn.Parameter(torch.randn(1, 1, emb_size) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, side * side + 1, emb_size) * 0.02)
        self.dropout = nn.Dropout(dropout)

    def forward(self, images):
        patches = self.patch_embedding(images)
        first = self.cls_token.repeat(patches.size(0), 1, 1)
        tokens = torch.hstack([first, patches])
        return self.dropout(tokens + self.positions)
""",
    (
        (
            "embeddings.positions_lost_with_dropout",
            "return self.dropout(tokens + self.positions)",
            "if self.dropout.p > 0:\n            return self.dropout(tokens)\n        return tokens + self.positions",
        ),
        (
            "embeddings.class_token_last",
            "torch.hstack([first, patches])",
            "torch.hstack([patches, first])",
        ),
        (
            "embeddings.dropout_before_positions",
            "self.dropout(tokens + self.positions)",
            "self.dropout(tokens) + self.positions",
        ),
        ("vit.one_position_for_all", "tokens + self.positions", "tokens + self.positions[:, :1]"),
        (
            "embeddings.dropout_twice",
            "return self.dropout(tokens + self.positions)",
            "return self.dropout(self.dropout(tokens + self.positions))",
        ),
    ),
)

AS_IN_MIN_GPT = Program(
    "as in minGPT",
    "a4.block",
    """
import math
import torch
import torch.nn as nn
from torch.nn import functional as F


class SelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, pdrop):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(pdrop)
        self.n_head, self.n_embd = n_head, n_embd

    def forward(self, x, mask=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            att = att.masked_fill(~mask & mask.any(-1, keepdim=True), float("-inf"))
            att = F.softmax(att, dim=-1).masked_fill(~mask, 0.0)
        else:
            att = F.softmax(att, dim=-1)
        y = self.attn_dropout(att) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(emb_size)
        self.attn = SelfAttention(emb_size, num_heads, dropout)
        self.ln_2 = nn.LayerNorm(emb_size)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(emb_size, expansion * emb_size), c_proj=nn.Linear(expansion * emb_size, emb_size), act=nn.GELU(), dropout=nn.Dropout(dropout)))

    def mlpf(self, x):
        m = self.mlp
        return m.dropout(m.c_proj(m.dropout(m.act(m.c_fc(x)))))

    def forward(self, x, mask=None):
        x = x + self.attn(self.ln_1(x), mask)
        x = x + self.mlpf(self.ln_2(x))
        return x


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        x = self.ln_1(x + self.attn(x, mask))
        x = self.ln_2(x + self.mlpf(x))
        return x
""",
    (
        ("packed.scale_by_width", "math.sqrt(k.size(-1))", "math.sqrt(C)"),
        (
            "packed.merged_without_transpose",
            "y.transpose(1, 2).contiguous().view(B, T, C)",
            "y.contiguous().view(B, T, C)",
        ),
        ("vit.relu", "nn.GELU()", "nn.ReLU()"),
        ("vit.silu", "act=nn.GELU()", "act=nn.SiLU()"),
        ("|finite_fill", 'float("-inf")', "-1e4"),
        (
            "block.post_norm",
            "x = x + self.attn(self.ln_1(x), mask)\n        x = x + self.mlpf(self.ln_2(x))",
            "x = self.ln_1(x + self.attn(x, mask))\n        x = self.ln_2(x + self.mlpf(x))",
        ),
        (
            "block.no_second_residual",
            "x = x + self.mlpf(self.ln_2(x))",
            "x = self.mlpf(self.ln_2(x))",
        ),
        (
            "block.no_gradient",
            "self.attn(self.ln_1(x), mask)",
            "self.attn(self.ln_1(x), mask).detach()",
        ),
    ),
)

HELD_OUT_VISION = (UNFOLDED, ONE_PARAMETER_EACH, AS_IN_MIN_GPT)
