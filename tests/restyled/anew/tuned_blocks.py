# ruff: noqa: E501
"""A feed-forward and a block that naming was tuned on, in styles far from the reference's."""

from __future__ import annotations

from tests.restyled.by_hand import Program

CONV1D = Program(
    "layers as in GPT-2",
    "a4.mlp",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(0.02 * torch.randn(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        size_out = x.shape[:-1] + (self.nf,)
        return torch.addmm(self.bias, x.reshape(-1, x.shape[-1]), self.weight).view(size_out)


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = Conv1D(expansion * emb_size, emb_size)
        self.fc2 = Conv1D(emb_size, expansion * emb_size)
        self.rate = dropout

    def forward(self, x):
        h = F.dropout(F.gelu(self.fc1(x)), self.rate, self.training)
        return F.dropout(self.fc2(h), self.rate, self.training)
""",
    (
        ("vit.relu", "F.gelu(self.fc1(x))", "F.relu(self.fc1(x))"),
        ("vit.gelu_by_tanh", "F.gelu(self.fc1(x))", 'F.gelu(self.fc1(x), approximate="tanh")'),
        (
            "mlp.residual_inside",
            "return F.dropout(self.fc2(h), self.rate, self.training)",
            "return x + F.dropout(self.fc2(h), self.rate, self.training)",
        ),
        (
            "mlp.dropout_in_eval",
            "return F.dropout(self.fc2(h), self.rate, self.training)",
            "return F.dropout(self.fc2(h), self.rate)",
        ),
        ("mlp.no_activation", "F.gelu(self.fc1(x))", "self.fc1(x)"),
        (
            "mlp.dropout_after_alone",
            "h = F.dropout(F.gelu(self.fc1(x)), self.rate, self.training)",
            "h = F.gelu(self.fc1(x))",
        ),
        ("residual.keywords_dropped", "self.fn(x, **kwargs) + x", "self.fn(x) + x"),
    ),
)

OWN_NORM = Program(
    "a norm and matrices of its own",
    "a4.block",
    """
import torch
from torch import nn
from torch.nn import functional as F


class Norm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.g, self.b = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = (x - mean).pow(2).mean(-1, keepdim=True)
        return self.g * (x - mean) / torch.sqrt(var + 1e-5) + self.b


class Attention(nn.Module):
    def __init__(self, d, h, p):
        super().__init__()
        self.h, self.p = h, p
        self.W = nn.ParameterList(nn.Parameter(torch.randn(d, d) / d**0.5) for _ in range(4))
        self.c = nn.ParameterList(nn.Parameter(torch.zeros(d)) for _ in range(4))

    def forward(self, x, mask=None):
        q, k, v = ((x @ self.W[i] + self.c[i]).unflatten(-1, (self.h, -1)) for i in range(3))
        e = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            m = mask[:, None] if mask.ndim == 3 else mask
            none = (m.sum(-1, keepdim=True) == 0)
            e = torch.where(m | none, e, -torch.inf)
            a = torch.where(m, torch.softmax(e, -1), 0.0).to(x.dtype)
        else:
            a = torch.softmax(e, -1)
        a = F.dropout(a, self.p, self.training)
        return torch.einsum("bhij,bjhd->bihd", a, v).flatten(-2) @ self.W[3] + self.c[3]


class Mlp(nn.Module):
    def __init__(self, d, n, p):
        super().__init__()
        self.up, self.down, self.p = nn.Linear(d, n * d), nn.Linear(n * d, d), p

    def forward(self, x):
        return F.dropout(self.down(F.dropout(F.gelu(self.up(x)), self.p, self.training)), self.p, self.training)


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1, self.norm2 = Norm(emb_size), Norm(emb_size)
        self.attention = Attention(emb_size, num_heads, dropout)
        self.mlp = Mlp(emb_size, expansion, dropout)

    def forward(self, x, mask=None):
        y = x + self.attention(self.norm1(x), mask)
        return y + self.mlp(self.norm2(y))


class PostNormEncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1, self.norm2 = Norm(emb_size), Norm(emb_size)
        self.attention = Attention(emb_size, num_heads, dropout)
        self.mlp = Mlp(emb_size, expansion, dropout)

    def forward(self, x, mask=None):
        y = self.norm1(x + self.attention(x, mask))
        return self.norm2(y + self.mlp(y))
""",
    (
        ("block.rms_norm post.rms_norm", "mean = x.mean(-1, keepdim=True)", "mean = 0.0"),
        (
            "block.variance_of_a_sample post.variance_of_a_sample",
            "(x - mean).pow(2).mean(-1, keepdim=True)",
            "x.var(-1, keepdim=True)",
        ),
        ("vit.relu", "F.gelu(self.up(x))", "F.relu(self.up(x))"),
        ("packed.softmax_over_heads", "a = torch.softmax(e, -1)\n", "a = torch.softmax(e, 1)\n"),
        (
            "block.no_gradient",
            "self.attention(self.norm1(x), mask)",
            "self.attention(self.norm1(x).detach(), mask)",
        ),
        (
            "packed.mask_transposed",
            "m = mask[:, None] if mask.ndim == 3 else mask",
            "m = (mask[:, None] if mask.ndim == 3 else mask).mT",
        ),
        (
            "block.stale_residual",
            "return y + self.mlp(self.norm2(y))",
            "return x + self.mlp(self.norm2(y))",
        ),
    ),
)

TUNED_BLOCKS = (CONV1D, OWN_NORM)
