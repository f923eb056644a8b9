"""Other right ways to write a3.packed."""

# %% packed.einops
# target: PackedMultiHeadAttention.forward
def forward(self, x, mask=None):
    from einops import einsum, rearrange

    q, k, v = rearrange(self.qkv(x), "b t (r h d) -> r b h t d", r=3, h=self.num_heads)
    scores = einsum(q, k, "b h i d, b h j d -> b h i j") / q.shape[-1] ** 0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    elif mask.ndim == 3:
        mask = rearrange(mask, "b i j -> b 1 i j")
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).nan_to_num()
    found = einsum(self.dropout(weights), v, "b h i j, b h j d -> b h i d")
    return self.projection(rearrange(found, "b h t d -> b t (h d)"))


# %% packed.one_head_after_the_other
class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"a width of {emb_size} cannot be divided among {num_heads} heads")
        self.num_heads, self.head_dim = num_heads, emb_size // num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.projection = nn.Linear(emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        query, key, value = self.qkv(x).split(x.shape[-1], dim=-1)
        if mask is not None:
            while mask.dim() < 3:
                mask = mask[None]
            if mask.dim() == 3:
                mask = mask[:, None]
            mask = mask.expand(-1, self.num_heads, -1, -1)
        found = [
            self._one(
                query[..., at : at + self.head_dim],
                key[..., at : at + self.head_dim],
                value[..., at : at + self.head_dim],
                None if mask is None else mask[:, at // self.head_dim],
            )
            for at in range(0, x.shape[-1], self.head_dim)
        ]
        return self.projection(torch.cat(found, dim=-1))

    def _one(self, query, key, value, mask):
        scores = torch.bmm(query, key.mT) / self.head_dim**0.5  # B H T T
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            hidden = mask.logical_not()
            # A row of -inf has no softmax (0 / 0, and NaN gradients): leave it whole, then zeros.
            empty = hidden.all(dim=-1, keepdim=True)
            scores = scores.masked_fill(hidden & ~empty, -torch.inf)
            weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
        return torch.bmm(self.dropout(weights), value)


# %% packed.h_d_qkv
# earns: shapes, outputs, conversion, masking, modes, numerics, gradients
# no mistake: packed_in_one_order_unpacked_in_another
class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        self.heads, rest = num_heads, emb_size % num_heads
        if rest:
            raise ValueError(f"{emb_size} features, {num_heads} heads: {rest} features left over")
        self.qkv = nn.Linear(emb_size, emb_size * 3)
        self.att_drop = nn.Dropout(dropout)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        from einops import rearrange

        qkv = rearrange(self.qkv(x), "b n (h d qkv) -> qkv b h n d", h=self.heads, qkv=3)
        queries, keys, values = qkv[0], qkv[1], qkv[2]
        energy = torch.einsum("bhqd, bhkd -> bhqk", queries, keys) / queries.size(-1) ** 0.5
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
            energy = energy.masked_fill(mask.logical_not(), torch.finfo(energy.dtype).min)
        att = energy.softmax(dim=-1)
        if mask is not None:
            att = att * mask
        out = torch.einsum("bhal, bhlv -> bhav", self.att_drop(att), values)
        return self.projection(rearrange(out, "b h n d -> b n (h d)"))


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)

    def in_my_order(rows):
        by_role = rows.detach().unflatten(0, (3, mha.num_heads, -1))
        return by_role.movedim(0, 2).flatten(0, 2).clone()

    state = mha.state_dict()
    mine.load_state_dict(
        {
            "qkv.weight": in_my_order(state["in_proj_weight"]),
            "qkv.bias": in_my_order(state["in_proj_bias"]),
            "projection.weight": state["out_proj.weight"],
            "projection.bias": state["out_proj.bias"],
        }
    )
    return mine


# %% packed.h_qkv_d_under_other_names
# earns: shapes, outputs, conversion, masking, modes, numerics, gradients
class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size // num_heads * num_heads != emb_size:
            raise ValueError("width %d, heads %d" % (emb_size, num_heads))
        self.n_head = num_heads
        self.c_attn = nn.Linear(emb_size, 3 * emb_size)
        self.c_proj = nn.Linear(emb_size, emb_size)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, d = x.size()
        qkv = self.c_attn(x).reshape(b, t, self.n_head, 3 * (d // self.n_head))
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)
        att = q @ k.transpose(-2, -1) / (d // self.n_head) ** 0.5
        if mask is not None:
            seen = mask if mask.dim() != 3 else mask.view(b, 1, t, t)
            att = torch.where(seen, att, torch.finfo(att.dtype).min)
            att = torch.where(seen, att.softmax(-1), 0.0)
        else:
            att = att.softmax(-1)
        y = self.attn_dropout(att) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(b, t, d))


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    heads = mha.num_heads
    with torch.no_grad():
        for name in ("weight", "bias"):
            rows = getattr(mha, "in_proj_" + name)
            thirds = [third.chunk(heads) for third in rows.chunk(3)]
            order = [thirds[role][head] for head in range(heads) for role in range(3)]
            getattr(mine.c_attn, name).copy_(torch.cat(order))
            getattr(mine.c_proj, name).copy_(getattr(mha.out_proj, name))
    return mine


# %% packed.tensordot_d_h_dh
# earns: shapes, outputs, conversion, masking, modes, numerics, gradients
class LinearGeneral(nn.Module):
    def __init__(self, in_dim, feat_dim):
        super().__init__()
        self.weight = nn.Parameter(0.1 * torch.randn(*in_dim, *feat_dim))
        self.bias = nn.Parameter(torch.zeros(*feat_dim))

    def forward(self, x, dims):
        return torch.tensordot(x, self.weight, dims=dims) + self.bias


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"in_dim={emb_size} and heads={num_heads} do not go together")
        width = emb_size // num_heads
        self.scale = width**0.5
        self.query = LinearGeneral((emb_size,), (num_heads, width))
        self.key = LinearGeneral((emb_size,), (num_heads, width))
        self.value = LinearGeneral((emb_size,), (num_heads, width))
        self.out = LinearGeneral((num_heads, width), (emb_size,))
        self.dropout = nn.Dropout(dropout) if dropout > 0 else None

    def forward(self, x, mask=None):
        maps = (self.query, self.key, self.value)
        q, k, v = (each(x, dims=([2], [0])).permute(0, 2, 1, 3) for each in maps)
        weights = torch.matmul(q, k.transpose(-2, -1)) / self.scale
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, torch.finfo(weights.dtype).min)
        weights = weights.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, 0)
        if self.dropout:
            weights = self.dropout(weights)
        out = torch.matmul(weights, v).permute(0, 2, 1, 3)
        return self.out(out, dims=([2, 3], [0, 1]))


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    by_head = (mha.num_heads, mha.head_dim)
    maps = (mine.query, mine.key, mine.value)
    weights, biases = unpack_qkv(mha.in_proj_weight), unpack_qkv(mha.in_proj_bias)
    with torch.no_grad():
        for each, weight, bias in zip(maps, weights, biases):
            each.weight.copy_(weight.T.reshape(-1, *by_head))
            each.bias.copy_(bias.reshape(by_head))
        mine.out.weight.copy_(mha.out_proj.weight.T.reshape(*by_head, -1))
        mine.out.bias.copy_(mha.out_proj.bias)
    return mine


