"""Other right ways to write assignment 4."""

from grader.misconceptions import Variant

_CHECK = """
        for length in images.shape[2:]:
            if length % self.patch_size != 0:
                raise ValueError(f"{length} pixels, patches of {self.patch_size}")
"""

_ATTENTION_IN_PLACE = """
class Attention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(emb_size, emb_size * 3)
        self.att_drop = nn.Dropout(dropout)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        from einops import rearrange

        qkv = rearrange(self.qkv(x), "b n (h d qkv) -> qkv b h n d", h=self.num_heads, qkv=3)
        q, k, v = qkv[0], qkv[1], qkv[2]
        energy = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
            energy = energy.masked_fill(~mask, torch.finfo(energy.dtype).min)
        att = self.att_drop(energy.softmax(dim=-1))
        out = torch.einsum("bhal,bhlv->bhav", att, v)
        return self.projection(rearrange(out, "b h n d -> b n (h d)"))
"""

_BLOCKS = (
    Variant(
        id="block.sequential_as_in_the_notebook",
        target="EncoderBlock",
        source=f"""
{_ATTENTION_IN_PLACE}

class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


class EncoderBlock(nn.Sequential):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__(
            Residual(
                nn.Sequential(
                    nn.LayerNorm(emb_size),
                    Attention(emb_size, num_heads, dropout),
                    nn.Dropout(dropout),
                )
            ),
            Residual(
                nn.Sequential(
                    nn.LayerNorm(emb_size),
                    nn.Sequential(
                        nn.Linear(emb_size, expansion * emb_size),
                        nn.GELU(),
                        nn.Dropout(dropout),
                        nn.Linear(expansion * emb_size, emb_size),
                    ),
                    nn.Dropout(dropout),
                )
            ),
        )
""",
        earns=(
            "a4.block/shapes",
            "a4.block/outputs",
            "a4.block/wiring",
            "a4.block/modes",
            "a4.block/state",
            "a4.block/numerics",
            "a4.block/gradients",
        ),
    ),
    Variant(
        id="block.attention_in_place",
        target="EncoderBlock",
        source=f"""
{_ATTENTION_IN_PLACE}

class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(emb_size)
        self.attn = Attention(emb_size, num_heads, dropout)
        self.ln_2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x, mask=None):
        residual = x
        x = self.ln_1(x)
        x = residual + self.attn(x, mask)
        residual = x
        x = self.ln_2(x)
        return residual + self.mlp(x)
""",
        earns=("a4.block", "a4.encoder", "a4.vit"),
    ),
    Variant(
        id="block.everything_in_one_class",
        target="EncoderBlock",
        source="""
class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.heads, self.p = num_heads, dropout
        self.norm1, self.norm2 = nn.LayerNorm(emb_size), nn.LayerNorm(emb_size)
        self.to_q = nn.Linear(emb_size, emb_size)
        self.to_k = nn.Linear(emb_size, emb_size)
        self.to_v = nn.Linear(emb_size, emb_size)
        self.to_out = nn.Linear(emb_size, emb_size)
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)

    def drop(self, x):
        return nn.functional.dropout(x, self.p, self.training)

    def attend(self, x, mask):
        b, t, d = x.shape
        q, k, v = (
            layer(x).reshape(b, t, self.heads, -1).transpose(1, 2)
            for layer in (self.to_q, self.to_k, self.to_v)
        )
        scores = (q * q.shape[-1] ** -0.5) @ k.mT
        if mask is not None:
            if mask.ndim == 3:
                mask = mask.unsqueeze(1)
            scores = torch.where(mask, scores, float("-inf"))
        mixed = self.drop(scores.softmax(-1)) @ v
        return self.drop(self.to_out(mixed.transpose(1, 2).reshape(b, t, d)))

    def forward(self, x, mask=None):
        x = x + self.attend(self.norm1(x), mask)
        wide = nn.functional.gelu(self.fc1(self.norm2(x)))
        return x + self.drop(self.fc2(self.drop(wide)))
""",
        earns=("a4.block", "a4.encoder", "a4.vit"),
    ),
    Variant(
        id="block.other_epsilon",
        target="EncoderBlock.__init__",
        edits=(
            ("self.norm1 = nn.LayerNorm(emb_size)", "self.norm1 = nn.LayerNorm(emb_size, 1e-6)"),
            (
                "self.norm2 = nn.LayerNorm(emb_size)",
                "self.norm2 = nn.LayerNorm(emb_size, eps=1e-6)",
            ),
        ),
        earns=("a4.block",),
        mistakes=(100,),
    ),
    Variant(
        id="block.norm_by_hand",
        target="EncoderBlock",
        source="""
class Norm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return self.weight * centred * torch.rsqrt(variance + self.eps) + self.bias


class EncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = Norm(emb_size)
        self.attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = Norm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x, mask=None):
        for norm, branch, more in (
            (self.norm1, self.attention, (mask,)),
            (self.norm2, self.mlp, ()),
        ):
            x = torch.add(x, branch(norm(x), *more))
        return x
""",
        earns=("a4.block", "a4.encoder", "a4.vit"),
    ),
    Variant(
        id="post.functional",
        target="PostNormEncoderBlock",
        source="""
class PostNormEncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.width = emb_size
        self.attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.mlp = FeedForward(emb_size, expansion, dropout)
        self.norm1 = nn.LayerNorm(emb_size)
        self.norm2 = nn.LayerNorm(emb_size)

    def normed(self, x, norm):
        return nn.functional.layer_norm(x, (self.width,), norm.weight, norm.bias, 1e-5)

    def forward(self, x, mask=None):
        talked = self.normed(self.attention(x, mask=mask) + x, self.norm1)
        return self.normed(self.mlp(talked) + talked, self.norm2)
""",
    ),
    Variant(
        id="post.a_dictionary_of_parts",
        target="PostNormEncoderBlock",
        source="""
class PostNormEncoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict(
            {
                "attention": PackedMultiHeadAttention(emb_size, num_heads, dropout),
                "norm1": nn.LayerNorm(emb_size),
                "mlp": FeedForward(emb_size, expansion, dropout),
                "norm2": nn.LayerNorm(emb_size),
            }
        )
        self.after = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        part = self.parts
        x = part["norm1"](x + self.after(part["attention"](x, mask)))
        return part["norm2"](x + self.after(part["mlp"](x)))
""",
    ),
)

