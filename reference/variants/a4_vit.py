"""Other right ways to write assignment 4."""

from grader.misconceptions import Variant

_CHECK = """
        for length in images.shape[2:]:
            if length % self.patch_size != 0:
                raise ValueError(f"{length} pixels, patches of {self.patch_size}")
"""

_DIVISIBLE = """
        if img_size % patch_size:
            raise ValueError(f"an image of {img_size} cannot be cut into patches of {patch_size}")
"""

_OWN = (
    Variant(
        id="patchify.einops",
        target="patchify",
        source="""
from einops import rearrange


def patchify(images, patch_size):
    for side in images.shape[-2:]:
        if side % patch_size:
            raise ValueError(f"{side} is no multiple of {patch_size}")
    p = patch_size
    return rearrange(images, "b c (h s1) (w s2) -> b (h w) (s1 s2 c)", s1=p, s2=p)
""",
    ),
    Variant(
        id="patchify.unfold",
        target="patchify",
        source="""
def patchify(images, patch_size):
    b, c, h, w = images.shape
    if h % patch_size or w % patch_size:
        raise ValueError(f"image of {h} x {w}, patches of {patch_size}")
    columns = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return torch.einsum("bchwrs->bhwrsc", columns).reshape(b, -1, patch_size**2 * c)
""",
    ),
    Variant(
        id="patchify.one_after_the_other",
        target="patchify",
        source="""
def patchify(images, patch_size):
    b, c, h, w = images.shape
    if h % patch_size != 0 or w % patch_size != 0:
        raise ValueError(f"({h}, {w}) cannot be cut into patches of {patch_size}")
    patches = []
    for top in range(0, h, patch_size):
        for left in range(0, w, patch_size):
            patch = images[:, :, top : top + patch_size, left : left + patch_size]
            patches.append(patch.permute(0, 2, 3, 1).flatten(1))
    return torch.stack(patches, dim=1)
""",
    ),
    Variant(
        id="unpatchify.einops",
        target="unpatchify",
        source="""
from einops import rearrange


def unpatchify(patches, patch_size, height, width):
    p = patch_size
    if height % p or width % p:
        raise ValueError(f"{height} x {width} pixels, patches of {p}")
    h, w = height // p, width // p
    if patches.shape[1] != h * w:
        raise ValueError(f"{patches.shape[1]} patches for a grid of {h} x {w} = {h * w}")
    return rearrange(patches, "b (h w) (r s c) -> b c (h r) (w s)", h=h, w=w, r=p, s=p)
""",
    ),
    Variant(
        id="unpatchify.fold",
        target="unpatchify",
        source="""
def unpatchify(patches, patch_size, height, width):
    b, n, numbers = patches.shape
    if height % patch_size or width % patch_size:
        raise ValueError(f"{height} x {width} pixels, patches of {patch_size}")
    wanted = height // patch_size * (width // patch_size)
    if n != wanted:
        raise ValueError(f"{n} patches where {wanted} are needed")
    columns = patches.reshape(b, n, patch_size**2, -1).permute(0, 3, 2, 1).reshape(b, numbers, n)
    return nn.functional.fold(columns, (height, width), patch_size, stride=patch_size)
""",
    ),
    Variant(
        id="unpatchify.one_after_the_other",
        target="unpatchify",
        source="""
def unpatchify(patches, patch_size, height, width):
    p = patch_size
    if height % p != 0 or width % p != 0:
        raise ValueError(f"({height}, {width}) is no multiple of {p}")
    rows, columns = height // p, width // p
    if rows * columns != len(patches[0]):
        raise ValueError(f"expected {rows * columns} patches, got {len(patches[0])}")
    pieces = [patch.unflatten(1, (p, p, -1)).permute(0, 3, 1, 2) for patch in patches.unbind(1)]
    lines = [torch.cat(pieces[i * columns : (i + 1) * columns], dim=3) for i in range(rows)]
    return torch.cat(lines, dim=2)
""",
    ),
    Variant(
        id="embeddings.einops_repeat",
        target="ViTEmbeddings",
        source=f"""
from einops import repeat


class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        {_DIVISIBLE.strip()}
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
""",
        earns=("a4.embeddings", "a4.vit"),
        mistakes=(94,),
    ),
    Variant(
        id="embeddings.table_of_an_embedding",
        target="ViTEmbeddings",
        source=f"""
class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        {_DIVISIBLE.strip()}
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
""",
        earns=("a4.embeddings", "a4.vit"),
    ),
    Variant(
        id="embeddings.two_tables",
        target="ViTEmbeddings",
        source=f"""
class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        {_DIVISIBLE.strip()}
        self.class_position = nn.Parameter(torch.randn(1, 1, emb_size))
        self.class_token = nn.Parameter(torch.randn(1, 1, emb_size))
        self.patch_positions = nn.Parameter(torch.randn(1, (img_size // patch_size) ** 2, emb_size))
        self.patches = PatchEmbedding(in_channels, patch_size, emb_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, images):
        patches = self.patches(images) + self.patch_positions
        cls = (self.class_token + self.class_position).expand(len(patches), 1, patches.shape[-1])
        return self.drop(torch.cat((cls, patches), 1))
""",
        earns=("a4.embeddings", "a4.vit"),
    ),
    Variant(
        id="embeddings.own_patches_and_written_into_place",
        target="ViTEmbeddings",
        source=f"""
class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        {_DIVISIBLE.strip()}
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
""",
        earns=("a4.embeddings", "a4.vit"),
    ),
    Variant(
        id="sincos.columns_in_another_order",
        target="sincos_2d",
        source="""
def sincos_2d(height, width, dim):
    import math

    if dim % 4:
        raise ValueError(f"dim must be a multiple of 4, got {dim}")
    rows = []
    for y in range(height):
        for x in range(width):
            row = []
            for i in range(dim // 4):
                omega = 1 / 10000 ** (4 * i / dim)
                row += [math.sin(x * omega), math.sin(y * omega)]
                row += [math.cos(y * omega), math.cos(x * omega)]
            rows.append(row)
    return torch.tensor(rows)
""",
    ),
    Variant(
        # As big_vision has it: x first, and frequencies by a quotient.
        id="sincos.by_outer_products",
        target="sincos_2d",
        source="""
def sincos_2d(height, width, dim):
    if dim % 4 != 0:
        raise ValueError(f"{dim} is no multiple of 4")
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    omega = torch.arange(dim // 4, dtype=torch.float64) / (dim // 4)
    omega = 1.0 / (10_000.0**omega)
    y = torch.einsum("m,d->md", y.flatten().double(), omega)
    x = torch.einsum("m,d->md", x.flatten().double(), omega)
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], dim=1).float()
""",
    ),
    Variant(
        id="sincos.interleaved",
        target="sincos_2d",
        source="""
def _axis(count, dim):
    table = torch.zeros(count, dim)
    angles = torch.arange(count)[:, None] * torch.exp(
        torch.arange(0, dim, 2) * (-torch.log(torch.tensor(10000.0)) / dim)
    )
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


def sincos_2d(height, width, dim):
    if dim % 4:
        raise ValueError(f"{dim} % 4 is not 0")
    rows = _axis(height, dim // 2).repeat_interleave(width, dim=0)
    columns = _axis(width, dim // 2).repeat(height, 1)
    return torch.cat([rows, columns], dim=1)
""",
    ),
    Variant(
        id="interpolate.bilinear_with_aligned_corners",
        target="interpolate_positions",
        edits=(('mode="bicubic", align_corners=False', 'mode="bilinear", align_corners=True'),),
    ),
    Variant(
        # As timm has it.
        id="interpolate.smoothed",
        target="interpolate_positions",
        source="""
from einops import rearrange


def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    batched = positions if positions.dim() == 3 else positions.unsqueeze(0)
    prefix, rest = batched[:, :num_prefix], batched[:, num_prefix:]
    rest = rearrange(rest, "b (h w) d -> b d h w", h=old_grid[0])
    rest = nn.functional.interpolate(
        rest.float(), size=list(new_grid), mode="bicubic", antialias=True
    ).to(positions.dtype)
    out = torch.cat([prefix, rearrange(rest, "b d h w -> b (h w) d")], dim=1)
    return out if positions.dim() == 3 else out[0]
""",
    ),
    Variant(
        id="interpolate.by_matrices",
        target="interpolate_positions",
        source="""
def _weights(old, new, like):
    place = ((torch.arange(new) + 0.5) * old / new - 0.5).clamp(0, old - 1)
    distance = (place[:, None] - torch.arange(old)).abs()
    return (1 - distance).clamp(min=0).to(like.dtype)


def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    lead, d = positions.shape[:-2], positions.shape[-1]
    table = positions.reshape(-1, d)
    grid = table[num_prefix:].reshape(*old_grid, d)
    rows = _weights(old_grid[0], new_grid[0], table)
    columns = _weights(old_grid[1], new_grid[1], table)
    grid = torch.einsum("ah,bw,hwd->abd", rows, columns, grid)
    return torch.cat([table[:num_prefix], grid.flatten(0, 1)]).reshape(*lead, -1, d)
""",
    ),
    Variant(
        id="interpolate.number_by_number",
        target="interpolate_positions",
        source="""
def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    if tuple(old_grid) == tuple(new_grid):
        return positions.clone()
    table = positions if positions.ndim == 2 else positions[0]
    grid = table[num_prefix:].unflatten(0, tuple(old_grid))
    rows = [table[i] for i in range(num_prefix)]
    for y in range(new_grid[0]):
        v = y * (old_grid[0] - 1) / max(new_grid[0] - 1, 1)
        top = min(int(v), old_grid[0] - 2) if old_grid[0] > 1 else 0
        down = min(top + 1, old_grid[0] - 1)
        for x in range(new_grid[1]):
            u = x * (old_grid[1] - 1) / max(new_grid[1] - 1, 1)
            left = min(int(u), old_grid[1] - 2) if old_grid[1] > 1 else 0
            right = min(left + 1, old_grid[1] - 1)
            above = grid[top, left] * (1 - (u - left)) + grid[top, right] * (u - left)
            below = grid[down, left] * (1 - (u - left)) + grid[down, right] * (u - left)
            rows.append(above * (1 - (v - top)) + below * (v - top))
    out = torch.stack(rows)
    return out if positions.ndim == 2 else out[None]
""",
    ),
    Variant(
        id="residual.torch_add",
        target="ResidualAdd",
        source="""
class ResidualAdd(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x, *args, **kwargs):
        return torch.add(self.block(x, *args, **kwargs), x)
""",
    ),
    Variant(
        id="residual.keeps_the_input",
        target="ResidualAdd",
        source="""
class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        if isinstance(fn, nn.Module):
            self.add_module("branch", fn)
        else:
            self.branch = fn

    def forward(self, x, **kwargs):
        res = x
        x = self.branch(x, **kwargs)
        x = x + res
        return x
""",
    ),
    Variant(
        id="residual.sum_of_a_stack",
        target="ResidualAdd",
        source="""
class ResidualAdd(nn.ModuleList):
    def __init__(self, fn):
        super().__init__([fn] if isinstance(fn, nn.Module) else [])
        self.function = None if isinstance(fn, nn.Module) else fn

    def forward(self, x, **kwargs):
        fn = self[0] if self.function is None else self.function
        return torch.stack([x, fn(x, **kwargs)]).sum(dim=0)
""",
    ),
    Variant(
        # As notebook 003 has it, with the second dropout that it lacks.
        id="mlp.sequential",
        target="FeedForward",
        source="""
class FeedForward(nn.Sequential):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(expansion * emb_size, emb_size),
            nn.Dropout(dropout),
        )
""",
        earns=("a4.mlp", "a4.vit"),
    ),
    Variant(
        # As notebook 004 has it, without what it has too much.
        id="mlp.dropout_where_there_is_some",
        target="FeedForward",
        source="""
class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc_1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc_2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout_1 = nn.Dropout(dropout) if dropout > 0 else None
        self.dropout_2 = nn.Dropout(dropout) if dropout > 0 else None

    def forward(self, x):
        out = self.activation(self.fc_1(x))
        if self.dropout_1:
            out = self.dropout_1(out)
        out = self.fc_2(out)
        if self.dropout_2:
            out = self.dropout_2(out)
        return out
""",
        earns=("a4.mlp", "a4.vit"),
    ),
    Variant(
        id="mlp.by_erf_and_bernoulli",
        target="FeedForward",
        source="""
class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.up = nn.Linear(emb_size, emb_size * expansion)
        self.down = nn.Linear(emb_size * expansion, emb_size)
        self.rate = dropout

    def drop(self, x):
        if not self.training or self.rate == 0:
            return x
        return x * torch.empty_like(x).bernoulli_(1 - self.rate) / (1 - self.rate)

    def forward(self, x):
        h = torch.einsum("wd,...d->...w", self.up.weight, x) + self.up.bias
        h = self.drop(h * 0.5 * (1 + torch.erf(h / 2**0.5)))
        return self.drop(torch.einsum("dw,...w->...d", self.down.weight, h) + self.down.bias)
""",
        earns=("a4.mlp", "a4.vit"),
    ),
)

