import torch
from torch import nn


def sinusoidal_positions(T, dim):
    import math

    if dim % 2:
        raise ValueError(f"dim must be even, not {dim}")
    table = torch.zeros(T, dim)
    position = torch.arange(0, T).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    table[:, 0::2] = torch.sin(position * div_term)
    table[:, 1::2] = torch.cos(position * div_term)
    return table


def apply_rope(x, positions, base=10000.0):
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    exponent = torch.arange(0, x.size(-1), 2).to(wide) / x.size(-1)
    angle = torch.outer(positions.to(wide.dtype), 1.0 / base**exponent)
    points = torch.view_as_complex(wide.reshape(*x.shape[:-1], -1, 2).contiguous())
    turned = points * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).reshape(x.shape).to(x.dtype)


class FeedForward(nn.Module):
    """The MLP of assignment 4, complete: each token by itself, wide, bent, and narrow again."""

    def __init__(self, emb_size: int, expansion: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D) → (…, D)."""
        wide = self.dropout(self.activation(self.fc1(x)))  # … expansion·D
        result: torch.Tensor = self.dropout(self.fc2(wide))  # … D
        return result


class Attention(nn.Module):
    def __init__(self, width, heads, p):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width)
        self.v_proj = nn.Linear(width, width)
        self.o_proj = nn.Linear(width, width)
        self.drop = nn.Dropout(p)

    def forward(self, x, source, allowed=None):
        from einops import einsum, rearrange

        q, k, v = (
            rearrange(y, "b t (h d) -> b h t d", h=self.heads)
            for y in (self.q_proj(x), self.k_proj(source), self.v_proj(source))
        )
        scores = einsum(q, k, "b h i d, b h j d -> b h i j") / q.shape[-1] ** 0.5
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        weights = self.drop(torch.softmax(scores, -1).nan_to_num(0.0))
        mixed = einsum(weights, v, "b h i j, b h j d -> b h i d")
        return self.o_proj(rearrange(mixed, "b h t d -> b t (h d)"))


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.ln1, self.ln2, self.ln3 = (nn.LayerNorm(emb_size) for _ in range(3))
        self.self_attn = Attention(emb_size, num_heads, dropout)
        self.cross_attn = Attention(emb_size, num_heads, dropout)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x, memory, memory_mask=None):
        t = x.size(1)
        y = self.ln1(x)
        x = x + self.self_attn(y, y, torch.arange(t)[:, None] >= torch.arange(t))
        if memory_mask is not None:
            memory_mask = memory_mask[:, None, None]
        x = x + self.cross_attn(self.ln2(x), memory, memory_mask)
        return x + self.mlp(self.ln3(x))


class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.register_buffer("table", sinusoidal_positions(64, emb_size), persistent=False)
        self.blocks = nn.ModuleList([DecoderBlock(emb_size, num_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens, memory, memory_mask=None):
        length, width = tokens.shape[-1], self.table.shape[-1]
        if length > len(self.table):
            self.table = sinusoidal_positions(2 * length, width).to(self.table)
        x = self.embedding(tokens) + self.table[:length]
        for layer in self.blocks:
            x = layer(x, memory, memory_mask=memory_mask)
        return self.output(self.norm(x))


class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        self.heads, self.head_dim = num_heads, emb_size // num_heads
        self.W_query, self.W_key = nn.Linear(emb_size, emb_size), nn.Linear(emb_size, emb_size)
        self.W_value, self.out_proj = nn.Linear(emb_size, emb_size), nn.Linear(emb_size, emb_size)
        self.cache = []

    def prefill(self, x):
        self.cache = []
        return self._attend(x)

    def step(self, x):
        with torch.no_grad():
            return self._attend(x)

    def _attend(self, x):
        from einops import einsum, rearrange

        def split(layer):
            return rearrange(layer(x), "b t (h d) -> b h t d", h=self.heads)

        self.cache.append((split(self.W_key), split(self.W_value)))
        k = torch.cat([key for key, _ in self.cache], dim=-2)
        v = torch.cat([value for _, value in self.cache], dim=-2)
        scores = einsum(split(self.W_query), k, "b h i d, b h j d -> b h i j")
        scores = scores / self.head_dim**0.5
        t, total = scores.shape[-2:]
        later = torch.ones(t, total, dtype=torch.bool).triu(total - t + 1)
        weights = scores.masked_fill(later, torch.finfo(scores.dtype).min).softmax(-1)
        mixed = einsum(weights, v, "b h i j, b h j d -> b h i d")
        return self.out_proj(rearrange(mixed, "b h t d -> b t (h d)"))


def sliding_window_attention(query, key, value, window):
    rows = []
    for i in range(query.shape[-2]):
        seen = slice(max(0, i - window + 1), i + 1)
        scores = query[..., i : i + 1, :] @ key[..., seen, :].transpose(-1, -2)
        weights = torch.softmax(scores * query.shape[-1] ** -0.5, dim=-1)
        rows.append(weights @ value[..., seen, :])
    return torch.cat(rows, dim=-2)


def online_softmax(chunks):
    peaks = torch.stack([chunk.amax(-1) for chunk in chunks], -1)
    m = peaks.amax(-1, keepdim=True)
    m = torch.where(m.isinf(), 0.0, m)
    powers = [torch.exp(chunk - m) for chunk in chunks]
    l = sum(power.sum(-1, keepdim=True) for power in powers)
    return torch.cat(powers, -1) / (l + (l == 0))


def chunked_attention(query, key, value, block_size, mask=None):
    from einops import einsum

    S, L, Dh = query.shape[-2], key.shape[-2], query.shape[-1]
    if mask is not None:
        mask = torch.broadcast_to(mask, (*query.shape[:-1], L))
    low = torch.finfo(query.dtype).min
    found = []
    for i in range(0, S, block_size):
        q = query[..., i : i + block_size, :]
        m = torch.full_like(q[..., :1], low)
        l = torch.zeros_like(m)
        acc = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=value.dtype)
        for j in range(0, L, block_size):
            s = einsum(q, key[..., j : j + block_size, :], "... i d, ... j d -> ... i j")
            s = s / Dh**0.5
            allowed = None
            if mask is not None:
                allowed = mask[..., i : i + block_size, j : j + block_size]
                s = s.masked_fill(~allowed, low)
            new = torch.maximum(m, s.max(-1, keepdim=True)[0])
            p = (s - new).exp()
            if allowed is not None:
                p = p * allowed
            c = (m - new).exp()
            l, acc = l * c + p.sum(-1, True), acc * c + p @ value[..., j : j + block_size, :]
            m = new
        found.append(acc / torch.where(l == 0, torch.ones_like(l), l))
    return torch.cat(found, -2)
