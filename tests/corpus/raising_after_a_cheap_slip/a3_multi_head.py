import torch
from torch import nn

from a2_masking import CausalAttention


def split_heads(x, num_heads):
    b, t, d = x.shape
    if d % num_heads:
        raise ValueError(f"cannot split {d} features into {num_heads} heads")
    return x.view(b * t, d).view(b, t, num_heads, d // num_heads).permute(0, 2, 1, 3)


def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 2, 1, 3).contiguous().view(b, t, h * d)


def attend(query, key, value, mask=None, dropout=None):
    """The same for every class below."""
    scores = torch.einsum("bhid,bhjd->bhij", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        if mask.ndim == 3:
            mask = mask[:, None]
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask  # a row without any key is zero
    if dropout is not None:
        weights = dropout(weights)
    return merge_heads(torch.einsum("bhij,bhjd->bhid", weights, value))


def check(large, small):
    if large % small != 0:
        raise ValueError(f"{large} is not a multiple of {small}")


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList(
            [
                CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                for _ in range(num_heads)
            ]
        )

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        check(d_out, num_heads)
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        raise RuntimeError


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        check(emb_size, num_heads)
        self.num_heads = num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.projection = nn.Linear(emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        parts = self.qkv(x).chunk(3, dim=-1)
        query, key, value = (split_heads(part, self.num_heads) for part in parts)
        return self.projection(attend(query, key, value, mask, self.dropout))


def pack_qkv(w_query, w_key, w_value):
    return torch.cat((w_query, w_key, w_value))


def unpack_qkv(w):
    return torch.chunk(w, 3)


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    theirs = mha.state_dict()
    mine.load_state_dict(
        {
            "qkv.weight": theirs["in_proj_weight"],
            "qkv.bias": theirs["in_proj_bias"],
            "projection.weight": theirs["out_proj.weight"],
            "projection.bias": theirs["out_proj.bias"],
        }
    )
    return mine


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        check(emb_size, num_heads)
        self.num_heads = num_heads
        self.W_query = nn.Linear(query_dim, emb_size)
        self.W_key = nn.Linear(memory_dim, emb_size)
        self.W_value = nn.Linear(memory_dim, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, memory, memory_mask=None):
        raise RuntimeError


class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        check(emb_size, num_heads)
        check(num_heads, num_kv_heads)
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        shared = num_kv_heads * (emb_size // num_heads)
        self.W_query = nn.Linear(emb_size, emb_size)
        self.W_key = nn.Linear(emb_size, shared)
        self.W_value = nn.Linear(emb_size, shared)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        raise RuntimeError
