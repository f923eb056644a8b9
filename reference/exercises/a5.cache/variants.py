"""Other right ways to write a5.cache."""

# %% cache.list_of_chunks
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


# %% cache.packed_under_other_names
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


# %% cache.place_prepared
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


# %% cache.token_by_token
# target: KVCacheAttention.step
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


# %% cache.stacked
class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"emb_size {emb_size}, num_heads {num_heads}")
        self.num_heads = num_heads
        self.c_attn = nn.Linear(emb_size, 3 * emb_size)
        self.c_proj = nn.Linear(emb_size, emb_size)
        self.past = None

    def prefill(self, x):
        return self._attend(x, None)

    def step(self, x):
        return self._attend(x, self.past)

    def _attend(self, x, past):
        batch, count, width = x.shape
        q, kv = self.c_attn(x).split([width, 2 * width], dim=-1)
        q = q.view(batch, count, self.num_heads, -1).transpose(1, 2)
        kv = kv.view(batch, count, 2, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        if past is not None:
            kv = torch.cat([past, kv], dim=3)
        self.past = kv.detach()
        k, v = kv
        total = k.shape[-2]
        seen = torch.ones(total, total, dtype=torch.bool).tril()[total - count :]
        scores = (q @ k.mT * k.shape[-1] ** -0.5).masked_fill(~seen, -torch.inf)
        mixed = scores.softmax(-1) @ v
        return self.c_proj(mixed.transpose(1, 2).reshape(batch, count, width))


# %% window.two_triangles
def sliding_window_attention(query, key, value, window):
    T = query.size(-2)
    band = torch.ones(T, T, device=query.device).tril().triu(1 - window)
    scores = torch.einsum("...id,...jd->...ij", query / query.size(-1) ** 0.5, key)
    weights = scores.masked_fill(band == 0, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return torch.einsum("...ij,...jd->...id", weights, value)


# %% window.token_by_token
def sliding_window_attention(query, key, value, window):
    rows = []
    for i in range(query.shape[-2]):
        seen = slice(max(0, i - window + 1), i + 1)
        scores = query[..., i : i + 1, :] @ key[..., seen, :].transpose(-1, -2)
        weights = torch.softmax(scores * query.shape[-1] ** -0.5, dim=-1)
        rows.append(weights @ value[..., seen, :])
    return torch.cat(rows, dim=-2)


# %% window.only_the_band
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


# %% cache.guided
# target: KVCacheAttention.step
def step(self, x):
    query = self.W_query(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
    key = self.W_key(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
    value = self.W_value(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
    if self.keys is not None:
        key = torch.cat([self.keys, key], dim=2)
        value = torch.cat([self.values, value], dim=2)
    self.keys = key.detach()
    self.values = value.detach()
    scores = query @ key.mT / query.shape[-1] ** 0.5
    future = torch.ones_like(scores, dtype=torch.bool).triu(key.shape[2] - x.shape[1] + 1)
    weights = torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
    return self.out_proj((weights @ value).transpose(1, 2).flatten(2))
