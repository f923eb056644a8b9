"""Other right ways to write a3.gqa."""

# %% gqa.groups_as_an_axis
# target: GroupedQueryAttention.forward
def forward(self, x, mask=None):
    from einops import einsum, rearrange

    groups = self.num_kv_heads
    q = rearrange(
        self.W_query(x), "b t (g r d) -> b g r t d", g=groups, r=self.num_heads // groups
    )
    k = rearrange(self.W_key(x), "b t (g d) -> b g t d", g=groups)
    v = rearrange(self.W_value(x), "b t (g d) -> b g t d", g=groups)
    scores = einsum(q, k, "b g r i d, b g j d -> b g r i j") / q.shape[-1] ** 0.5
    flat = rearrange(scores, "b g r i j -> b (g r) i j")
    if mask is not None:
        mask = mask[:, None] if mask.ndim == 3 else mask
        flat = flat.masked_fill(~mask, torch.finfo(flat.dtype).min)
    weights = flat.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    weights = rearrange(weights, "b (g r) i j -> b g r i j", g=groups)
    found = einsum(weights, v, "b g r i j, b g j d -> b g r i d")
    return self.out_proj(rearrange(found, "b g r t d -> b t (g r d)"))


# %% gqa.repeated_under_other_names
def repeat_kv(x, n_rep):
    b, t, groups, d = x.shape
    if n_rep == 1:
        return x
    return x[:, :, :, None, :].expand(b, t, groups, n_rep, d).reshape(b, t, groups * n_rep, d)


class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        for large, small in ((emb_size, num_heads), (num_heads, num_kv_heads)):
            if large % small:
                raise ValueError(f"{small} does not divide {large}")
        self.n_heads, self.n_kv_heads = num_heads, num_kv_heads
        self.head_dim = emb_size // num_heads
        self.wq = nn.Linear(emb_size, num_heads * self.head_dim)
        self.wk = nn.Linear(emb_size, num_kv_heads * self.head_dim)
        self.wv = nn.Linear(emb_size, num_kv_heads * self.head_dim)
        self.wo = nn.Linear(num_heads * self.head_dim, emb_size)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        xq = self.wq(x).view(b, t, self.n_heads, self.head_dim)
        xk = self.wk(x).view(b, t, self.n_kv_heads, self.head_dim)
        xv = self.wv(x).view(b, t, self.n_kv_heads, self.head_dim)
        n_rep = self.n_heads // self.n_kv_heads
        keys, values = repeat_kv(xk, n_rep), repeat_kv(xv, n_rep)
        xq, keys, values = (each.transpose(1, 2) for each in (xq, keys, values))
        scores = torch.matmul(xq, keys.transpose(2, 3)) / self.head_dim**0.5
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            seen = mask if mask.dim() != 3 else mask[:, None]
            scores = torch.where(seen, scores, torch.finfo(scores.dtype).min)
            weights = torch.where(seen, torch.softmax(scores, dim=-1), 0.0)
        output = torch.matmul(weights, values)
        return self.wo(output.transpose(1, 2).contiguous().view(b, t, -1))


# %% gqa.one_head_after_the_other
# target: GroupedQueryAttention.forward
def forward(self, x, mask=None):
    share = self.num_heads // self.num_kv_heads
    queries = self.W_query(x).chunk(self.num_heads, dim=-1)
    keys = self.W_key(x).chunk(self.num_kv_heads, dim=-1)
    values = self.W_value(x).chunk(self.num_kv_heads, dim=-1)
    found = []
    for head, query in enumerate(queries):
        scores = query @ keys[head // share].transpose(-2, -1) * query.shape[-1] ** -0.5
        seen = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            part = mask[:, head % mask.shape[1]] if mask.dim() == 4 else mask
            seen = seen & part
        top = scores.masked_fill(~seen, -torch.inf).amax(-1, keepdim=True).detach()
        scores = (scores - top.masked_fill(top == -torch.inf, 0.0)).masked_fill(~seen, -1e4)
        powers = scores.exp() * seen
        weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-4)
        found.append(weights @ values[head // share])
    return self.out_proj(torch.cat(found, dim=-1))


# %% gqa.keys_and_values_packed
class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        self.h, self.g = num_heads, num_kv_heads
        if emb_size % num_heads or num_heads % num_kv_heads:
            raise ValueError(f"emb_size={emb_size} heads={num_heads} kv_heads={num_kv_heads}")
        self.q_proj = nn.Linear(emb_size, emb_size)
        self.kv_proj = nn.Linear(emb_size, 2 * (emb_size // num_heads) * num_kv_heads)
        self.o_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        b, t, d = x.shape
        query = self.q_proj(x).reshape(b, t, self.g, self.h // self.g, d // self.h)
        key, value = self.kv_proj(x).reshape(b, t, self.g, 2, d // self.h).unbind(3)
        scores = torch.einsum("bigrd,bjgd->bgrij", query, key) / (d // self.h) ** 0.5
        scores = scores.flatten(1, 2)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~(mask | empty), -torch.inf)
            weights = scores.softmax(-1).masked_fill(~mask, 0.0)
        else:
            weights = scores.softmax(-1)
        weights = weights.unflatten(1, (self.g, self.h // self.g))
        return self.o_proj(torch.einsum("bgrij,bjgd->bigrd", weights, value).flatten(2))
