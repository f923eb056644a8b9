import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange
from torch import Tensor, nn


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.side = patch_size
        self.projection = nn.Sequential(
            Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=patch_size, q=patch_size),
            nn.Linear(patch_size * patch_size * in_channels, emb_size),
        )

    def forward(self, images: Tensor) -> Tensor:
        _, _, height, width = images.shape
        for length in (height, width):
            if length % self.side:
                raise ValueError(f"{length} is not a multiple of {self.side}")
        return self.projection(images)


def conv_weight_from_linear(weight: Tensor, in_channels: int, patch_size: int) -> Tensor:
    return rearrange(weight, "d (p q c) -> d c p q", p=patch_size, q=patch_size, c=in_channels)


class Attention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(emb_size, emb_size * 3)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x):
        qkv = rearrange(self.qkv(x), "b n (h d qkv) -> qkv b h n d", h=self.num_heads, qkv=3)
        queries, keys, values = qkv[0], qkv[1], qkv[2]
        energy = torch.einsum("bhqd,bhkd->bhqk", queries, keys)
        att = (energy / queries.shape[-1] ** 0.5).softmax(dim=-1)
        out = torch.einsum("bhal,bhlv->bhav", att, values)
        return self.projection(rearrange(out, "b h n d -> b n (h d)"))


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, emb_size * expansion)
        self.fc2 = nn.Linear(emb_size * expansion, emb_size)

    def forward(self, x):
        return self.fc2(nn.functional.gelu(self.fc1(x)))


class Embeddings(nn.Module):
    def __init__(self, in_channels, patch_size, emb_size, img_size):
        super().__init__()
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, emb_size))
        self.positions = nn.Parameter(
            torch.randn(1, (img_size // patch_size) ** 2 + 1, emb_size) * 0.02
        )

    def forward(self, images):
        patches = self.patch_embedding(images)
        cls = repeat(self.cls_token, "1 1 e -> b 1 e", b=len(images))
        return torch.cat([cls, patches], dim=1) + self.positions


class Block(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = Attention(emb_size, num_heads)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads):
        super().__init__()
        self.blocks = nn.ModuleList(Block(emb_size, num_heads) for _ in range(depth))
        self.norm = nn.LayerNorm(emb_size)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


class Head(nn.Module):
    def __init__(self, emb_size, num_classes, pool):
        super().__init__()
        self.linear = nn.Linear(emb_size, num_classes)
        self.pool = pool

    def forward(self, x):
        x = x[:, 0] if self.pool == "cls" else reduce(x[:, 1:], "b n e -> b e", "mean")
        return self.linear(x)


class ViT(nn.Module):
    def __init__(
        self,
        in_channels=3,
        patch_size=16,
        emb_size=768,
        img_size=224,
        depth=12,
        num_heads=12,
        num_classes=1000,
        pool="cls",
    ):
        super().__init__()
        self.embeddings = Embeddings(in_channels, patch_size, emb_size, img_size)
        self.encoder = Encoder(depth, emb_size, num_heads)
        self.head = Head(emb_size, num_classes, pool)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.encoder(self.embeddings(images)))


def count_parameters(module: nn.Module) -> int:
    return sum(p.numel() for p in set(module.parameters()))
