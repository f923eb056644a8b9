"""Other right ways to write a5.online."""

# %% online.by_logarithm
def online_softmax(chunks):
    level = torch.full(chunks[0].shape[:-1], -torch.inf, dtype=chunks[0].dtype)
    for chunk in chunks:
        level = torch.logaddexp(level, torch.logsumexp(chunk, dim=-1))
    empty = torch.isneginf(level)
    level = torch.where(empty, torch.zeros_like(level), level)
    return torch.cat([(chunk - level[..., None]).exp() for chunk in chunks], dim=-1)


# %% online.shares_rescaled_on_the_way
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


# %% online.two_passes
def online_softmax(chunks):
    peaks = torch.stack([chunk.amax(-1) for chunk in chunks], -1)
    m = peaks.amax(-1, keepdim=True)
    m = torch.where(m.isinf(), 0.0, m)
    powers = [torch.exp(chunk - m) for chunk in chunks]
    l = sum(power.sum(-1, keepdim=True) for power in powers)
    return torch.cat(powers, -1) / (l + (l == 0))


# %% chunked.outputs_merged_by_logarithm
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


# %% chunked.blocks_of_queries
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


# %% chunked.tiles
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


# %% chunked.guided
def chunked_attention(query, key, value, block_size, mask=None):
    pairs = (query.shape[-2], key.shape[-2])
    if mask is not None:
        mask = mask.expand(torch.broadcast_shapes(mask.shape, pairs))
    query = query / query.shape[-1] ** 0.5
    top = torch.full_like(query[..., :1], -torch.inf)
    below = torch.zeros_like(query[..., :1])
    above = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, pairs[1], block_size):
        part = slice(start, start + block_size)
        scores = query @ key[..., part, :].mT
        if mask is not None:
            scores = scores.masked_fill(~mask[..., part], -torch.inf)
        higher = torch.maximum(top, scores.detach().amax(dim=-1, keepdim=True))
        base = higher.masked_fill(higher == -torch.inf, 0.0)
        factor = torch.exp(top - base)
        powers = torch.exp(scores - base)
        below = below * factor + powers.sum(dim=-1, keepdim=True)
        above = above * factor + powers @ value[..., part, :]
        top = higher
    return above / below.masked_fill(below == 0, 1.0)
