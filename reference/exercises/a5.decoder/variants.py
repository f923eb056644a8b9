"""Other right ways to write a5.decoder."""

# %% decoder.own_attention_for_both
class Attention(nn.Module):
    def __init__(self, width, heads, p):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width)
        self.v_proj = nn.Linear(width, width)
        self.o_proj = nn.Linear(width, width)
        self.drop = nn.Dropout(p)

    def forward(self, x, source, allowed=None):
        from einops import einsum, rearrange

        q, k, v = (
            rearrange(y, "b t (h d) -> b h t d", h=self.heads)
            for y in (self.q_proj(x), self.k_proj(source), self.v_proj(source))
        )
        scores = einsum(q, k, "b h i d, b h j d -> b h i j") / q.shape[-1] ** 0.5
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        weights = self.drop(torch.softmax(scores, -1).nan_to_num(0.0))
        mixed = einsum(weights, v, "b h i j, b h j d -> b h i d")
        return self.o_proj(rearrange(mixed, "b h t d -> b t (h d)"))


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.ln1, self.ln2, self.ln3 = (nn.LayerNorm(emb_size) for _ in range(3))
        self.self_attn = Attention(emb_size, num_heads, dropout)
        self.cross_attn = Attention(emb_size, num_heads, dropout)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x, memory, memory_mask=None):
        t = x.size(1)
        y = self.ln1(x)
        x = x + self.self_attn(y, y, torch.arange(t)[:, None] >= torch.arange(t))
        if memory_mask is not None:
            memory_mask = memory_mask[:, None, None]
        x = x + self.cross_attn(self.ln2(x), memory, memory_mask)
        return x + self.mlp(self.ln3(x))


# %% decoder.dropout_on_the_branches
class DecoderBlock(nn.Module):
    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.self_attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.cross_attention = CrossAttention(emb_size, emb_size, emb_size, num_heads)
        self.norm3 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)
        self.drop = nn.Dropout(dropout)
        steps = (self._look_back, self._look_over, self._think)
        self.steps = steps

    def _look_back(self, x, memory, mask):
        causal = torch.ones_like(x[0] @ x[0].T).tril().bool()
        return self.self_attention(self.norm1(x), causal)

    def _look_over(self, x, memory, mask):
        return self.cross_attention(self.norm2(x), memory, mask)

    def _think(self, x, memory, mask):
        return self.mlp(self.norm3(x))

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        for step in self.steps:
            x = x + self.drop(step(x, memory, memory_mask))
        return x


# %% decoder.cross_attention_packed
class Over(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(width, width)
        self.to_kv = nn.Linear(width, 2 * width)
        self.to_out = nn.Linear(width, width)

    def forward(self, x, memory, mask):
        b, t, d = x.shape
        q = self.to_q(x).reshape(b, t, self.heads, -1)
        k, v = self.to_kv(memory).reshape(b, -1, 2, self.heads, d // self.heads).unbind(2)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * (d // self.heads) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask[:, None, None, :]
        return self.to_out(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2))


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.self_attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.cross_attention = Over(emb_size, num_heads)
        self.norm3 = nn.LayerNorm(emb_size)
        self.mlp = nn.Sequential(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(expansion * emb_size, emb_size),
        )

    def forward(self, x, memory, memory_mask=None):
        later = torch.triu(torch.ones(x.size(1), x.size(1)), diagonal=1)
        seen = x + self.self_attention(self.norm1(x), later == 0)
        told = seen + self.cross_attention(self.norm2(seen), memory, memory_mask)
        return told + self.mlp(self.norm3(told))


# %% decoder.table_kept
class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.register_buffer("table", sinusoidal_positions(64, emb_size), persistent=False)
        self.blocks = nn.ModuleList([DecoderBlock(emb_size, num_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens, memory, memory_mask=None):
        if tokens.shape[-1] > len(self.table):
            self.table = sinusoidal_positions(2 * tokens.shape[-1], self.table.shape[1]).to(self.table)
        x = self.embedding(tokens) + self.table[: tokens.shape[-1]]
        for layer in self.blocks:
            x = layer(x, memory, memory_mask=memory_mask)
        return self.output(self.norm(x))


# %% decoder.guided
# target: DecoderBlock.forward
def forward(self, x, memory, memory_mask=None):
    length = x.shape[1]
    earlier = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
    own = self.self_attention(self.norm1(x), earlier)
    x = x + own
    other = self.cross_attention(self.norm2(x), memory, memory_mask)
    x = x + other
    return x + self.mlp(self.norm3(x))
