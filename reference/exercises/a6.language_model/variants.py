"""Other right ways to write a6.language_model."""

# %% language_model.turned_when_read
class TextAttention(nn.Module):
    """Keeps keys as they were before turning, and turns all that are there by their places in the
    cache: only differences of positions count."""

    def __init__(self, emb_size, num_heads, num_kv_heads, window):
        super().__init__()
        if emb_size % num_heads or num_heads % num_kv_heads:
            raise ValueError(f"{emb_size}, {num_heads}, {num_kv_heads}")
        self.H, self.G, self.Dh, self.window = num_heads, num_kv_heads, emb_size // num_heads, window
        self.q_proj = nn.Linear(emb_size, emb_size)
        self.k_proj = nn.Linear(emb_size, self.G * self.Dh)
        self.v_proj = nn.Linear(emb_size, self.G * self.Dh)
        self.o_proj = nn.Linear(emb_size, emb_size)
        self.past = None

    def prefill(self, x):
        self.past = None
        return self.step(x)

    def step(self, x):
        b, t, d = x.shape
        new = torch.stack([self.k_proj(x), self.v_proj(x)]).view(2, b, t, self.G, self.Dh)
        kv = new if self.past is None else torch.cat([self.past, new], dim=2)
        self.past = kv.detach()[:, :, -self.window :]
        k, v = kv.transpose(2, 3)
        order = torch.arange(k.shape[2])
        q = apply_rope(self.q_proj(x).view(b, t, self.H, self.Dh).transpose(1, 2), order[-t:])
        k = apply_rope(k, order)
        q = q.view(b, self.G, self.H // self.G, t, self.Dh)
        scores = q @ k.unsqueeze(2).mT / self.Dh**0.5
        back = order[-t:, None] - order
        scores = scores.masked_fill((back < 0) | (back >= self.window), torch.finfo(x.dtype).min)
        mixed = (scores.softmax(-1) @ v.unsqueeze(2)).flatten(1, 2)
        return self.o_proj(mixed.transpose(1, 2).reshape(b, t, d))


# %% language_model.packed_and_never_dropped
class TextAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads, window):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{num_heads} heads in a width of {emb_size}")
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"{num_kv_heads} key heads for {num_heads} heads")
        self.num_heads, self.num_kv_heads, self.window = num_heads, num_kv_heads, window
        self.to_q = nn.Linear(emb_size, emb_size)
        self.to_kv = nn.Linear(emb_size, 2 * (emb_size // num_heads) * num_kv_heads)
        self.to_out = nn.Linear(emb_size, emb_size)
        self.chunks = []

    def forward(self, x):
        return self.prefill(x)

    def prefill(self, x):
        self.chunks = []
        return self.step(x)

    def step(self, x):
        from einops import rearrange, repeat

        old = sum(key.shape[2] for key, _ in self.chunks)
        place = torch.arange(old, old + x.shape[1])
        q = apply_rope(rearrange(self.to_q(x), "b t (h d) -> b h t d", h=self.num_heads), place)
        k, v = rearrange(self.to_kv(x), "b t (r g d) -> r b g t d", r=2, g=self.num_kv_heads)
        self.chunks.append((apply_rope(k, place), v))
        k, v = (torch.cat(parts, dim=2) for parts in zip(*self.chunks, strict=True))
        self.chunks = [(key.detach(), value.detach()) for key, value in self.chunks]
        share = self.num_heads // self.num_kv_heads
        k, v = (repeat(part, "b g t d -> b (g s) t d", s=share) for part in (k, v))
        scores = torch.einsum("bhid,bhjd->bhij", q * q.shape[-1] ** -0.5, k)
        band = torch.ones(scores.shape[-2:]).tril(old).triu(old - self.window + 1) > 0
        weights = scores.masked_fill(~band, float("-inf")).softmax(-1)
        return self.to_out(rearrange(weights @ v, "b h t d -> b t (h d)"))


# %% language_model.head_by_head
# target: TextAttention.step
def step(self, x):
    batch, tokens, width = x.shape
    size = width // self.num_heads
    place = torch.arange(self.seen, self.seen + tokens)
    keys, values, outputs = [], [], []
    for group in range(self.num_kv_heads):
        part = slice(group * size, (group + 1) * size)
        keys.append(apply_rope(self.W_key(x)[:, None, :, part], place))
        values.append(self.W_value(x)[:, None, :, part])
    keys, values = torch.cat(keys, 1), torch.cat(values, 1)
    if self.keys is not None:
        keys, values = torch.cat([self.keys, keys], 2), torch.cat([self.values, values], 2)
    self.keys, self.values = keys.detach(), values.detach()
    self.seen += tokens
    for head in range(self.num_heads):
        group = head * self.num_kv_heads // self.num_heads
        part = slice(head * size, (head + 1) * size)
        query = apply_rope(self.W_query(x)[:, None, :, part], place)[:, 0]
        rows = []
        for token in range(tokens):
            end = keys.shape[2] - tokens + token + 1
            seen = slice(max(end - self.window, 0), end)
            scores = query[:, token : token + 1] @ keys[:, group, seen].mT / size**0.5
            rows.append(scores.softmax(-1) @ values[:, group, seen])
        outputs.append(torch.cat(rows, 1))
    return self.out_proj(torch.cat(outputs, -1))


# %% language_model.one_loop_for_both
class LanguageModel(nn.Module):
    def __init__(self, vocab_size, emb_size, depth, num_heads, num_kv_heads, window):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, emb_size)
        self.layers = nn.ModuleList()
        for _ in range(depth):
            self.layers.append(LanguageModelBlock(emb_size, num_heads, num_kv_heads, window))
        self.ln_f = nn.LayerNorm(emb_size)
        self.lm_head = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens):
        return self.run(tokens, True)

    def prefill(self, tokens):
        return self.run(tokens, True)

    def step(self, tokens):
        return self.run(tokens, False)

    def run(self, tokens, start):
        x = self.tok_emb(tokens)
        for layer in self.layers:
            x = layer(x, start)
        return self.lm_head(self.ln_f(x))


