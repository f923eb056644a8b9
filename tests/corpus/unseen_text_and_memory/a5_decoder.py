import torch
from torch import nn
import torch.nn.functional as F


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


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(nx, nf) * nx ** -0.5)
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return torch.matmul(x, self.weight) + self.bias


class LN(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.g = nn.Parameter(torch.ones(d))
        self.b = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.g, self.b)


def attend(q, k, v, h, allowed=None, drop=None):
    q, k, v = (t.unflatten(-1, (h, -1)).transpose(1, 2) for t in (q, k, v))
    s = q @ k.mT / q.shape[-1] ** 0.5
    if allowed is not None:
        s = s.masked_fill(~allowed, float("-inf"))
        s = s.masked_fill(~allowed.any(-1, True), 0)
    w = s.softmax(-1)
    if allowed is not None:
        w = w * allowed
    if drop is not None:
        w = drop(w)
    return (w @ v).transpose(1, 2).flatten(2)


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{num_heads} does not divide {emb_size}")
        self.h = num_heads
        self.ln_1, self.ln_2, self.ln_3 = LN(emb_size), LN(emb_size), LN(emb_size)
        self.c_attn, self.c_proj = Conv1D(3 * emb_size, emb_size), Conv1D(emb_size, emb_size)
        self.q_attn, self.kv_attn, self.x_proj = Conv1D(emb_size, emb_size), Conv1D(2 * emb_size, emb_size), Conv1D(emb_size, emb_size)
        self.c_fc, self.m_proj = Conv1D(expansion * emb_size, emb_size), Conv1D(emb_size, expansion * emb_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        T = x.shape[1]
        tri = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        if memory_mask is not None and memory.shape[1] == T:
            tri = tri & memory_mask[:, None, None, :]
        q, k, v = self.c_attn(self.ln_1(x)).chunk(3, -1)
        x = x + self.c_proj(attend(q, k, v, self.h, tri, self.drop))
        k, v = self.kv_attn(memory).chunk(2, -1)
        m = None if memory_mask is None else memory_mask[:, None, None, :]
        x = x + self.x_proj(attend(self.q_attn(self.ln_2(x)), k, v, self.h, m))
        return x + self.drop(self.m_proj(self.drop(F.gelu(self.c_fc(self.ln_3(x))))))


class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, emb_size)
        self.h = nn.ModuleList([DecoderBlock(emb_size, num_heads) for _ in range(depth)])
        self.ln_f = LN(emb_size)
        self.lm_head = Conv1D(vocab_size, emb_size)

    def forward(self, tokens, memory, memory_mask=None):
        x = self.wte(tokens)
        x = x + sinusoidal_positions(*x.shape[1:]).to(x)
        for block in self.h:
            x = block(x, memory, memory_mask)
        return self.lm_head(self.ln_f(x))


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
