import torch
from a3_multi_head import CrossAttention, PackedMultiHeadAttention
from torch import nn


def sinusoidal_positions(length, emb_size, base=10000.0):
    half = torch.arange(emb_size // 2, dtype=torch.float64)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * base ** (-2 * half / emb_size)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1).float()


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.fc2(self.dropout(nn.functional.gelu(self.fc1(x)))))


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
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        x = x + self.self_attention(self.norm1(x), causal)
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
        x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        for block in self.blocks:
            x = block(x, memory, memory_mask)
        return self.output(self.norm(x))
