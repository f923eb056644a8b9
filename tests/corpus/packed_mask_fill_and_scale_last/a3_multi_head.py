import torch
from torch import nn


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size=768, num_heads=8, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} features do not go into {num_heads} heads")
        self.emb_size, self.num_heads = emb_size, num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.drop = nn.Dropout(dropout)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        qkv = self.qkv(x).reshape(b, n, self.num_heads, d // self.num_heads, 3)
        q, k, v = qkv.permute(4, 0, 2, 1, 3)
        energy = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if mask is not None:
            energy.mask_fill(~mask, torch.finfo(torch.float32).min)
        att = energy.softmax(dim=-1) / self.emb_size**0.5
        found = torch.einsum("bhqk,bhkd->bhqd", self.drop(att), v)
        return self.projection(found.transpose(1, 2).reshape(b, n, d))


def pack_qkv(w_query, w_key, w_value):
    return torch.cat([w_query, w_key, w_value])


def unpack_qkv(w):
    return w.chunk(3)
