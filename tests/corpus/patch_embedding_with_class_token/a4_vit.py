import torch
from torch import nn


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Conv2d(in_channels, emb_size, kernel_size=patch_size, stride=patch_size)
        self.cls = nn.Parameter(torch.randn(1, 1, emb_size))
        self.position = nn.Parameter(torch.randn((img_size // patch_size) ** 2 + 1, emb_size))

    def forward(self, x):
        b = x.shape[0]
        x = self.projection(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.repeat(b, 1, 1), x], dim=1)
        x += self.position
        return x


def conv_weight_from_linear(weight, in_channels, patch_size):
    weight = weight.view(-1, patch_size, patch_size, in_channels)
    return weight.permute(0, 3, 1, 2).contiguous()


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{emb_size} % {num_heads} != 0")
        self.num_heads = num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.projection = nn.Linear(emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, n, d = x.shape
        head_dim = d // self.num_heads
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.reshape(b, n, self.num_heads, head_dim).transpose(1, 2)
        k = k.reshape(b, n, self.num_heads, head_dim).transpose(1, 2)
        v = v.reshape(b, n, self.num_heads, head_dim).transpose(1, 2)
        att = torch.softmax(q @ k.transpose(-2, -1) / head_dim ** 0.5, dim=-1)
        out = self.dropout(att) @ v
        out = out.transpose(1, 2).reshape(b, n, d)
        return self.projection(out)


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        out = self.fc1(x)
        out = self.activation(out)
        out = self.dropout(out)
        out = self.fc2(out)
        out = self.dropout(out)
        return out


class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        num_patches = (img_size // patch_size) ** 2
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls_token = nn.Parameter(torch.randn(1, 1, emb_size))
        self.positions = nn.Parameter(torch.randn(num_patches + 1, emb_size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b = x.shape[0]
        x = self.patch_embedding(x)
        cls_tokens = self.cls_token.repeat(b, 1, 1)
        x = torch.cat([cls_tokens, x], dim=1)
        out = x + self.positions
        out = self.dropout(out)
        return out


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = PackedMultiHeadAttention(emb_size, num_heads)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion)

    def forward(self, x):
        residual = x
        out = self.norm1(x)
        out = self.attention(out)
        out = out + residual
        residual = out
        out = self.norm2(out)
        out = self.mlp(out)
        return out + residual


class Encoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, expansion=4):
        super().__init__()
        self.blocks = nn.Sequential(
            *[EncoderBlock(emb_size, num_heads, expansion) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(emb_size)

    def forward(self, x):
        return self.norm(self.blocks(x))


class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.pool = pool
        self.linear = nn.Linear(emb_size, num_classes)

    def forward(self, x):
        if self.pool == "cls":
            x = x[:, 0]
        else:
            x = x[:, 1:].mean(dim=1)
        return self.linear(x)


class ViT(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, depth=12,
                 num_heads=12, num_classes=1000, pool="cls"):
        super().__init__()
        self.embeddings = ViTEmbeddings(in_channels, patch_size, emb_size, img_size)
        self.encoder = Encoder(depth, emb_size, num_heads)
        self.head = ClassificationHead(emb_size, num_classes, pool)

    def forward(self, x):
        x = self.embeddings(x)
        x = self.encoder(x)
        return self.head(x)


def count_parameters(module):
    total = 0
    for p in module.parameters():
        total += p.numel()
    return total


if __name__ == "__main__":
    print(count_parameters(ViT()))