# %% language_model.a_block_of_ones_own
class LanguageModel(nn.Module):
    class Layer(nn.Module):
        def __init__(self, emb_size, num_heads, num_kv_heads, window):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(emb_size), nn.LayerNorm(emb_size)
            self.attn = TextAttention(emb_size, num_heads, num_kv_heads, window)
            self.up, self.down = nn.Linear(emb_size, 4 * emb_size), nn.Linear(4 * emb_size, emb_size)

        def prefill(self, x):
            x = x + self.attn.prefill(self.ln_1(x))
            return x + self.down(nn.functional.gelu(self.up(self.ln_2(x))))

        def step(self, x):
            x = x + self.attn.step(self.ln_1(x))
            return x + self.down(nn.functional.gelu(self.up(self.ln_2(x))))

    def __init__(self, vocab_size, emb_size, depth, num_heads, num_kv_heads, window):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb_size)
        sizes = emb_size, num_heads, num_kv_heads, window
        self.layers = nn.Sequential(*(self.Layer(*sizes) for _ in range(depth)))
        self.ln, self.head = nn.LayerNorm(emb_size), nn.Linear(emb_size, vocab_size)

    def forward(self, tokens):
        return self.prefill(tokens)

    def prefill(self, tokens):
        x = self.emb(tokens)
        for layer in self.layers:
            x = layer.prefill(x)
        return self.head(self.ln(x))

    def step(self, tokens):
        x = self.emb(tokens)
        for layer in self.layers:
            x = layer.step(x)
        return self.head(self.ln(x))


# %% language_model.guided
# target: TextAttention.step
def step(self, x):
    places = torch.arange(self.seen, self.seen + x.shape[1], device=x.device)
    query = self.W_query(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
    key = self.W_key(x).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
    value = self.W_value(x).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
    query, key = apply_rope(query, places), apply_rope(key, places)
    self.seen = self.seen + x.shape[1]
    if self.keys is not None:
        key, value = torch.cat([self.keys, key], dim=2), torch.cat([self.values, value], dim=2)
    self.keys = key.detach()
    self.values = value.detach()
    behind = places[:, None] - torch.arange(self.seen, device=x.device)
    hidden = (behind < 0) | (behind >= self.window)
    share = self.num_heads // self.num_kv_heads
    key, value = key.repeat_interleave(share, dim=1), value.repeat_interleave(share, dim=1)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
    return self.out_proj((weights @ value).transpose(1, 2).flatten(2))


# %% language_model.angles_in_float32
# target: TextAttention.step
def step(self, x):
    """Computes angles in float32, which the text of `apply_rope` allows."""

    def turned(heads):
        half = torch.arange(0, heads.shape[-1], 2, device=x.device).float()
        angle = places.float()[:, None] * 10000.0 ** (-half / heads.shape[-1])
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        first, second = heads[..., 0::2], heads[..., 1::2]
        pairs = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(pairs, dim=-1).flatten(-2)

    places = torch.arange(self.seen, self.seen + x.shape[1], device=x.device)
    query = turned(self.W_query(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2))
    key = turned(self.W_key(x).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2))
    value = self.W_value(x).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
    self.seen = self.seen + x.shape[1]
    if self.keys is not None:
        key, value = torch.cat([self.keys, key], dim=2), torch.cat([self.values, value], dim=2)
    self.keys = key[:, :, -self.window :].detach()
    self.values = value[:, :, -self.window :].detach()
    behind = places[:, None] - torch.arange(self.seen - key.shape[2], self.seen, device=x.device)
    hidden = (behind < 0) | (behind >= self.window)
    share = self.num_heads // self.num_kv_heads
    key, value = key.repeat_interleave(share, dim=1), value.repeat_interleave(share, dim=1)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
    return self.out_proj((weights @ value).transpose(1, 2).flatten(2))
