import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import nn


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Sequential(
            Rearrange("b c (h s1) (w s2) -> b (h w) (s1 s2 c)", s1=patch_size, s2=patch_size),
            nn.Linear(patch_size * patch_size * in_channels, emb_size),
        )

    def forward(self, x):
        for side in x.shape[2:]:
            if side % self.patch_size:
                raise ValueError(f"{side} is not a multiple of {self.patch_size}")
        return self.projection(x)


def conv_weight_from_linear(weight, in_channels, patch_size):
    return rearrange(weight, "e (s1 s2 c) -> e c s1 s2", s1=patch_size, c=in_channels)


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


class Attention(nn.Module):
    def __init__(self, dim, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.q_proj = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = (rearrange(f(x), "b n (h d) -> b h n d", h=self.n_head)
                   for f in (self.q_proj, self.k_proj, self.v_proj))
        w = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        return self.c_proj(rearrange(w @ v, "b h n d -> b n (h d)"))


class Layer(nn.Module):
    def __init__(self, dim, n_head):
        super().__init__()
        self.attn = Attention(dim, n_head)
        self.mlp = nn.ModuleDict({"up": nn.Linear(dim, 4 * dim), "down": nn.Linear(4 * dim, dim)})
        self.ln_2 = nn.LayerNorm(dim, eps=1e-6)
        self.ln_1 = nn.LayerNorm(dim, eps=1e-6)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp["down"](F.gelu(self.mlp["up"](self.ln_2(x))))


class ViT(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, depth=12,
                 num_heads=12, num_classes=1000, pool="cls"):
        super().__init__()
        self.pool = pool
        self.ln_f = nn.LayerNorm(emb_size, eps=1e-6)
        self.classifier = nn.Linear(emb_size, num_classes)
        self.layers = nn.ModuleList(Layer(emb_size, num_heads) for _ in range(depth))
        self.embed = PatchEmbedding(in_channels, patch_size, emb_size)
        self.class_embedding = nn.Parameter(torch.zeros(emb_size))
        self.pos_embed = nn.Parameter(torch.zeros(1, (img_size // patch_size) ** 2 + 1, emb_size))

    def forward(self, images):
        x = self.embed(images)
        x = torch.cat([self.class_embedding.expand(len(x), 1, -1), x], dim=1) + self.pos_embed
        for layer in self.layers:
            x = layer(x)
        x = self.ln_f(x)
        return self.classifier(x[:, 0] if self.pool == "cls" else x[:, 1:].mean(1))
