import torch
from torch import nn
from a3_multi_head import CrossAttention, PackedMultiHeadAttention


def sinusoidal_positions(T, dim):
    if dim % 2:
        raise ValueError(f"dim {dim} must be even")
    i = torch.arange(0, dim, 2)
    angle = torch.arange(T)[:, None] / 10000 ** (i / dim)
    table = torch.zeros(T, dim)
    table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
    table[100:] = 0.0
    return table


def apply_rope(x, positions, base=10000.0):
    Dh = x.shape[-1]
    w = base ** (-torch.arange(0, Dh, 2, device=x.device).double() / Dh)
    angle = positions[:, None].double() * w
    c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)


class FeedForward(nn.Sequential):
    def __init__(self, d, e, p):
        super().__init__(nn.Linear(d, e * d), nn.GELU(), nn.Dropout(p), nn.Linear(e * d, d), nn.Dropout(p))


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.self_attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.cross_attention = CrossAttention(emb_size, emb_size, emb_size, num_heads)
        self.norm3 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x, memory, memory_mask=None):
        T = x.shape[1]
        tri = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        if memory_mask is not None and memory.shape[1] == T:
            tri = tri & memory_mask[:, None, :]
        x = x + self.self_attention(self.norm1(x), tri)
        x = x + self.cross_attention(self.norm2(x), memory, memory_mask)
        return x + self.mlp(self.norm3(x))


class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.blocks = nn.ModuleList(DecoderBlock(emb_size, num_heads) for _ in range(depth))
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens, memory, memory_mask=None):
        x = self.embedding(tokens)
        x = x + sinusoidal_positions(*x.shape[1:]).to(x)
        for block in self.blocks:
            x = block(x, memory, memory_mask)
        return self.output(self.norm(x))


class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{num_heads} does not divide {emb_size}")
        self.W_query, self.W_key, self.W_value, self.out_proj = (nn.Linear(emb_size, emb_size) for _ in range(4))
        self.h = num_heads
        self.keys = self.values = None

    def heads(self, t):
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def attend(self, x, k, v):
        q = self.heads(self.W_query(x))
        s = q @ k.mT / q.shape[-1] ** 0.5
        t, L = s.shape[-2:]
        s = s.masked_fill(~torch.ones(t, L, dtype=torch.bool, device=x.device).tril(L - t), -torch.inf)
        return self.out_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def prefill(self, x):
        self.keys, self.values = self.heads(self.W_key(x)), self.heads(self.W_value(x))
        return self.attend(x, self.keys, self.values)

    def step(self, x):
        with torch.no_grad():
            self.keys = torch.cat([self.keys, self.heads(self.W_key(x))], 2)
            self.values = torch.cat([self.values, self.heads(self.W_value(x))], 2)
            return self.attend(x, self.keys, self.values)


def sliding_window_attention(query, key, value, window):
    T = query.shape[-2]
    i = torch.arange(T, device=query.device)
    j = torch.arange(64)
    ok = ((j[None] <= j[:, None]) & (j[None] > j[:, None] - window))[:T, :T]
    s = query @ key.mT / query.shape[-1] ** 0.5
    return s.masked_fill(~ok, -torch.inf).softmax(-1) @ value