_ROLLOUT = (
    Variant(
        id="rollout.recursive",
        target="attention_rollout",
        source="""
def attention_rollout(weights, head_fusion="mean", discard_ratio=0.0):
    *before, layer = weights
    if head_fusion == "mean":
        a = layer.mean(1)
    elif head_fusion == "max":
        a = layer.max(dim=1)[0]
    elif head_fusion == "min":
        a = layer.min(dim=1)[0]
    else:
        raise ValueError(f"unknown fusion {head_fusion}")
    b, t, _ = a.shape
    count = int(t * t * discard_ratio)
    a = a.clone()
    for sample in range(b):
        _, indices = a[sample].reshape(-1).topk(count, largest=False)
        for index in indices.tolist():
            if index % t != 0:
                a[sample, index // t, index % t] = 0
    a = a + torch.eye(t).to(a)
    a = a / a.sum(-1, keepdim=True)
    return a if not before else a @ attention_rollout(before, head_fusion, discard_ratio)
""",
    ),
    Variant(
        id="rollout.einsum_and_threshold",
        target="attention_rollout",
        source="""
import functools


def _fuse(stack, how):
    from einops import reduce

    if how not in ("mean", "max", "min"):
        raise ValueError(f"fusion must be mean, max or min: {how}")
    return reduce(stack, "l b h i j -> l b i j", how)


def attention_rollout(weights, head_fusion="mean", discard_ratio=0.0):
    maps = _fuse(torch.stack(list(weights)), head_fusion)
    t = maps.shape[-1]
    count = int(discard_ratio * t * t)
    if count > 0:
        least = maps.flatten(2).sort(dim=-1).values[..., count - 1]
        keep = maps > least[..., None, None]
        keep[..., 0] = True
        maps = torch.where(keep, maps, torch.zeros_like(maps))
    maps = 0.5 * maps + 0.5 * torch.eye(t, dtype=maps.dtype)
    maps = nn.functional.normalize(maps, p=1, dim=-1)
    return functools.reduce(lambda done, one: torch.einsum("bij,bjk->bik", one, done), maps)
""",
    ),
    Variant(
        id="rollout.picture_by_reshape",
        target="rollout_to_patches",
        source="""
def rollout_to_patches(rollout, grid):
    h, w = grid
    return rollout.narrow(2, 1, h * w).select(1, 0).reshape(-1, h, w)
""",
    ),
    Variant(
        id="rollout.picture_by_einops",
        target="rollout_to_patches",
        source="""
from einops import rearrange


def rollout_to_patches(rollout, grid):
    return rearrange(rollout[:, 0][:, 1:], "b (h w) -> b h w", h=grid[0], w=grid[1])
""",
    ),
)

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
        earns=("a4.patch_embedding", "a4.embeddings", "a4.vit"),
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
        earns=("a4.patch_embedding", "a4.embeddings", "a4.vit"),
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
        earns=("a4.patch_embedding", "a4.embeddings", "a4.vit"),
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
        earns=("a4.patch_embedding", "a4.embeddings", "a4.vit"),
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
        earns=("a4.embeddings", "a4.vit"),
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

VARIANTS = _OWN + _ROLLOUT + _BLOCKS + _ENCODERS + _WHOLE
