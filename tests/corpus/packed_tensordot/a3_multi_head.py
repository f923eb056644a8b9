import torch
from torch import nn


class LinearGeneral(nn.Module):
    def __init__(self, in_dim, feat_dim):
        super().__init__()
        self.weight = nn.Parameter(0.1 * torch.randn(*in_dim, *feat_dim))
        self.bias = nn.Parameter(torch.zeros(*feat_dim))

    def forward(self, x, dims):
        return torch.tensordot(x, self.weight, dims=dims) + self.bias


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"in_dim={emb_size} and heads={num_heads} do not go together")
        width = emb_size // num_heads
        self.scale = width**0.5
        self.query = LinearGeneral((emb_size,), (num_heads, width))
        self.key = LinearGeneral((emb_size,), (num_heads, width))
        self.value = LinearGeneral((emb_size,), (num_heads, width))
        self.out = LinearGeneral((num_heads, width), (emb_size,))
        self.dropout = nn.Dropout(dropout) if dropout > 0 else None

    def forward(self, x, mask=None):
        maps = (self.query, self.key, self.value)
        q, k, v = (each(x, dims=([2], [0])).permute(0, 2, 1, 3) for each in maps)
        weights = torch.matmul(q, k.transpose(-2, -1)) / self.scale
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, torch.finfo(weights.dtype).min)
        weights = weights.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, 0)
        if self.dropout:
            weights = self.dropout(weights)
        out = torch.matmul(weights, v).permute(0, 2, 1, 3)
        return self.out(out, dims=([2, 3], [0, 1]))


def pack_qkv(w_query, w_key, w_value):
    return torch.cat((w_query, w_key, w_value))


def unpack_qkv(w):
    return w.chunk(3)


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    by_head = (mha.num_heads, mha.head_dim)
    maps = (mine.query, mine.key, mine.value)
    weights, biases = unpack_qkv(mha.in_proj_weight), unpack_qkv(mha.in_proj_bias)
    with torch.no_grad():
        for each, weight, bias in zip(maps, weights, biases):
            each.weight.copy_(weight.T.reshape(-1, *by_head))
            each.bias.copy_(bias.reshape(by_head))
        mine.out.weight.copy_(mha.out_proj.weight.T.reshape(*by_head, -1))
        mine.out.bias.copy_(mha.out_proj.bias)
    return mine
