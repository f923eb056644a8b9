"""Other right ways to write assignment 4."""

from grader.misconceptions import Variant

_CHECK = """
        for length in images.shape[2:]:
            if length % self.patch_size != 0:
                raise ValueError(f"{length} pixels, patches of {self.patch_size}")
"""

VARIANTS = (
    Variant(
        id="patch.cut_and_multiply",
        target="PatchEmbedding",
        source=f"""
class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(patch_size * patch_size * in_channels, emb_size)

    def forward(self, images):
        {_CHECK.strip()}
        b, c, h, w = images.shape
        p = self.patch_size
        grid = images.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1)
        return self.projection(grid.reshape(b, (h // p) * (w // p), p * p * c))
""",
        earns=("a4.patch_embedding", "a4.vit"),
    ),
    Variant(
        id="patch.unfold_channels_first",
        target="PatchEmbedding",
        source=f"""
class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.linear = nn.Linear(in_channels * patch_size**2, emb_size)

    def forward(self, images):
        {_CHECK.strip()}
        p = self.patch_size
        return self.linear(nn.functional.unfold(images, kernel_size=p, stride=p).mT)
""",
        earns=("a4.patch_embedding", "a4.vit"),
    ),
    Variant(
        id="patch.einops_in_a_sequential",
        target="PatchEmbedding",
        source=f"""
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
        {_CHECK.strip()}
        return self.projection(images)
""",
        earns=("a4.patch_embedding", "a4.vit"),
    ),
    Variant(
        id="patch.one_after_the_other",
        target="PatchEmbedding",
        source=f"""
class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(in_channels * patch_size * patch_size, emb_size)

    def forward(self, images):
        {_CHECK.strip()}
        p = self.patch_size
        tokens = []
        for top in range(0, images.shape[2], p):
            for left in range(0, images.shape[3], p):
                patch = images[:, :, top : top + p, left : left + p]
                tokens.append(self.projection(patch.transpose(2, 3).flatten(1)))
        return torch.stack(tokens, dim=1)
""",
        earns=("a4.patch_embedding", "a4.vit"),
    ),
    Variant(
        id="patch.conversion_by_einops",
        target="conv_weight_from_linear",
        source="""
def conv_weight_from_linear(weight, in_channels, patch_size):
    from einops import rearrange

    return rearrange(weight, "d (r k c) -> d c r k", r=patch_size, c=in_channels)
""",
    ),
    Variant(
        id="vit.class_token_last_and_read_there",
        target="ViT.forward",
        source="""
    def forward(self, images):
        patches = self.embeddings.patch_embedding(images)
        cls = self.embeddings.cls_token.expand(len(images), -1, -1)
        tokens = self.encoder(torch.cat([patches, cls], dim=1) + self.embeddings.positions)
        if self.head.pool == "cls":
            return self.head.linear(tokens[:, -1])
        return self.head.linear(tokens[:, :-1].mean(1))
""",
    ),
    Variant(
        id="vit.positions_with_a_batch_axis",
        target="ViTEmbeddings",
        edits=(
            (
                "nn.Parameter(0.02 * torch.randn(num_patches + 1, emb_size))",
                "nn.Parameter(torch.zeros(1, num_patches + 1, emb_size))",
            ),
        ),
        earns=("a4.vit",),
    ),
    Variant(
        id="vit.tokens_column_by_column",
        target="PatchEmbedding",
        edits=(("grid.flatten(2)", "grid.transpose(2, 3).flatten(2)"),),
        earns=("a4.vit",),
    ),
    Variant(
        id="vit.other_packing",
        target="PackedMultiHeadAttention.forward",
        source="""
    def forward(self, x):
        from einops import rearrange

        qkv = rearrange(self.qkv(x), "b n (h d qkv) -> qkv b h n d", h=self.num_heads, qkv=3)
        q, k, v = qkv[0], qkv[1], qkv[2]
        energy = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
        out = torch.einsum("bhal,bhlv->bhav", energy.softmax(dim=-1), v)
        return self.projection(rearrange(out, "b h n d -> b n (h d)"))
""",
        earns=("a4.vit",),
    ),
    Variant(
        id="vit.other_epsilon",
        target="Encoder",
        edits=(
            (
                "self.norm = nn.LayerNorm(emb_size)",
                "self.norm = nn.LayerNorm(emb_size)\n"
                "        for layer in self.modules():\n"
                "            if isinstance(layer, nn.LayerNorm):\n"
                "                layer.eps = 1e-6",
            ),
        ),
        earns=("a4.vit",),
    ),
    Variant(
        id="vit.scaled_dot_product_by_hand",
        target="PackedMultiHeadAttention.forward",
        source="""
    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in (q, k, v))
        weights = (q * (d // self.num_heads) ** -0.5 @ k.mT).softmax(-1)
        return self.projection((self.dropout(weights) @ v).transpose(1, 2).flatten(2))
""",
        earns=("a4.vit",),
    ),
    Variant(
        id="vit.count_with_a_loop",
        target="count_parameters",
        source="""
def count_parameters(module):
    seen, total = set(), 0
    for parameter in module.parameters():
        if id(parameter) not in seen:
            seen.add(id(parameter))
            total += int(torch.tensor(parameter.shape).prod())
    return total
""",
    ),
)
