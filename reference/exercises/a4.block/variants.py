"""Other right ways to write a4.block."""

# %% block.sequential_as_in_the_notebook
# earns: a4.block/shapes, a4.block/outputs, a4.block/wiring, a4.block/modes, a4.block/state, a4.block/numerics, a4.block/gradients
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


# %% block.attention_in_place
# earns: a4.block, a4.encoder, a4.vit
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


# %% block.everything_in_one_class
# earns: a4.block, a4.encoder, a4.vit
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


# %% block.other_epsilon
# target: EncoderBlock.__init__
# earns: a4.block
# no mistake: LayerNorm_by_another_formula
def __init__(
    self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
) -> None:
    super().__init__()
    self.norm1 = nn.LayerNorm(emb_size, 1e-6)
    self.attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
    self.norm2 = nn.LayerNorm(emb_size, eps=1e-6)
    self.mlp = FeedForward(emb_size, expansion, dropout)


# %% block.norm_by_hand
# earns: a4.block, a4.encoder, a4.vit
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


# %% post.functional
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


# %% post.a_dictionary_of_parts
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
