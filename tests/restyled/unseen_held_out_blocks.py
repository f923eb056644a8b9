"""More programs by other hands that nothing was tuned on: a block, and attention to a memory."""

from __future__ import annotations

from tests.restyled.by_hand import Program

ALL_IN_ONE = Program(
    "a block with an attention of its own",
    "a4.block",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class Att(nn.Module):
    def __init__(self, dim, heads, p):
        super().__init__()
        self.heads, self.p = heads, p
        self.in_proj = nn.Linear(dim, 3 * dim)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x, mask):
        b, n, d = x.shape
        q, k, v = self.in_proj(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / (d // self.heads) ** 0.5
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
            s = s.masked_fill(~mask, -1e30)
            p = s.softmax(-1).masked_fill(~mask, 0.0)
        else:
            p = s.softmax(-1)
        p = F.dropout(p, self.p, self.training)
        return self.out_proj((p @ v).transpose(1, 2).flatten(2))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size=768, num_heads=12, expansion=4, dropout=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(emb_size)
        self.ln_2 = nn.LayerNorm(emb_size)
        self.att = Att(emb_size, num_heads, dropout)
        self.up = nn.Linear(emb_size, expansion * emb_size)
        self.down = nn.Linear(expansion * emb_size, emb_size)
        self.p = dropout

    def forward(self, x, mask=None):
        h = x + self.att(self.ln_1(x), mask)
        z = F.dropout(F.gelu(self.up(self.ln_2(h))), self.p, self.training)
        z = F.dropout(self.down(z), self.p, self.training)
        return h + z


class PostNormEncoderBlock(nn.Module):
    def __init__(self, emb_size=768, num_heads=12, expansion=4, dropout=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(emb_size)
        self.ln_2 = nn.LayerNorm(emb_size)
        self.att = Att(emb_size, num_heads, dropout)
        self.up = nn.Linear(emb_size, expansion * emb_size)
        self.down = nn.Linear(expansion * emb_size, emb_size)
        self.p = dropout

    def forward(self, x, mask=None):
        y = self.ln_1(x + self.att(x, mask))
        m = F.dropout(F.gelu(self.up(y)), self.p, self.training)
        return self.ln_2(y + F.dropout(self.down(m), self.p, self.training))
""",
    (
        (
            "block.residual_of_norm",
            "h = x + self.att(self.ln_1(x), mask)",
            "x = self.ln_1(x)\n        h = x + self.att(x, mask)",
        ),
        ("block.no_first_residual", "h = x + self.att(", "h = self.att("),
        ("block.no_second_residual", "return h + z", "return z"),
        ("block.stale_residual", "return h + z", "return x + z"),
        ("block.mlp_without_norm", "self.up(self.ln_2(h))", "self.up(h)"),
        ("block.first_norm_twice", "self.ln_2(h)", "self.ln_1(h)"),
        ("block.mask_dropped", "self.att(self.ln_1(x), mask)", "self.att(self.ln_1(x), None)"),
        (
            "block.norm_of_what_is_added",
            "self.att(self.ln_1(x), mask)",
            "self.ln_1(self.att(x, mask))",
        ),
        (
            "block.no_gradient",
            "self.att(self.ln_1(x), mask)",
            "self.att(self.ln_1(x.detach()), mask)",
        ),
        ("post.stale_residual", "return self.ln_2(y + ", "return self.ln_2(x + "),
        ("post.first_norm_twice", "return self.ln_2(y", "return self.ln_1(y"),
        ("post.mask_dropped", "self.att(x, mask))", "self.att(x, None))"),
        ("packed.unscaled", " / (d // self.heads) ** 0.5", ""),
        ("packed.scale_by_width", "(d // self.heads) ** 0.5", "d ** 0.5"),
        (
            "packed.softmax_over_queries",
            "p = s.softmax(-1)\n        p = F",
            "p = s.softmax(-2)\n        p = F",
        ),
        (
            "packed.merged_without_transpose",
            "(p @ v).transpose(1, 2).flatten(2)",
            "(p @ v).reshape(b, n, d)",
        ),
        (
            "packed.no_output_projection",
            "return self.out_proj((p @ v).transpose(1, 2).flatten(2))",
            "return (p @ v).transpose(1, 2).flatten(2)",
        ),
        ("vit.relu", "F.gelu(self.up(self.ln_2(h)))", "F.relu(self.up(self.ln_2(h)))"),
        ("mlp.no_activation", "F.gelu(self.up(self.ln_2(h)))", "self.up(self.ln_2(h))"),
    ),
)

FUNCTIONAL_CROSS = Program(
    "functional",
    "a3.cross",
    """
import math
import torch
from torch import nn
from torch.nn import functional as F


def attend(q, k, v, keep):
    e = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.size(-1))
    if keep is None:
        return torch.einsum("bhqk,bkhd->bqhd", F.softmax(e, -1), v)
    gone = (keep == False)[:, None, None, :]
    e = e.masked_fill(gone, torch.finfo(e.dtype).min)
    return torch.einsum("bhqk,bkhd->bqhd", F.softmax(e, -1).masked_fill(gone, 0.0), v)


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} and {num_heads}")
        self.num_heads = num_heads
        self.fc_q = nn.Linear(query_dim, emb_size)
        self.fc_k = nn.Linear(memory_dim, emb_size)
        self.fc_v = nn.Linear(memory_dim, emb_size)
        self.fc_o = nn.Linear(emb_size, emb_size)

    def cut(self, t):
        return t.unflatten(-1, (self.num_heads, -1))

    def forward(self, x, memory, memory_mask=None):
        q, k, v = self.cut(self.fc_q(x)), self.cut(self.fc_k(memory)), self.cut(self.fc_v(memory))
        return self.fc_o(attend(q, k, v, memory_mask).flatten(2))
""",
    (
        ("cross.unscaled", " / math.sqrt(q.size(-1))", ""),
        ("cross.scale_by_width", "math.sqrt(q.size(-1))", "math.sqrt(q.size(-1) * q.size(2))"),
        ("cross.softmax_over_queries", "F.softmax(e, -1), v)", "F.softmax(e, -2), v)"),
        ("cross.values_from_keys", "self.cut(self.fc_v(memory))", "self.cut(self.fc_k(memory))"),
        (
            "cross.no_output_projection",
            "return self.fc_o(attend(q, k, v, memory_mask).flatten(2))",
            "return attend(q, k, v, memory_mask).flatten(2)",
        ),
        ("cross.mask_inverted", "keep == False", "keep"),
        (
            "cross.memory_without_gradient",
            "memory_mask=None):\n        q,",
            "memory_mask=None):\n        memory = memory.detach()\n        q,",
        ),
        ("cross.scale_by_length", "q.size(-1)", "k.size(1)"),
        (
            "cross.keys_and_values_exchanged",
            "self.cut(self.fc_k(memory)), self.cut(self.fc_v(memory))",
            "self.cut(self.fc_v(memory)), self.cut(self.fc_k(memory))",
        ),
        ("cross.no_gradient_to_keys", "q, k) /", "q, k.detach()) /"),
        ("cross.masked_after_softmax", "    e = e.masked_fill(gone", "    _ = e.masked_fill(gone"),
        ("|scale_without_root", "math.sqrt(q.size(-1))", "q.size(-1)"),
    ),
)
