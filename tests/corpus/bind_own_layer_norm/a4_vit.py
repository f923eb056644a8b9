import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrize


class Attention(nn.Module):
    def __init__(self, width, heads, p):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.drop = nn.Dropout(p)

    def forward(self, x, mask=None):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask[:, None] if mask.dim() == 3 else mask
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return self.projection((self.drop(weights) @ v).transpose(1, 2).flatten(2))


class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return x + self.fn(x, **kwargs)


class Transposed(nn.Module):
    def forward(self, weight):
        return weight.T

    def right_inverse(self, weight):
        return weight.T


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        parametrize.register_parametrization(self.fc1, "weight", Transposed(), unsafe=True)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(self.fc2(self.drop(F.gelu(self.fc1(x)))))


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.alpha, self.omega = (nn.Parameter(torch.ones(emb_size)) for _ in range(2))
        self.attention = Attention(emb_size, num_heads, dropout)
        self.left, self.right = (nn.Parameter(torch.zeros(emb_size)) for _ in range(2))
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def norm(self, x, gain, shift):
        return F.layer_norm(x, gain.shape, gain, shift)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm(x, self.omega, self.left), mask)
        return x + self.mlp(self.norm(x, self.alpha, self.right))


class PostNormEncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        x = self.norm(x + self.attention(x, mask), self.omega, self.left)
        return self.norm(x + self.mlp(x), self.alpha, self.right)


class Encoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, expansion=4, dropout=0.0, final_norm=True):
        super().__init__()
        blocks = (EncoderBlock(emb_size, num_heads, expansion, dropout) for _ in range(depth))
        self.blocks = nn.ModuleList(blocks)
        self.final = None
        if final_norm:
            self.final = nn.ParameterList([torch.ones(emb_size), torch.zeros(emb_size)])

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return x if self.final is None else F.layer_norm(x, x.shape[-1:], *self.final)


class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.pool = pool
        self.linear = nn.Linear(emb_size, num_classes)

    def forward(self, x):
        return self.linear(x[:, 0] if self.pool == "cls" else x[:, 1:].mean(1))
