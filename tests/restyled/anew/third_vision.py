# ruff: noqa: E501
"""Parts of a Vision Transformer, third set."""

from __future__ import annotations

from tests.restyled.by_hand import Program

BARE_FEED_FORWARD = Program(
    "bare matrices",
    "a4.mlp",
    """
import math
import torch
from torch import nn


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return torch.add(x, self.fn(x, **kwargs))


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        hidden = expansion * emb_size
        self.W1 = nn.Parameter(torch.randn(emb_size, hidden) / math.sqrt(emb_size))
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.W2 = nn.Parameter(torch.randn(hidden, emb_size) / math.sqrt(hidden))
        self.b2 = nn.Parameter(torch.zeros(emb_size))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = x @ self.W1 + self.b1
        h = 0.5 * h * (1 + torch.erf(h / math.sqrt(2)))
        return self.drop(self.drop(h) @ self.W2 + self.b2)
""",
    (
        (
            "vit.quick_gelu",
            "0.5 * h * (1 + torch.erf(h / math.sqrt(2)))",
            "h * torch.sigmoid(1.702 * h)",
        ),
        (
            "mlp.dropout_inside_alone",
            "return self.drop(self.drop(h) @ self.W2 + self.b2)",
            "return self.drop(h) @ self.W2 + self.b2",
        ),
        ("mlp.no_activation", "        h = 0.5 * h * (1 + torch.erf(h / math.sqrt(2)))\n", ""),
        ("|bias_left_out", "h = x @ self.W1 + self.b1", "h = x @ self.W1 + 0 * self.b1"),
    ),
)

SEQUENTIAL = Program(
    "an nn.Sequential",
    "a4.mlp",
    """
import torch.nn as nn


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        res = x
        x = self.fn(x, **kwargs)
        return x + res


class FeedForward(nn.Sequential):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(expansion * emb_size, emb_size),
            nn.Dropout(dropout),
        )
""",
    (
        ("vit.relu", "nn.GELU()", "nn.ReLU()"),
        (
            "vit.activation_last",
            "            nn.Dropout(dropout),\n        )",
            "            nn.GELU(),\n            nn.Dropout(dropout),\n        )",
        ),
        ("residual.nothing_added", "return x + res", "return x"),
    ),
)

BLOCK_AS_IN_GPT_2 = Program(
    "layers as in GPT-2",
    "a4.block",
    """
import math
import torch
import torch.nn as nn
from torch.nn import functional as F


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(nx, nf) * 0.02)
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return x @ self.weight + self.bias


class Attention(nn.Module):
    def __init__(self, nx, n_head, p):
        super().__init__()
        self.c_attn = Conv1D(3 * nx, nx)
        self.c_proj = Conv1D(nx, nx)
        self.n_head, self.p = n_head, p

    def forward(self, x, mask=None):
        B, T, C = x.shape
        q, k, v = (
            part.reshape(B, T, self.n_head, -1).transpose(1, 2) for part in self.c_attn(x).chunk(3, -1)
        )
        w = q @ k.transpose(-2, -1) / math.sqrt(v.size(-1))
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
            empty = ~mask.any(-1, keepdim=True)
            w = w.masked_fill(~mask, float("-inf")).masked_fill(empty, 0)
            w = F.softmax(w, -1).masked_fill(empty, 0)
        else:
            w = F.softmax(w, -1)
        w = F.dropout(w, self.p, self.training)
        return self.c_proj((w @ v).transpose(1, 2).reshape(B, T, C))


class MLP(nn.Module):
    def __init__(self, nx, n, p):
        super().__init__()
        self.c_fc = Conv1D(n * nx, nx)
        self.c_proj = Conv1D(nx, n * nx)
        self.p = p

    def forward(self, x):
        h = F.dropout(F.gelu(self.c_fc(x)), self.p, self.training)
        return F.dropout(self.c_proj(h), self.p, self.training)


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = Attention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = MLP(emb_size, expansion, dropout)

    def forward(self, x, mask=None):
        a = self.attention(self.norm1(x), mask)
        x = x + a
        m = self.mlp(self.norm2(x))
        return x + m


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        n = self.norm1(x + self.attention(x, mask))
        return self.norm2(n + self.mlp(n))
""",
    (
        ("packed.scale_without_root", "math.sqrt(v.size(-1))", "v.size(-1)"),
        (
            "packed.mask_transposed",
            "mask = mask[:, None] if mask.dim() == 3 else mask",
            "mask = (mask[:, None] if mask.dim() == 3 else mask).mT",
        ),
        ("vit.gelu_by_tanh", "F.gelu(self.c_fc(x))", 'F.gelu(self.c_fc(x), approximate="tanh")'),
        (
            "block.stale_residual",
            "        x = x + a\n        m = self.mlp(self.norm2(x))",
            "        y = x + a\n        m = self.mlp(self.norm2(y))",
        ),
    ),
)

