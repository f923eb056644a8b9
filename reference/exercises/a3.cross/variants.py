"""Other right ways to write a3.cross."""

# %% cross.keys_and_values_packed
class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        from einops.layers.torch import Rearrange

        if emb_size % num_heads:
            raise ValueError(f"{emb_size} / {num_heads} is not a whole number")
        self.heads = num_heads
        self.to_q = nn.Linear(query_dim, emb_size)
        self.to_kv = nn.Linear(memory_dim, 2 * emb_size)
        self.to_out = nn.Linear(emb_size, emb_size)
        self.split = Rearrange("b t (h d) -> b h t d", h=num_heads)

    def forward(self, x, memory, memory_mask=None):
        from einops import einsum, rearrange

        q = self.split(self.to_q(x))
        k, v = map(self.split, self.to_kv(memory).chunk(2, dim=-1))
        sim = einsum(q, k, "b h s d, b h l d -> b h s l") * q.shape[-1] ** -0.5
        if memory_mask is not None:
            seen = rearrange(memory_mask, "b l -> b 1 1 l")
            sim = sim.masked_fill(~seen, torch.finfo(sim.dtype).min)
            attn = sim.softmax(dim=-1) * seen
        else:
            attn = sim.softmax(dim=-1)
        found = einsum(attn, v, "b h s l, b h l d -> b h s d")
        return self.to_out(rearrange(found, "b h s d -> b s (h d)"))


# %% cross.tensordot
class General(nn.Module):
    def __init__(self, in_dim, feat_dim):
        super().__init__()
        self.weight = nn.Parameter(0.1 * torch.randn(*in_dim, *feat_dim))
        self.bias = nn.Parameter(torch.zeros(*feat_dim))

    def forward(self, x, dims):
        return torch.tensordot(x, self.weight, dims=dims) + self.bias


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"emb_size={emb_size}, num_heads={num_heads}")
        shape = (num_heads, emb_size // num_heads)
        self.query = General((query_dim,), shape)
        self.key = General((memory_dim,), shape)
        self.value = General((memory_dim,), shape)
        self.out = General(shape, (emb_size,))

    def forward(self, x, memory, memory_mask=None):
        q, k, v = self.query(x, 1), self.key(memory, 1), self.value(memory, 1)  # B . H Dh
        powers = torch.einsum("bshd,blhd->bhsl", q / q.shape[-1] ** 0.5, k)
        powers = powers - powers.amax(dim=-1, keepdim=True).detach()
        if memory_mask is None:
            weights = powers.exp()
        else:
            hidden = memory_mask.logical_not()[:, None, None]
            top = powers.masked_fill(hidden, -60000.0).amax(-1, keepdim=True).detach()
            weights = (powers - top).masked_fill(hidden, -60000.0).exp()
            weights = weights.masked_fill(hidden, 0.0)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / torch.where(total == 0, torch.ones_like(total), total)
        return self.out(torch.einsum("bhsl,blhd->bshd", weights, v), 2)


# %% cross.sample_by_sample
# target: CrossAttention.forward
def forward(self, x, memory, memory_mask=None):
    queries, keys, values = self.W_query(x), self.W_key(memory), self.W_value(memory)
    found = []
    for sample in range(x.shape[0]):
        q, k, v = queries[sample], keys[sample], values[sample]
        if memory_mask is not None:
            k, v = k[memory_mask[sample]], v[memory_mask[sample]]
        heads = []
        parts = (part.chunk(self.num_heads, dim=-1) for part in (q, k, v))
        for one, other, said in zip(*parts):
            weights = (one @ other.mT / one.shape[-1] ** 0.5).softmax(-1)
            heads.append(weights @ said)
        found.append(torch.cat(heads, dim=-1))
    return self.out_proj(torch.stack(found))


# %% cross.by_the_function_of_assignment_1
# target: CrossAttention.forward
def forward(self, x, memory, memory_mask=None):
    from a1_attention import scaled_dot_product_attention

    def by_head(tokens):
        return tokens.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

    maps = by_head(self.W_query(x)), by_head(self.W_key(memory)), by_head(self.W_value(memory))
    if memory_mask is not None:
        memory_mask = memory_mask.view(len(memory), 1, 1, -1)
    found, _ = scaled_dot_product_attention(*maps, memory_mask)
    return self.out_proj(found.transpose(1, 2).flatten(2))


# %% cross.a_map_for_each_head
class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        width = emb_size // num_heads
        if width * num_heads != emb_size:
            raise ValueError(f"{num_heads} heads of one width make no {emb_size}")

        def maps(d_in):
            return nn.ModuleList([nn.Linear(d_in, width) for _ in range(num_heads)])

        self.queries, self.keys, self.values = maps(query_dim), maps(memory_dim), maps(memory_dim)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, memory, memory_mask=None):
        found = []
        for query, key, value in zip(self.queries, self.keys, self.values):
            scores = query(x) @ key(memory).transpose(1, 2)
            scores = scores / query.out_features**0.5
            if memory_mask is not None:
                scores = torch.where(memory_mask.unsqueeze(1), scores, -torch.inf)
            found.append(scores.softmax(dim=2).nan_to_num() @ value(memory))
        return self.out_proj(torch.cat(found, dim=2))


# %% cross.bare_keys_and_values_in_one
class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{num_heads} heads do not fit into {emb_size}")
        self.num_heads = num_heads
        self.w_q = nn.Parameter(torch.randn(query_dim, emb_size) * 0.1)
        self.b_q = nn.Parameter(torch.zeros(emb_size))
        self.w_kv = nn.Parameter(torch.randn(memory_dim, 2 * emb_size) * 0.1)
        self.b_kv = nn.Parameter(torch.zeros(2 * emb_size))
        self.w_o = nn.Parameter(torch.randn(emb_size, emb_size) * 0.1)
        self.b_o = nn.Parameter(torch.zeros(emb_size))

    def forward(self, x, memory, memory_mask=None):
        heads = self.num_heads
        q = (x @ self.w_q + self.b_q).unflatten(-1, (heads, -1)).transpose(1, 2)
        kv = (memory @ self.w_kv + self.b_kv).unflatten(-1, (2, heads, -1))
        k, v = kv.permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if memory_mask is None:
            weights = scores.softmax(-1)
        else:
            seen = memory_mask[:, None, None, :]
            hidden = ~seen & seen.any(-1, keepdim=True)
            weights = scores.masked_fill(hidden, -torch.inf).softmax(-1) * seen
        return (weights @ v).transpose(1, 2).flatten(2) @ self.w_o + self.b_o
