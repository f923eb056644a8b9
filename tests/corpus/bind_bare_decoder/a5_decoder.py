import torch
import torch.nn.functional as F
from torch import nn


def sinusoidal_positions(T, dim):
    if dim % 2:
        raise ValueError(f"dim must be even, not {dim}")
    angle = torch.arange(T)[:, None] / 10000 ** (torch.arange(0, dim, 2) / dim)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1)


class Map(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.Parameter(0.2 * torch.randn(d_in, d_out))
        self.b = nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        return x @ self.W + self.b


class Attention(nn.Module):
    def __init__(self, width, heads, p):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (Map(width, width) for _ in range(4))
        self.drop = nn.Dropout(p)

    def forward(self, x, source, allowed=None):
        q, k, v = (
            y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for y in (self.q(x), self.k(source), self.v(source))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        weights = self.drop(torch.softmax(scores, -1).nan_to_num(0.0))
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.ln1, self.ln2, self.ln3 = (nn.LayerNorm(emb_size) for _ in range(3))
        self.self_attn = Attention(emb_size, num_heads, dropout)
        self.cross_attn = Attention(emb_size, num_heads, 0.0)
        self.up = Map(emb_size, expansion * emb_size)
        self.down = Map(expansion * emb_size, emb_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        t = x.size(1)
        y = self.ln1(x)
        x = x + self.self_attn(y, y, torch.arange(t)[:, None] >= torch.arange(t))
        if memory_mask is not None:
            memory_mask = memory_mask[:, None, None]
        x = x + self.cross_attn(self.ln2(x), memory, memory_mask)
        return x + self.down(self.drop(F.gelu(self.up(self.ln3(x)))))


class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocab_size, emb_size))
        self.blocks = nn.ModuleList([DecoderBlock(emb_size, num_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(emb_size)
        self.W = nn.Parameter(0.2 * torch.randn(emb_size, vocab_size))
        self.b = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, tokens, memory, memory_mask=None):
        x = self.table[tokens]
        x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        for block in self.blocks:
            x = block(x, memory, memory_mask)
        return self.norm(x) @ self.W + self.b
