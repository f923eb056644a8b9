"""Other right ways to write a4.encoder."""

# %% encoder.blocks_in_a_sequential
# earns: a4.encoder, a4.vit
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


# %% encoder.reduced
# target: Encoder.forward
# earns: a4.encoder, a4.vit
def forward(self, x, mask=None):
    from functools import reduce

    return self.norm(reduce(lambda tokens, block: block(tokens, mask), self.blocks, x))


# %% head.einops
# earns: a4.encoder, a4.vit
class ClassificationHead(nn.Module):
    def __init__(self, emb_size, num_classes, pool="cls"):
        super().__init__()
        self.pool = pool
        self.classifier = nn.Linear(emb_size, num_classes)

    def forward(self, x):
        from einops import reduce

        tokens = x[:, :1] if self.pool == "cls" else x[:, 1:]
        return self.classifier(reduce(tokens, "b n d -> b d", "mean"))


# %% head.scores_before_pooling
# target: ClassificationHead.forward
# earns: a4.encoder, a4.vit
def forward(self, x):
    scores = self.linear(x)
    if self.pool == "cls":
        return scores[:, 0]
    count = x.shape[1] - 1
    return (scores.sum(dim=1) - scores[:, 0]) / count


# %% vit.other_epsilon
# target: Encoder.__init__
# earns: a4.vit
def __init__(
    self,
    depth: int,
    emb_size: int,
    num_heads: int,
    expansion: int = 4,
    dropout: float = 0.0,
    final_norm: bool = True,
) -> None:
    super().__init__()
    blocks = [EncoderBlock(emb_size, num_heads, expansion, dropout) for _ in range(depth)]
    self.blocks = nn.ModuleList(blocks)
    self.norm = nn.LayerNorm(emb_size)
    for layer in self.modules():
        if isinstance(layer, nn.LayerNorm):
            layer.eps = 1e-6 if final_norm else nn.Identity()
