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
    # a3.heads
    Variant(
        id="heads.einops",
        target="split_heads",
        source="""
def split_heads(x, num_heads):
    from einops import rearrange

    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} features cannot be shared by {num_heads} heads")
    return rearrange(x, "b t (h d) -> b h t d", h=num_heads)
""",
    ),
    Variant(
        id="heads.one_after_the_other",
        target="split_heads",
        source="""
def split_heads(x, num_heads):
    each, rest = divmod(x.size(2), num_heads)
    if rest:
        raise ValueError("width %d does not go into %d heads" % (x.size(2), num_heads))
    return torch.stack([x[:, :, h * each : (h + 1) * each] for h in range(num_heads)], dim=1)
""",
    ),
    Variant(
        id="heads.by_unflatten",
        target="split_heads",
        source="""
def split_heads(x, num_heads):
    d = x.shape[-1]
    if d // num_heads * num_heads != d:
        raise ValueError(f"num_heads={num_heads} does not divide D={d}")
    return x.unflatten(-1, (num_heads, -1)).movedim(-2, 1).contiguous()
""",
    ),
    Variant(
        id="heads.merged_by_einops",
        target="merge_heads",
        source="""
def merge_heads(x):
    from einops import rearrange

    return rearrange(x, "b h t d -> b t (h d)")
""",
    ),
    Variant(
        id="heads.put_side_by_side",
        target="merge_heads",
        source="""
def merge_heads(x):
    return torch.cat(list(x.unbind(1)), dim=-1)
""",
    ),
    Variant(
        id="heads.written_into_rows",
        target="merge_heads",
        source="""
def merge_heads(x):
    b, h, t, d = x.size()
    rows = x.new_zeros(b, t, h * d)
    for head in range(h):
        rows[..., head * d : head * d + d] = x[:, head]
    return rows
""",
    ),
    # a3.wrapper
    Variant(
        id="wrapper.own_heads",
        target="MultiHeadAttentionWrapper",
        source="""
class Head(nn.Module):
    def __init__(self, d_in, d_out, block_size, dropout, bias):
        super().__init__()
        self.query = nn.Linear(d_in, d_out, bias=bias)
        self.key = nn.Linear(d_in, d_out, bias=bias)
        self.value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.block_size = block_size

    def forward(self, x):
        B, T, C = x.shape
        if T > self.block_size:
            raise ValueError(f"T={T} > block_size={self.block_size}")
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        tril = torch.tril(torch.ones(T, T, device=x.device))
        wei = wei.masked_fill(tril == 0, float("-inf")).softmax(dim=-1)
        return self.dropout(wei) @ v


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        made = [Head(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
        self.attention_heads = nn.ModuleList(made)

    def forward(self, x):
        found = []
        for head in self.attention_heads:
            found += [head(x)]
        return torch.concat(found, 2)
""",
    ),
    Variant(
        id="wrapper.stacked_and_flattened",
        target="MultiHeadAttentionWrapper.forward",
        source="""
    def forward(self, x):
        found = torch.stack([self.heads[h](x) for h in range(len(self.heads))], dim=2)  # B T H d
        return found.reshape(x.size(0), x.size(1), -1)
""",
    ),
    Variant(
        id="wrapper.heads_as_modules_of_their_own",
        target="MultiHeadAttentionWrapper",
        source="""
class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        for h in range(num_heads):
            head = CausalAttention(
                d_in=d_in,
                d_out=d_out,
                context_length=context_length,
                dropout=dropout,
                qkv_bias=qkv_bias,
            )
            setattr(self, f"head_{h}", head)

    def forward(self, x):
        return torch.cat([getattr(self, f"head_{h}")(x) for h in range(self.num_heads)], -1)
""",
    ),
    # a3.cross
    Variant(
        id="cross.keys_and_values_packed",
        target="CrossAttention",
        source="""
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
""",
    ),
    Variant(
        id="cross.tensordot",
        target="CrossAttention",
        source="""
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
""",
    ),
    Variant(
        id="cross.sample_by_sample",
        target="CrossAttention.forward",
        source="""
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
""",
    ),
    Variant(
        id="cross.by_the_function_of_assignment_1",
        target="CrossAttention.forward",
        source="""
    def forward(self, x, memory, memory_mask=None):
        from a1_attention import scaled_dot_product_attention

        def by_head(tokens):
            return tokens.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

        maps = by_head(self.W_query(x)), by_head(self.W_key(memory)), by_head(self.W_value(memory))
        if memory_mask is not None:
            memory_mask = memory_mask.view(len(memory), 1, 1, -1)
        found, _ = scaled_dot_product_attention(*maps, memory_mask)
        return self.out_proj(found.transpose(1, 2).flatten(2))
""",
    ),
    Variant(
        id="cross.a_map_for_each_head",
        target="CrossAttention",
        source="""
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
""",
    ),
    # a3.gqa
    Variant(
        id="gqa.groups_as_an_axis",
        target="GroupedQueryAttention.forward",
        source="""
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
""",
    ),
    Variant(
        id="gqa.repeated_under_other_names",
        target="GroupedQueryAttention",
        source="""
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
""",
    ),
    Variant(
        id="gqa.one_head_after_the_other",
        target="GroupedQueryAttention.forward",
        source="""
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
""",
    ),
    Variant(
        id="gqa.keys_and_values_packed",
        target="GroupedQueryAttention",
        source="""
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
""",
    ),
)
