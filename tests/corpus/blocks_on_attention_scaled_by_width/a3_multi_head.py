import torch
from torch import nn


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{emb_size} cannot be divided by {num_heads}")
        self.emb_size, self.num_heads = emb_size, num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.projection = nn.Linear(emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, D = x.shape
        qkv = self.qkv(x).reshape(B, T, 3, self.num_heads, D // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / self.emb_size**0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = torch.where(mask.any(dim=-1, keepdim=True), weights, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        out = (self.dropout(weights) @ v).transpose(1, 2).reshape(B, T, D)
        return self.projection(out)


def pack_qkv(w_query, w_key, w_value):
    return torch.cat((w_query, w_key, w_value))


def unpack_qkv(w):
    return w.chunk(3)


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    with torch.no_grad():
        mine.qkv.weight.copy_(mha.in_proj_weight)
        mine.qkv.bias.copy_(mha.in_proj_bias)
        mine.projection.load_state_dict(mha.out_proj.state_dict())
    return mine