# %% packed.tensordot_h_dh_d
# earns: shapes, outputs, conversion, masking, modes, numerics, gradients
class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads > 0:
            raise ValueError(f"{num_heads} does not divide {emb_size}")
        shape = (num_heads, emb_size // num_heads)
        for role in ("q", "k", "v"):
            setattr(self, f"w_{role}", nn.Parameter(0.1 * torch.randn(*shape, emb_size)))
            setattr(self, f"b_{role}", nn.Parameter(torch.zeros(*shape)))
        self.w_o = nn.Parameter(0.1 * torch.randn(*shape, emb_size))
        self.b_o = nn.Parameter(torch.zeros(emb_size))
        self.p = dropout

    def forward(self, x, mask=None):
        def project(weight, bias):  # T first: b t h d
            return torch.tensordot(x, weight, dims=([2], [2])) + bias

        q = project(self.w_q, self.b_q)
        k, v = project(self.w_k, self.b_k), project(self.w_v, self.b_v)
        scores = torch.einsum("bihd,bjhd->bhij", q / q.shape[-1] ** 0.5, k)
        if mask is None:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device)
        seen = (mask[:, None] if mask.ndim == 3 else mask).expand_as(scores)
        scores = scores.masked_fill(~seen, -torch.inf)
        top = scores.amax(dim=-1, keepdim=True)
        powers = torch.exp(scores - top.masked_fill(top == -torch.inf, 0.0))
        weights = powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-6)
        weights = torch.dropout(weights, self.p, self.training)
        context = torch.einsum("bhij,bjhd->bihd", weights, v)
        return torch.tensordot(context, self.w_o, dims=2) + self.b_o


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, dropout=mha.dropout)
    weights = mha.in_proj_weight.detach().unflatten(0, (3, mha.num_heads, -1))
    biases = mha.in_proj_bias.detach().unflatten(0, (3, mha.num_heads, -1))
    for number, role in enumerate("qkv"):
        getattr(mine, f"w_{role}").data = weights[number].clone()
        getattr(mine, f"b_{role}").data = biases[number].clone()
    out = mha.out_proj.weight.detach().T
    mine.w_o.data = out.unflatten(0, (mha.num_heads, -1)).clone()
    mine.b_o.data = mha.out_proj.bias.detach().clone()
    return mine


# %% packed.filled_by_hand
def pack_qkv(w_query, w_key, w_value):
    rows = len(w_query)
    packed = w_query.new_empty(3 * rows, *w_query.shape[1:])
    for number, part in enumerate((w_query, w_key, w_value)):
        packed[number * rows : (number + 1) * rows] = part
    return packed


# %% packed.by_slices
def unpack_qkv(w):
    rows = w.size(0) // 3
    return [w[:rows].clone(), w[rows : 2 * rows].clone(), w[2 * rows :].clone()]


# %% packed.by_the_functions_before_it
# target: PackedMultiHeadAttention.forward
def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    from a1_attention import scaled_dot_product_attention

    parts = self.qkv(x).chunk(3, dim=-1)
    query, key, value = (split_heads(part, self.num_heads) for part in parts)  # B H T Dh
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    _, weights = scaled_dot_product_attention(query, key, value, mask)  # B H T T
    output: torch.Tensor = self.projection(merge_heads(self.dropout(weights) @ value))  # B T D
    return output


# %% packed.guided
# target: PackedMultiHeadAttention.forward
def forward(self, x, mask=None):
    parts = self.qkv(x).unflatten(-1, (3, self.num_heads, -1))
    query, key, value = parts.permute(2, 0, 3, 1, 4)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is None:
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device)
    if mask.dim() == 3:
        mask = mask.unsqueeze(1)
    lonely = ~mask.any(dim=-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~mask & ~lonely, -torch.inf), dim=-1)
    mixed = self.dropout(weights.masked_fill(~mask, 0.0)) @ value
    return self.projection(mixed.transpose(1, 2).flatten(2))
