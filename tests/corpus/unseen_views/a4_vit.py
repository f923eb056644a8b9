import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, pdrop):
        super().__init__()
        if n_embd % n_head:
            raise ValueError(f"n_head {n_head} must divide n_embd {n_embd}")
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.projection = nn.Linear(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(pdrop)
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x, mask=None):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
            empty = ~mask.any(dim=-1, keepdim=True)
            att = att.masked_fill(mask.logical_not(), float("-inf")).masked_fill(empty, 0)
        att = F.softmax(att, dim=-1)
        if mask is not None:
            att = att.masked_fill(empty, 0)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.projection(y)


class MLP(nn.Module):
    def __init__(self, n_embd, n_hidden, pdrop):
        super().__init__()
        self.fc1 = nn.Linear(n_embd, n_hidden)
        self.fc2 = nn.Linear(n_hidden, n_embd)
        self.act = nn.GELU()
        self.drop = nn.Dropout(pdrop)

    def forward(self, x):
        x = self.drop(self.act(self.fc1(x)))
        return self.drop(self.fc2(x))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = SelfAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = MLP(emb_size, expansion * emb_size, dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x)
        x = x + self.attention(x, mask)
        x = self.norm2(x)
        x = x + self.mlp(x)
        return x


class PostNormEncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = SelfAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = MLP(emb_size, expansion * emb_size, dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.attention(x, mask))
        x = self.norm2(x + self.mlp(x))
        return x
