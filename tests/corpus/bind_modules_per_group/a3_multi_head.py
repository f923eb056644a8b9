import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class Group(nn.Module):
    def __init__(self, width, share, head_width):
        super().__init__()
        self.query = nn.Linear(width, share * head_width)
        self.key = nn.Linear(width, head_width)
        self.value = nn.Linear(width, head_width)
        self.share = share

    def forward(self, x, mask):
        q = self.query(x).unflatten(-1, (self.share, -1)).transpose(1, 2)  # B share T Dh
        k, v = self.key(x)[:, None], self.value(x)[:, None]  # B 1 T Dh
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is None:
            return scores.softmax(-1) @ v
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
        return weights.masked_fill(~mask, 0.0) @ v


class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        if num_heads % num_kv_heads:
            raise ValueError(f"{num_heads} is no multiple of {num_kv_heads}")
        self.share = num_heads // num_kv_heads
        width = emb_size // num_heads
        groups = (Group(emb_size, self.share, width) for _ in range(num_kv_heads))
        self.groups = nn.ModuleList(groups)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask.view(*[1] * (4 - mask.dim()), *mask.shape)
            mask = mask.expand(-1, len(self.groups) * self.share, -1, -1)
        found = []
        for number, group in enumerate(self.groups):
            heads = slice(number * self.share, (number + 1) * self.share)
            found.append(group(x, None if mask is None else mask[:, heads]))
        return self.out_proj(torch.cat(found, 1).transpose(1, 2).flatten(2))


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        self.heads = num_heads
        self.W_query = weight_norm(nn.Linear(query_dim, emb_size))
        self.W_key = weight_norm(nn.Linear(memory_dim, emb_size))
        self.W_value = nn.Linear(memory_dim, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, memory, memory_mask=None):
        q, k, v = (
            y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for y in (self.W_query(x), self.W_key(memory), self.W_value(memory))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if memory_mask is None:
            weights = scores.softmax(-1)
        else:
            mask = memory_mask[:, None, None]
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2))