FUNCTIONAL_NORMS = Program(
    "functions and bare parameters",
    "a4.block",
    """
import torch
import torch.nn.functional as F
from a3_multi_head import PackedMultiHeadAttention
from torch import nn


def parameters_of(module, width, hidden):
    module.g1, module.s1 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
    module.g2, module.s2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
    module.w1 = nn.Parameter(torch.randn(width, hidden) * width**-0.5)
    module.b1 = nn.Parameter(torch.zeros(hidden))
    module.w2 = nn.Parameter(torch.randn(hidden, width) * hidden**-0.5)
    module.b2 = nn.Parameter(torch.zeros(width))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        parameters_of(self, emb_size, expansion * emb_size)
        self.p = dropout

    def feed(self, x):
        h = F.dropout(F.gelu(x @ self.w1 + self.b1), self.p, self.training)
        return F.dropout(h @ self.w2 + self.b2, self.p, self.training)

    def forward(self, x, mask=None):
        x = x + self.attention(F.layer_norm(x, x.shape[-1:], self.g1, self.s1), mask)
        return x + self.feed(F.layer_norm(x, x.shape[-1:], self.g2, self.s2))


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        x = F.layer_norm(x + self.attention(x, mask), x.shape[-1:], self.g1, self.s1)
        return F.layer_norm(x + self.feed(x), x.shape[-1:], self.g2, self.s2)
""",
    (
        ("block.no_second_residual", "return x + self.feed(F.layer", "return self.feed(F.layer"),
        ("vit.relu", "F.gelu(x @", "F.relu(x @"),
        (
            "block.mask_dropped",
            "self.attention(F.layer_norm(x, x.shape[-1:], self.g1, self.s1), mask)",
            "self.attention(F.layer_norm(x, x.shape[-1:], self.g1, self.s1))",
        ),
        (
            "block.first_norm_twice",
            "self.feed(F.layer_norm(x, x.shape[-1:], self.g2, self.s2))\n\n\nclass",
            "self.feed(F.layer_norm(x, x.shape[-1:], self.g1, self.s1))\n\n\nclass",
        ),
    ),
)

ENCODER_AS_IN_TIMM = Program(
    "as in timm",
    "a4.encoder",
    """
import torch
import torch.nn as nn
from a3_multi_head import PackedMultiHeadAttention


class Mlp(nn.Module):
    def __init__(self, in_features, hidden_features, drop=0.0):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden_features)
        self.act = nn.GELU()
        self.drop1 = nn.Dropout(drop)
        self.fc2 = nn.Linear(hidden_features, in_features)
        self.drop2 = nn.Dropout(drop)

    def forward(self, x):
        return self.drop2(self.fc2(self.drop1(self.act(self.fc1(x)))))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = Mlp(emb_size, emb_size * expansion, dropout)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        x = x + self.mlp(self.norm2(x))
        return x


class Encoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, expansion=4, dropout=0.0, final_norm=True):
        super().__init__()
        self.blocks = nn.ModuleList([])
        for _ in range(depth):
            self.blocks.append(EncoderBlock(emb_size, num_heads, expansion, dropout))
        self.norm = nn.LayerNorm(emb_size) if final_norm else nn.Identity()

    def forward(self, x, mask=None):
        for i, blk in enumerate(self.blocks):
            x = blk(x, mask)
        return self.norm(x)


class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.global_pool = pool
        self.linear = nn.Linear(emb_size, num_classes)

    def forward(self, x):
        if self.global_pool == "mean":
            x = x[:, 1:].mean(dim=1)
        else:
            x = x[:, 0]
        return self.linear(x)
""",
    (
        (
            "encoder.mask_for_the_first_block",
            "x = blk(x, mask)",
            "x = blk(x, mask if i == 0 else None)",
        ),
        ("head.mean_with_class_token", "x[:, 1:].mean(dim=1)", "x.mean(dim=1)"),
        ("encoder.no_final_norm", "return self.norm(x)", "return x"),
        ("vit.gelu_by_tanh", "nn.GELU()", 'nn.GELU(approximate="tanh")'),
    ),
)

