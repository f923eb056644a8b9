"""Other right ways to write a4.patch_embedding."""

# %% patch.cut_and_multiply
# earns: a4.patch_embedding, a4.embeddings, a4.vit
class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(patch_size * patch_size * in_channels, emb_size)

    def forward(self, images):
        for length in images.shape[2:]:
            if length % self.patch_size != 0:
                raise ValueError(f"{length} pixels, patches of {self.patch_size}")
        b, c, h, w = images.shape
        p = self.patch_size
        grid = images.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1)
        return self.projection(grid.reshape(b, (h // p) * (w // p), p * p * c))


# %% patch.unfold_channels_first
# earns: a4.patch_embedding, a4.embeddings, a4.vit
class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.linear = nn.Linear(in_channels * patch_size**2, emb_size)

    def forward(self, images):
        for length in images.shape[2:]:
            if length % self.patch_size != 0:
                raise ValueError(f"{length} pixels, patches of {self.patch_size}")
        p = self.patch_size
        return self.linear(nn.functional.unfold(images, kernel_size=p, stride=p).mT)


# %% patch.einops_in_a_sequential
# earns: a4.patch_embedding, a4.embeddings, a4.vit
from einops.layers.torch import Rearrange


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Sequential(
            nn.Conv2d(in_channels, emb_size, kernel_size=patch_size, stride=patch_size),
            Rearrange("b e (h) (w) -> b (h w) e"),
        )

    def forward(self, images):
        for length in images.shape[2:]:
            if length % self.patch_size != 0:
                raise ValueError(f"{length} pixels, patches of {self.patch_size}")
        return self.projection(images)


# %% patch.one_after_the_other
# earns: a4.patch_embedding, a4.embeddings, a4.vit
class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(in_channels * patch_size * patch_size, emb_size)

    def forward(self, images):
        for length in images.shape[2:]:
            if length % self.patch_size != 0:
                raise ValueError(f"{length} pixels, patches of {self.patch_size}")
        p = self.patch_size
        tokens = []
        for top in range(0, images.shape[2], p):
            for left in range(0, images.shape[3], p):
                patch = images[:, :, top : top + p, left : left + p]
                tokens.append(self.projection(patch.transpose(2, 3).flatten(1)))
        return torch.stack(tokens, dim=1)


# %% patch.conversion_by_einops
def conv_weight_from_linear(weight, in_channels, patch_size):
    from einops import rearrange

    return rearrange(weight, "d (r k c) -> d c r k", r=patch_size, c=in_channels)


# %% vit.tokens_column_by_column
# target: PatchEmbedding.forward
# earns: a4.vit
def forward(self, images: torch.Tensor) -> torch.Tensor:
    for length in images.shape[2:]:
        if length % self.patch_size != 0:
            raise ValueError(f"{length} pixels cannot be cut into patches of {self.patch_size}")
    grid = self.projection(images)  # B D H/P W/P
    tokens: torch.Tensor = grid.transpose(2, 3).flatten(2).transpose(1, 2)  # B N D
    return tokens
