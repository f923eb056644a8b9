"""Other right ways to write a4.embeddings."""

# %% embeddings.einops_repeat
# earns: a4.embeddings, a4.vit
# no mistake: repeat_where_expand_would_do
from einops import repeat


class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        if img_size % patch_size:
            raise ValueError(f"an image of {img_size} cannot be cut into patches of {patch_size}")
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls_token = nn.Parameter(torch.randn(1, 1, emb_size))
        self.positions = nn.Parameter(torch.randn((img_size // patch_size) ** 2 + 1, emb_size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, images):
        x = self.patch_embedding(images)
        cls_tokens = repeat(self.cls_token, "() n e -> b n e", b=len(images))
        x = torch.cat([cls_tokens, x], dim=1)
        x += self.positions
        return self.dropout(x)


# %% embeddings.table_of_an_embedding
# earns: a4.embeddings, a4.vit
class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        if img_size % patch_size:
            raise ValueError(f"an image of {img_size} cannot be cut into patches of {patch_size}")
        tokens = (img_size // patch_size) ** 2 + 1
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.class_token = nn.Parameter(torch.zeros(emb_size))
        self.position_embedding = nn.Embedding(tokens, emb_size)
        self.register_buffer("position_ids", torch.arange(tokens), persistent=False)
        self.p = dropout

    def forward(self, images):
        x = self.patch_embedding(images)
        cls = self.class_token.repeat(x.shape[0], 1, 1)
        x = torch.hstack([cls, x]) + self.position_embedding(self.position_ids)
        return nn.functional.dropout(x, self.p, training=self.training)


# %% embeddings.two_tables
# earns: a4.embeddings, a4.vit
class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        if img_size % patch_size:
            raise ValueError(f"an image of {img_size} cannot be cut into patches of {patch_size}")
        self.class_position = nn.Parameter(torch.randn(1, 1, emb_size))
        self.class_token = nn.Parameter(torch.randn(1, 1, emb_size))
        self.patch_positions = nn.Parameter(torch.randn(1, (img_size // patch_size) ** 2, emb_size))
        self.patches = PatchEmbedding(in_channels, patch_size, emb_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, images):
        patches = self.patches(images) + self.patch_positions
        cls = (self.class_token + self.class_position).expand(len(patches), 1, patches.shape[-1])
        return self.drop(torch.cat((cls, patches), 1))


# %% embeddings.own_patches_and_written_into_place
# earns: a4.embeddings, a4.vit
class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        if img_size % patch_size:
            raise ValueError(f"an image of {img_size} cannot be cut into patches of {patch_size}")
        side = img_size // patch_size
        self.conv = nn.Conv2d(in_channels, emb_size, patch_size, stride=patch_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, emb_size))
        self.pos_embed = nn.Parameter(torch.zeros(1, side * side + 1, emb_size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, images):
        patches = self.conv(images).flatten(2).mT
        x = self.pos_embed.repeat(len(images), 1, 1)
        x[:, 1:] += patches
        x[:, :1] += self.cls_token
        return self.dropout(x)


# %% vit.positions_with_a_batch_axis
# target: ViTEmbeddings.__init__
# earns: a4.embeddings, a4.vit
def __init__(
    self,
    in_channels: int = 3,
    patch_size: int = 16,
    emb_size: int = 768,
    img_size: int = 224,
    dropout: float = 0.0,
) -> None:
    super().__init__()
    if img_size % patch_size != 0:
        raise ValueError(f"{img_size} pixels cannot be cut into patches of {patch_size}")
    num_patches = (img_size // patch_size) ** 2
    self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
    self.cls_token = nn.Parameter(torch.zeros(1, 1, emb_size))
    self.positions = nn.Parameter(torch.zeros(1, num_patches + 1, emb_size))
    self.dropout = nn.Dropout(p=dropout)