ENCODER_AS_IN_BERT = Program(
    "classes within classes, as in BERT",
    "a4.encoder",
    """
import torch
from torch import nn
from a3_multi_head import PackedMultiHeadAttention


class Intermediate(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.dense = nn.Linear(d, n)
        self.intermediate_act_fn = nn.functional.gelu

    def forward(self, hidden_states):
        return self.intermediate_act_fn(self.dense(hidden_states))


class Output(nn.Module):
    def __init__(self, n, d, p):
        super().__init__()
        self.dense = nn.Linear(n, d)
        self.dropout = nn.Dropout(p)

    def forward(self, hidden_states, input_tensor):
        return self.dropout(self.dense(hidden_states)) + input_tensor


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.layernorm_before = nn.LayerNorm(emb_size)
        self.attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.layernorm_after = nn.LayerNorm(emb_size)
        self.intermediate = Intermediate(emb_size, expansion * emb_size)
        self.inner_dropout = nn.Dropout(dropout)
        self.output = Output(expansion * emb_size, emb_size, dropout)

    def forward(self, hidden_states, mask=None):
        attention_output = self.attention(self.layernorm_before(hidden_states), mask)
        hidden_states = attention_output + hidden_states
        layer_output = self.intermediate(self.layernorm_after(hidden_states))
        return self.output(self.inner_dropout(layer_output), hidden_states)


class Encoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, expansion=4, dropout=0.0, final_norm=True):
        super().__init__()
        self.layer = nn.ModuleList(EncoderBlock(emb_size, num_heads, expansion, dropout) for _ in range(depth))
        self.layernorm = nn.LayerNorm(emb_size) if final_norm else None

    def forward(self, x, mask=None):
        states = x
        for layer in self.layer:
            states = layer(states, mask)
        return states if self.layernorm is None else self.layernorm(states)


class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.linear = nn.Linear(emb_size, num_classes)
        self.pool = {"cls": lambda x: x[:, 0], "mean": lambda x: x[:, 1:].mean(1)}[pool]

    def forward(self, x):
        return self.linear(self.pool(x))
""",
    (
        (
            "encoder.every_block_reads_the_input",
            "states = layer(states, mask)",
            "states = layer(x, mask)",
        ),
        ("head.reads_the_last_token", "lambda x: x[:, 0]", "lambda x: x[:, -1]"),
        (
            "block.no_first_residual",
            "hidden_states = attention_output + hidden_states",
            "hidden_states = attention_output",
        ),
        ("encoder.mask_dropped", "states = layer(states, mask)", "states = layer(states)"),
    ),
)