_ENCODERS = (
    Variant(
        id="encoder.blocks_in_a_sequential",
        target="Encoder",
        source="""
class Encoder(nn.Module):
    def __init__(
        self, depth, emb_size, num_heads, expansion=4, dropout=0.0, final_norm=True
    ):
        super().__init__()
        self.layers = nn.Sequential()
        for number in range(depth):
            block = EncoderBlock(emb_size, num_heads, expansion, dropout)
            self.layers.add_module(f"layer_{number}", block)
        self.ln_f = nn.LayerNorm(emb_size) if final_norm else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.ln_f is None else self.ln_f(x)
""",
        earns=("a4.encoder", "a4.vit"),
    ),
    Variant(
        id="encoder.reduced",
        target="Encoder.forward",
        source="""
    def forward(self, x, mask=None):
        from functools import reduce

        return self.norm(reduce(lambda tokens, block: block(tokens, mask), self.blocks, x))
""",
        earns=("a4.encoder", "a4.vit"),
    ),
    Variant(
        id="head.einops",
        target="ClassificationHead",
        source="""
class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.pool = pool
        self.classifier = nn.Linear(emb_size, num_classes)

    def forward(self, x):
        from einops import reduce

        tokens = x[:, :1] if self.pool == "cls" else x[:, 1:]
        return self.classifier(reduce(tokens, "b n d -> b d", "mean"))
""",
        earns=("a4.encoder", "a4.vit"),
    ),
    Variant(
        id="head.scores_before_pooling",
        target="ClassificationHead.forward",
        source="""
    def forward(self, x):
        scores = self.linear(x)
        if self.pool == "cls":
            return scores[:, 0]
        count = x.shape[1] - 1
        return (scores.sum(dim=1) - scores[:, 0]) / count
""",
        earns=("a4.encoder", "a4.vit"),
    ),
)

_WHOLE = (
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

VARIANTS = _BLOCKS + _ENCODERS + _WHOLE
