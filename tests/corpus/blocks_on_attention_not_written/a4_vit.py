import torch
from torch import nn

from a3_multi_head import PackedMultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = self.dropout(torch.nn.functional.gelu(self.fc1(x)))
        return self.dropout(self.fc2(x))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.mlp(x))


class Encoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, expansion=4, dropout=0.0, final_norm=True):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(EncoderBlock(emb_size, num_heads, expansion, dropout))
        self.norm = nn.LayerNorm(emb_size) if final_norm else nn.Identity()

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.pool = pool
        self.linear = nn.Linear(emb_size, num_classes)

    def forward(self, x):
        if self.pool == "mean":
            return self.linear(x[:, 1:].mean(dim=1))
        return self.linear(x[:, 0])
