"""Other right ways to write assignment 5."""

from grader.misconceptions import Variant

VARIANTS = (
    # a5.positions
    Variant(
        id="positions.columns_filled",
        target="sinusoidal_positions",
        source="""
def sinusoidal_positions(T, dim):
    import math

    if dim % 2:
        raise ValueError(f"dim must be even, not {dim}")
    table = torch.zeros(T, dim)
    position = torch.arange(0, T).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    table[:, 0::2] = torch.sin(position * div_term)
    table[:, 1::2] = torch.cos(position * div_term)
    return table
""",
    ),
    Variant(
        id="positions.number_by_number",
        target="sinusoidal_positions",
        source="""
def sinusoidal_positions(T, dim):
    import math

    if dim % 2 == 1:
        raise ValueError("odd width: %d" % dim)

    def entry(p, column):
        angle = p / 10000 ** ((column - column % 2) / dim)
        return math.cos(angle) if column % 2 else math.sin(angle)

    return torch.tensor([[entry(p, column) for column in range(dim)] for p in range(T)])
""",
    ),
    Variant(
        id="positions.einops",
        target="sinusoidal_positions",
        source="""
def sinusoidal_positions(T, dim):
    from einops import einsum, rearrange

    if dim % 2:
        raise ValueError(f"{dim} is odd")
    frequency = torch.pow(torch.tensor(1e-4), torch.linspace(0, 1, dim // 2 + 1)[:-1])
    angle = einsum(torch.arange(T).float(), frequency, "t, i -> t i")
    pairs = rearrange([torch.sin(angle), torch.cos(angle)], "two t i -> t (i two)")
    return pairs.to(torch.get_default_dtype())
""",
    ),
    Variant(
        id="rope.complex_numbers",
        target="apply_rope",
        source="""
def apply_rope(x, positions, base=10000.0):
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    exponent = torch.arange(0, x.size(-1), 2).to(wide) / x.size(-1)
    angle = torch.outer(positions.to(wide.dtype), 1.0 / base**exponent)
    points = torch.view_as_complex(wide.reshape(*x.shape[:-1], -1, 2).contiguous())
    turned = points * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).reshape(x.shape).to(x.dtype)
""",
    ),
    Variant(
        id="rope.turned_copy",
        target="apply_rope",
        source="""
def apply_rope(x, positions, base=10000.0):
    dim = x.shape[-1]
    frequency = torch.tensor([base ** (-2 * i / dim) for i in range(dim // 2)])
    angle = (positions.float()[:, None] * frequency[None, :]).repeat_interleave(2, dim=-1)
    other = torch.empty_like(x)
    other[..., 0::2] = -x[..., 1::2]
    other[..., 1::2] = x[..., 0::2]
    turned = x * angle.cos() + other * angle.sin()
    return turned.type_as(x)
""",
    ),
    Variant(
        id="rope.matrix_for_each_pair",
        target="apply_rope",
        source="""
def apply_rope(x, positions, base=10000.0):
    from einops import rearrange

    i = torch.arange(x.shape[-1] // 2, dtype=torch.float32)
    angle = torch.einsum("t,i->ti", positions.float(), base ** (-2 * i / x.shape[-1]))
    rows = [angle.cos(), -angle.sin(), angle.sin(), angle.cos()]
    turn = rearrange(torch.stack(rows), "(m n) t i -> t i m n", m=2).to(x.dtype)
    pairs = rearrange(x, "b h t (i n) -> b h t i n", n=2)
    return rearrange(torch.einsum("timn,bhtin->bhtim", turn, pairs), "b h t i m -> b h t (i m)")
""",
    ),
    # a5.decoder
    Variant(
        id="decoder.own_attention_for_both",
        target="DecoderBlock",
        source="""
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
""",
    ),
    Variant(
        id="decoder.dropout_on_the_branches",
        target="DecoderBlock",
        edits=(
            (
                "        self.mlp = FeedForward(emb_size, expansion, dropout)",
                "        self.mlp = FeedForward(emb_size, expansion, dropout)\n"
                "        self.drop = nn.Dropout(dropout)\n"
                "        steps = (self._look_back, self._look_over, self._think)\n"
                "        self.steps = steps\n\n"
                "    def _look_back(self, x, memory, mask):\n"
                "        causal = torch.ones_like(x[0] @ x[0].T).tril().bool()\n"
                "        return self.self_attention(self.norm1(x), causal)\n\n"
                "    def _look_over(self, x, memory, mask):\n"
                "        return self.cross_attention(self.norm2(x), memory, mask)\n\n"
                "    def _think(self, x, memory, mask):\n"
                "        return self.mlp(self.norm3(x))",
            ),
            (
                "        tokens = x.shape[1]\n"
                "        causal = torch.ones(tokens, tokens, dtype=torch.bool, "
                "device=x.device).tril()\n"
                "        x = x + self.self_attention(self.norm1(x), causal)\n"
                "        x = x + self.cross_attention(self.norm2(x), memory, memory_mask)\n"
                "        x = x + self.mlp(self.norm3(x))\n",
                "        for step in self.steps:\n"
                "            x = x + self.drop(step(x, memory, memory_mask))\n",
            ),
        ),
    ),
    Variant(
        id="decoder.cross_attention_packed",
        target="DecoderBlock",
        source="""
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
""",
    ),
    Variant(
        id="decoder.table_kept",
        target="Decoder",
        source="""
class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.register_buffer("table", sinusoidal_positions(64, emb_size), persistent=False)
        self.blocks = nn.ModuleList([DecoderBlock(emb_size, num_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens, memory, memory_mask=None):
        x = self.embedding(tokens) + self.table[: tokens.shape[-1]]
        for layer in self.blocks:
            x = layer(x, memory, memory_mask=memory_mask)
        return self.output(self.norm(x))
""",
    ),
    # a5.cache
    Variant(
        id="cache.list_of_chunks",
        target="KVCacheAttention",
        source="""
class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        self.heads, self.head_dim = num_heads, emb_size // num_heads
        self.W_query, self.W_key = nn.Linear(emb_size, emb_size), nn.Linear(emb_size, emb_size)
        self.W_value, self.out_proj = nn.Linear(emb_size, emb_size), nn.Linear(emb_size, emb_size)
        self.cache = []

    def prefill(self, x):
        self.cache = []
        return self._attend(x)

    def step(self, x):
        with torch.no_grad():
            return self._attend(x)

    def _attend(self, x):
        from einops import einsum, rearrange

        def split(layer):
            return rearrange(layer(x), "b t (h d) -> b h t d", h=self.heads)

        self.cache.append((split(self.W_key), split(self.W_value)))
        k = torch.cat([key for key, _ in self.cache], dim=-2)
        v = torch.cat([value for _, value in self.cache], dim=-2)
        scores = einsum(split(self.W_query), k, "b h i d, b h j d -> b h i j")
        scores = scores / self.head_dim**0.5
        t, total = scores.shape[-2:]
        later = torch.ones(t, total, dtype=torch.bool).triu(total - t + 1)
        weights = scores.masked_fill(later, torch.finfo(scores.dtype).min).softmax(-1)
        mixed = einsum(weights, v, "b h i j, b h j d -> b h i d")
        return self.out_proj(rearrange(mixed, "b h t d -> b t (h d)"))
""",
    ),
    Variant(
        id="cache.packed_under_other_names",
        target="KVCacheAttention",
        source="""
class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{num_heads} heads in a width of {emb_size}")
        self.heads = num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.o_proj = nn.Linear(emb_size, emb_size)
        self.past = None

    def forward(self, x):
        return self.prefill(x)

    def prefill(self, x):
        self.past = x.new_zeros(2, len(x), self.heads, 0, x.shape[-1] // self.heads)
        return self.step(x)

    def step(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        kv = torch.cat([self.past, torch.stack([k, v])], dim=3)
        self.past = kv.detach()
        scores = q @ kv[0].mT / (d // self.heads) ** 0.5
        place = torch.arange(kv.shape[3])
        scores = scores + torch.zeros(t, kv.shape[3], dtype=x.dtype).masked_fill(
            place[None, :] > place[-t:, None], -torch.inf
        )
        return self.o_proj((scores.softmax(-1) @ kv[1]).transpose(1, 2).flatten(2))
""",
    ),
    Variant(
        id="cache.place_prepared",
        target="KVCacheAttention",
        source="""
class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError("heads do not divide the width: %d, %d" % (emb_size, num_heads))
        self.num_heads = num_heads
        self.W_query = nn.Linear(emb_size, emb_size)
        self.W_key = nn.Linear(emb_size, emb_size)
        self.W_value = nn.Linear(emb_size, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)
        self.register_buffer("room", None, persistent=False)
        self.used = 0

    def prefill(self, x):
        b, t, d = x.shape
        self.room = torch.empty(2, b, max(2 * t, 16), d, dtype=x.dtype, device=x.device)
        self.used = 0
        k, v = self._keep(x)
        return self._mix(x, k, v)

    def step(self, x):
        self._keep(x)
        return self._mix(x, *self.room[:, :, : self.used])

    def _keep(self, x):
        k, v = self.W_key(x), self.W_value(x)
        end = self.used + x.shape[1]
        if end > self.room.shape[2]:
            self.room = torch.cat([self.room, torch.empty_like(self.room)], dim=2)
            return self._keep(x)
        self.room[0, :, self.used : end] = k.detach()
        self.room[1, :, self.used : end] = v.detach()
        self.used = end
        return k, v

    def _mix(self, x, k, v):
        q = self.W_query(x)
        t, total = q.shape[1], k.shape[1]
        order = torch.arange(total)
        bias = torch.zeros(t, total, dtype=q.dtype)
        bias = bias.masked_fill(order > order[total - t :, None], float("-inf"))
        found = []
        for one in range(self.num_heads):
            width = q.shape[-1] // self.num_heads
            part = slice(one * width, (one + 1) * width)
            scores = q[..., part] @ k[..., part].mT / width**0.5
            found.append(torch.softmax(scores + bias, -1) @ v[..., part])
        return self.out_proj(torch.cat(found, -1))
""",
    ),
    Variant(
        id="cache.token_by_token",
        target="KVCacheAttention.step",
        source="""
    def step(self, x):
        b, t, d = x.shape

        def split(layer):
            return layer(x).reshape(b, t, self.num_heads, -1).permute(0, 2, 1, 3)

        q, k, v = split(self.W_query), split(self.W_key), split(self.W_value)
        old = 0 if self.keys is None else self.keys.shape[2]
        if old:
            k, v = torch.cat((self.keys, k), 2), torch.cat((self.values, v), 2)
        self.keys, self.values = k.detach(), v.detach()
        outputs = []
        for i in range(t):
            seen = old + i + 1
            scores = torch.einsum("bhd,bhjd->bhj", q[:, :, i], k[:, :, :seen])
            weights = (scores / q.shape[-1] ** 0.5).softmax(-1)
            outputs.append(torch.einsum("bhj,bhjd->bhd", weights, v[:, :, :seen]).flatten(1))
        return self.out_proj(torch.stack(outputs, 1))
""",
    ),
    Variant(
        id="window.two_triangles",
        target="sliding_window_attention",
        source="""
def sliding_window_attention(query, key, value, window):
    T = query.size(-2)
    band = torch.ones(T, T, device=query.device).tril().triu(1 - window)
    scores = torch.einsum("...id,...jd->...ij", query / query.size(-1) ** 0.5, key)
    weights = scores.masked_fill(band == 0, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return torch.einsum("...ij,...jd->...id", weights, value)
""",
    ),
    Variant(
        id="window.token_by_token",
        target="sliding_window_attention",
        source="""
def sliding_window_attention(query, key, value, window):
    rows = []
    for i in range(query.shape[-2]):
        seen = slice(max(0, i - window + 1), i + 1)
        scores = query[..., i : i + 1, :] @ key[..., seen, :].transpose(-1, -2)
        weights = torch.softmax(scores * query.shape[-1] ** -0.5, dim=-1)
        rows.append(weights @ value[..., seen, :])
    return torch.cat(rows, dim=-2)
""",
    ),
    Variant(
        id="window.only_the_band",
        target="sliding_window_attention",
        source="""
def sliding_window_attention(query, key, value, window):
    pad = torch.nn.functional.pad
    T = query.shape[-2]
    window = min(window, T)
    keys = pad(key, (0, 0, window - 1, 0)).unfold(-2, window, 1)
    values = pad(value, (0, 0, window - 1, 0)).unfold(-2, window, 1)
    scores = (query.unsqueeze(-1) * keys).sum(-2) / query.shape[-1] ** 0.5
    outside = torch.arange(T)[:, None] + torch.arange(window) < window - 1
    weights = scores.masked_fill(outside, -torch.inf).softmax(-1)
    return (values * weights.unsqueeze(-2)).sum(-1)
""",
    ),
    # a5.online
    Variant(
        id="online.by_logarithm",
        target="online_softmax",
        source="""
def online_softmax(chunks):
    level = torch.full(chunks[0].shape[:-1], -torch.inf, dtype=chunks[0].dtype)
    for chunk in chunks:
        level = torch.logaddexp(level, torch.logsumexp(chunk, dim=-1))
    empty = torch.isneginf(level)
    level = torch.where(empty, torch.zeros_like(level), level)
    return torch.cat([(chunk - level[..., None]).exp() for chunk in chunks], dim=-1)
""",
    ),
    Variant(
        id="online.shares_rescaled_on_the_way",
        target="online_softmax",
        source="""
def online_softmax(chunks):
    lowest = torch.finfo(chunks[0].dtype).min
    shares, m, l = [], None, None
    for c in chunks:
        top = c.max(dim=-1, keepdim=True).values.clamp(min=lowest)
        new = top if m is None else torch.max(m, top)
        p = torch.exp(c - new)
        if m is not None:
            factor = torch.exp(m - new)
            shares = [s * factor for s in shares]
            l = l * factor + p.sum(-1, keepdim=True)
        else:
            l = p.sum(-1, keepdim=True)
        m = new
        shares.append(p)
    l = torch.where(l > 0, l, torch.ones_like(l))
    return torch.cat([s / l for s in shares], -1)
""",
    ),
    Variant(
        id="online.two_passes",
        target="online_softmax",
        source="""
def online_softmax(chunks):
    peaks = torch.stack([chunk.amax(-1) for chunk in chunks], -1)
    m = peaks.amax(-1, keepdim=True)
    m = torch.where(m.isinf(), 0.0, m)
    powers = [torch.exp(chunk - m) for chunk in chunks]
    l = sum(power.sum(-1, keepdim=True) for power in powers)
    return torch.cat(powers, -1) / (l + (l == 0))
""",
    ),
    Variant(
        id="chunked.outputs_merged_by_logarithm",
        target="chunked_attention",
        source="""
def chunked_attention(query, key, value, block_size, mask=None):
    output, level = None, None
    begin = 0
    for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):
        scores = torch.einsum("...sd,...nd->...sn", query, k) / query.shape[-1] ** 0.5
        if mask is not None:
            if mask.shape[-1] == 1:
                part = mask
            else:
                part = mask[..., begin : begin + k.shape[-2]]
            scores = torch.where(part, scores, torch.tensor(-torch.inf, dtype=scores.dtype))
        begin += k.shape[-2]
        own = torch.logsumexp(scores, -1, keepdim=True)
        safe = torch.where(own.isneginf(), torch.zeros_like(own), own)
        mixed = torch.exp(scores - safe) @ v
        if output is None:
            output, level = mixed, own
        else:
            both = torch.logaddexp(level, own)
            base = torch.where(both.isneginf(), torch.zeros_like(both), both)
            output = output * torch.exp(level - base) + mixed * torch.exp(own - base)
            level = both
    return output
""",
    ),
    Variant(
        id="chunked.blocks_of_queries",
        target="chunked_attention",
        source="""
def chunked_attention(query, key, value, block_size, mask=None):
    S, L = query.size(-2), key.size(-2)
    rows = []
    for first in range(0, S, block_size):
        part = query[..., first : first + block_size, :]
        scores = part @ key.mT * part.size(-1) ** -0.5
        if mask is None:
            rows.append(scores.softmax(-1) @ value)
            continue
        allowed = mask if mask.dim() < 2 or mask.size(-2) == 1 else (
            mask[..., first : first + block_size, :]
        )
        allowed = allowed.expand_as(scores)
        some = allowed.any(-1, keepdim=True)
        scores = scores.masked_fill(~allowed & some, -torch.inf)
        rows.append((scores.softmax(-1) * some) @ value)
    return torch.cat(rows, dim=-2)
""",
    ),
    Variant(
        id="chunked.tiles",
        target="chunked_attention",
        source="""
def chunked_attention(query, key, value, block_size, mask=None):
    from einops import einsum

    S, L, Dh = query.shape[-2], key.shape[-2], query.shape[-1]
    if mask is not None:
        mask = torch.broadcast_to(mask, (*query.shape[:-1], L))
    low = torch.finfo(query.dtype).min
    found = []
    for i in range(0, S, block_size):
        q = query[..., i : i + block_size, :]
        m = torch.full_like(q[..., :1], low)
        l = torch.zeros_like(m)
        acc = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=value.dtype)
        for j in range(0, L, block_size):
            s = einsum(q, key[..., j : j + block_size, :], "... i d, ... j d -> ... i j")
            s = s / Dh**0.5
            allowed = None
            if mask is not None:
                allowed = mask[..., i : i + block_size, j : j + block_size]
                s = s.masked_fill(~allowed, low)
            new = torch.maximum(m, s.max(-1, keepdim=True)[0])
            p = (s - new).exp()
            if allowed is not None:
                p = p * allowed
            c = (m - new).exp()
            l, acc = l * c + p.sum(-1, True), acc * c + p @ value[..., j : j + block_size, :]
            m = new
        found.append(acc / torch.where(l == 0, torch.ones_like(l), l))
    return torch.cat(found, -2)
""",
    ),
)