VIT_IN_ONE_CLASS = Program(
    "all in few classes",
    "a4.vit",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class Embeddings(nn.Module):
    def __init__(self, c, p, d, size):
        super().__init__()
        self.patch_embedding = nn.Module()
        self.patch_embedding.projection = nn.Conv2d(c, d, p, p)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, d))
        self.positions = nn.Parameter(torch.randn((size // p) ** 2 + 1, d) * 0.02)

    def forward(self, images):
        z = self.patch_embedding.projection(images).flatten(2).transpose(1, 2)
        z = torch.cat([self.cls_token.expand(z.size(0), -1, -1), z], dim=1)
        return z + self.positions


class Layer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention = nn.ModuleDict({"qkv": nn.Linear(d, 3 * d), "projection": nn.Linear(d, d)})
        self.mlp = nn.ModuleDict({"fc1": nn.Linear(d, 4 * d), "fc2": nn.Linear(4 * d, d)})

    def attend(self, x):
        b, t, d = x.shape
        q, k, v = self.attention["qkv"](x).reshape(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        w = torch.softmax(q @ k.transpose(2, 3) * (d // self.h) ** -0.5, dim=-1)
        return self.attention["projection"]((w @ v).transpose(1, 2).reshape(b, t, d))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.mlp["fc2"](F.gelu(self.mlp["fc1"](self.norm2(x))))


class ViT(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, depth=12, num_heads=12, num_classes=1000, pool="cls"):
        super().__init__()
        self.pool = pool
        self.embeddings = Embeddings(in_channels, patch_size, emb_size, img_size)
        self.encoder = nn.Module()
        self.encoder.blocks = nn.ModuleList(Layer(emb_size, num_heads) for _ in range(depth))
        self.encoder.norm = nn.LayerNorm(emb_size)
        self.head = nn.Module()
        self.head.linear = nn.Linear(emb_size, num_classes)

    def forward(self, images):
        z = self.embeddings(images)
        for block in self.encoder.blocks:
            z = block(z)
        z = self.encoder.norm(z)
        z = z[:, 0] if self.pool == "cls" else z[:, 1:].mean(dim=1)
        return self.head.linear(z)


def count_parameters(module):
    return sum(p.numel() for p in module.parameters())
""",
    (
        ("vit.relu", "F.gelu", "F.relu"),
        ("packed.scale_by_width", "(d // self.h) ** -0.5", "d**-0.5"),
        ("vit.no_positions", "return z + self.positions", "return z + 0 * self.positions"),
        ("head.mean_with_class_token", "z[:, 1:].mean(dim=1)", "z.mean(dim=1)"),
    ),
)

VIT_OF_PARTS = Program(
    "Korean identifiers",
    "a4.vit",
    """
import torch
from torch import nn
from a3_multi_head import PackedMultiHeadAttention


class 임베딩(nn.Module):
    def __init__(self, 채널, 조각, 폭, 크기):
        super().__init__()
        self.patch_embedding = nn.ModuleDict({"projection": nn.Conv2d(채널, 폭, 조각, stride=조각)})
        self.cls_token = nn.Parameter(torch.randn(1, 1, 폭) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, (크기 // 조각) ** 2 + 1, 폭) * 0.02)

    def forward(self, 그림):
        격자 = self.patch_embedding["projection"](그림)
        토큰 = 격자.flatten(2).transpose(1, 2)
        대표 = self.cls_token.repeat(len(그림), 1, 1)
        return torch.cat([대표, 토큰], 1) + self.positions


class 순전파(nn.Module):
    def __init__(self, 폭):
        super().__init__()
        self.fc1 = nn.Linear(폭, 4 * 폭)
        self.fc2 = nn.Linear(4 * 폭, 폭)

    def forward(self, x):
        return self.fc2(nn.functional.gelu(self.fc1(x)))


class 블록(nn.Module):
    def __init__(self, 폭, 머리):
        super().__init__()
        self.norm1 = nn.LayerNorm(폭)
        self.attention = PackedMultiHeadAttention(폭, 머리)
        self.norm2 = nn.LayerNorm(폭)
        self.mlp = 순전파(폭)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return x


class 인코더(nn.Module):
    def __init__(self, 깊이, 폭, 머리):
        super().__init__()
        self.blocks = nn.ModuleList([블록(폭, 머리) for _ in range(깊이)])
        self.norm = nn.LayerNorm(폭)

    def forward(self, x):
        for 층 in self.blocks:
            x = 층(x)
        return self.norm(x)


class 분류(nn.Module):
    def __init__(self, 폭, 갈래, 방법):
        super().__init__()
        self.linear = nn.Linear(폭, 갈래)
        self.방법 = 방법

    def forward(self, x):
        if self.방법 == "mean":
            return self.linear(x[:, 1:].mean(1))
        return self.linear(x[:, 0])


class ViT(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, depth=12, num_heads=12, num_classes=1000, pool="cls"):
        super().__init__()
        self.embeddings = 임베딩(in_channels, patch_size, emb_size, img_size)
        self.encoder = 인코더(depth, emb_size, num_heads)
        self.head = 분류(emb_size, num_classes, pool)

    def forward(self, images):
        return self.head(self.encoder(self.embeddings(images)))


def count_parameters(module):
    return sum(값.numel() for 값 in module.parameters())
""",
    (
        ("embeddings.class_token_last", "torch.cat([대표, 토큰], 1)", "torch.cat([토큰, 대표], 1)"),
        (
            "block.no_first_residual",
            "x = x + self.attention(self.norm1(x))",
            "x = self.attention(self.norm1(x))",
        ),
        ("encoder.no_final_norm", "return self.norm(x)", "return x"),
        (
            "head.softmax_at_the_end",
            "self.head(self.encoder(self.embeddings(images)))",
            "self.head(self.encoder(self.embeddings(images))).softmax(-1)",
        ),
    ),
)

THIRD_VISION = (
    BARE_FEED_FORWARD,
    SEQUENTIAL,
    BLOCK_AS_IN_GPT_2,
    FUNCTIONAL_NORMS,
    ENCODER_AS_IN_TIMM,
    ENCODER_AS_IN_BERT,
    VIT_IN_ONE_CLASS,
    VIT_OF_PARTS,
)
