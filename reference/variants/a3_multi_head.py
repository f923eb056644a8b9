"""Other right ways to write assignment 3."""

from grader.misconceptions import Variant

_ALL_BUT_THE_CHECKPOINT = (
    "shapes",
    "outputs",
    "conversion",
    "masking",
    "modes",
    "numerics",
    "gradients",
)
"""Weights stored in another way compute the same; only what others trained can't be loaded."""

VARIANTS = (
    # a3.mha
    Variant(
        id="mha.einops",
        target="MultiHeadAttention.forward",
        source="""
    def forward(self, x):
        from einops import einsum, rearrange

        def split(tensor):
            return rearrange(tensor, "b t (h d) -> b h t d", h=self.num_heads)

        q, k, v = split(self.W_query(x)), split(self.W_key(x)), split(self.W_value(x))
        scores = einsum(q, k, "b h i d, b h j d -> b h i j") / self.head_dim**0.5
        t = x.shape[1]
        scores = scores.masked_fill(~self.mask[:t, :t], torch.finfo(scores.dtype).min)
        weights = self.dropout(scores.softmax(dim=-1))
        context = einsum(weights, v, "b h i j, b h j d -> b h i d")
        return self.out_proj(rearrange(context, "b h t d -> b t (h d)"))
""",
    ),
    Variant(
        id="mha.one_head_after_the_other",
        target="MultiHeadAttention.forward",
        source="""
    def forward(self, x):
        t, width = x.size(1), self.head_dim
        found = []
        for head in range(self.num_heads):
            part = slice(head * width, (head + 1) * width)
            q, k, v = (w(x)[..., part] for w in (self.W_query, self.W_key, self.W_value))
            scores = (q / width**0.5) @ k.transpose(1, 2)
            scores = scores.masked_fill(self.mask[:t, :t] == 0, float("-inf"))
            found.append(self.dropout(torch.softmax(scores, dim=2)) @ v)
        return self.out_proj(torch.cat(found, dim=-1))
""",
    ),
    Variant(
        id="mha.heads_in_the_batch",
        target="MultiHeadAttention.forward",
        source="""
    def forward(self, x):
        b, t, _ = x.shape

        def split(y):
            y = y.reshape(b, t, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
            return y.reshape(b * self.num_heads, t, self.head_dim)

        q, k, v = map(split, (self.W_query(x), self.W_key(x), self.W_value(x)))
        scores = torch.bmm(q, k.transpose(1, 2)) * self.head_dim**-0.5
        weights = torch.softmax(scores.masked_fill(~self.mask[:t, :t], -torch.inf), dim=-1)
        out = torch.bmm(self.dropout(weights), v).reshape(b, self.num_heads, t, -1)
        return self.out_proj(out.transpose(1, 2).flatten(2))
""",
    ),
    Variant(
        id="mha.mask_made_for_each_call",
        target="MultiHeadAttention",
        edits=(
            (
                "may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()\n"
                '        self.register_buffer("mask", may_attend)',
                "pass",
            ),
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)",
                "later = torch.ones_like(scores, dtype=torch.bool).triu(diagonal=1)\n"
                "        scores = scores.masked_fill(later, -torch.inf)",
            ),
        ),
    ),
    # a3.packed
    Variant(
        id="packed.einops",
        target="PackedMultiHeadAttention.forward",
        source="""
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
""",
    ),
    Variant(
        id="packed.one_head_after_the_other",
        target="PackedMultiHeadAttention",
        edits=(
            (
                "        self.num_heads = num_heads\n",
                "        self.num_heads, self.head_dim = num_heads, emb_size // num_heads\n",
            ),
            (
                "        batch, tokens, width = x.shape\n"
                "        qkv = self.qkv(x).view(batch, tokens, 3, self.num_heads, "
                "width // self.num_heads)\n"
                "        query, key, value = qkv.permute(2, 0, 3, 1, 4)  # B H T Dh, three times\n"
                "        scores = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5",
                "        query, key, value = self.qkv(x).split(x.shape[-1], dim=-1)\n"
                "        if mask is not None:\n"
                "            while mask.dim() < 3:\n"
                "                mask = mask[None]\n"
                "            if mask.dim() == 3:\n"
                "                mask = mask[:, None]\n"
                "            mask = mask.expand(-1, self.num_heads, -1, -1)\n"
                "        found = [\n"
                "            self._one(\n"
                "                query[..., at : at + self.head_dim],\n"
                "                key[..., at : at + self.head_dim],\n"
                "                value[..., at : at + self.head_dim],\n"
                "                None if mask is None else mask[:, at // self.head_dim],\n"
                "            )\n"
                "            for at in range(0, x.shape[-1], self.head_dim)\n"
                "        ]\n"
                "        return self.projection(torch.cat(found, dim=-1))\n\n"
                "    def _one(self, query, key, value, mask):\n"
                "        scores = torch.bmm(query, key.mT) / self.head_dim**0.5",
            ),
            (
                "hidden = ~(mask.unsqueeze(1) if mask.dim() == 3 else mask)",
                "hidden = mask.logical_not()",
            ),
            (
                "        context = (self.dropout(weights) @ value).transpose(1, 2)  # B T H Dh\n"
                "        output: torch.Tensor = self.projection("
                "context.reshape(batch, tokens, width))\n"
                "        return output",
                "        return torch.bmm(self.dropout(weights), value)",
            ),
        ),
    ),
    Variant(
        id="packed.h_d_qkv",
        target="from_torch_mha",
        earns=_ALL_BUT_THE_CHECKPOINT,
        mistakes=(56,),
        source="""
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
""",
    ),
    Variant(
        id="packed.h_qkv_d_under_other_names",
        target="from_torch_mha",
        earns=_ALL_BUT_THE_CHECKPOINT,
        source="""
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
""",
    ),
    Variant(
        id="packed.tensordot_d_h_dh",
        target="from_torch_mha",
        earns=_ALL_BUT_THE_CHECKPOINT,
        source="""
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
""",
    ),
    Variant(
        id="packed.tensordot_h_dh_d",
        target="from_torch_mha",
        earns=_ALL_BUT_THE_CHECKPOINT,
        source="""
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
""",
    ),
    Variant(
        id="packed.filled_by_hand",
        target="pack_qkv",
        source="""
def pack_qkv(w_query, w_key, w_value):
    rows = len(w_query)
    packed = w_query.new_empty(3 * rows, *w_query.shape[1:])
    for number, part in enumerate((w_query, w_key, w_value)):
        packed[number * rows : (number + 1) * rows] = part
    return packed
""",
    ),
    Variant(
        id="packed.by_slices",
        target="unpack_qkv",
        source="""
def unpack_qkv(w):
    rows = w.size(0) // 3
    return [w[:rows].clone(), w[rows : 2 * rows].clone(), w[2 * rows :].clone()]
""",
    ),
)
