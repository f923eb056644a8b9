"""Other right ways to write a6.sample."""


# %% sample.masked_logits
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    import torch.nn.functional as F

    if temperature < 0 or (top_k is not None and top_k <= 0) or top_p <= 0 or top_p > 1:
        raise ValueError(f"{temperature=}, {top_k=} or {top_p=} is out of range")
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    scaled = logits.double() / temperature
    if top_k is not None and top_k < logits.size(-1):
        smallest = torch.topk(scaled, top_k).values[..., -1, None]
        scaled = scaled.masked_fill(scaled < smallest, -float("inf"))
    if top_p < 1.0:
        ordered, index = torch.sort(scaled, descending=True)
        total = torch.cumsum(F.softmax(ordered, dim=-1), dim=-1)
        remove = total >= top_p
        remove[..., 1:] = remove[..., :-1].clone()
        remove[..., 0] = False
        scaled = scaled.masked_fill(remove.scatter(-1, index, remove), -float("inf"))
    return F.softmax(scaled, dim=-1).to(logits.dtype)


# %% sample.all_that_reach_a_bar
# Of equally probable tokens at the border all stay.
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError(f"out of range: {temperature} or {top_k} or {top_p}")

    def cut(shares, bar):
        shares = shares * (shares >= bar)
        return shares / shares.sum(-1, keepdim=True)

    if temperature == 0:
        first = (logits == logits.max(-1, keepdim=True).values).cumsum(-1)
        return ((first == 1) & (first.diff(dim=-1, prepend=first[..., :1] * 0) == 1)).to(logits)
    wide = logits.float() if logits.dtype != torch.float64 else logits
    shares = torch.softmax(wide / temperature, -1)
    if top_k is not None:
        shares = cut(shares, shares.topk(min(top_k, shares.shape[-1])).values[..., -1:])
    if top_p < 1:
        falling = shares.sort(descending=True).values
        enough = (falling.cumsum(-1) >= top_p).int().argmax(-1, keepdim=True)
        shares = cut(shares, falling.gather(-1, enough))
    return shares.to(logits.dtype)


# %% sample.row_by_row
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError(temperature)
    if top_k is not None and top_k < 1:
        raise ValueError(top_k)
    if top_p <= 0 or top_p > 1:
        raise ValueError(top_p)
    size = logits.shape[-1]
    k = 1 if temperature == 0 else size if top_k is None else min(top_k, size)
    rows = []
    for row in logits.reshape(-1, size):
        row = row.float() if row.dtype in (torch.float16, torch.bfloat16) else row
        row = (row - row.max()) / (temperature or 1.0)
        order = sorted(range(size), key=lambda i: -row[i].item())[:k]
        shares = torch.softmax(row[order], 0)
        count, total = 0, 0.0
        while count < k and (count == 0 or total < top_p or top_p == 1):
            total += shares[count].item()
            count += 1
        shares = shares[:count] / shares[:count].sum()
        rows.append(torch.zeros_like(row).index_put((torch.tensor(order[:count]),), shares))
    return torch.stack(rows).reshape(logits.shape).to(logits.dtype)


# %% sample.gumbel
def sample(logits, temperature=1.0, top_k=None, top_p=1.0, generator=None):
    shares = sampling_probabilities(logits, temperature, top_k, top_p)
    noise = torch.empty(shares.shape).exponential_(generator=generator)
    return (shares.float() / noise).argmax(-1)


# %% sample.where_the_sum_is_crossed
def sample(logits, temperature=1.0, top_k=None, top_p=1.0, generator=None):
    shares = sampling_probabilities(logits, temperature, top_k, top_p).double()
    line = torch.rand(*shares.shape[:-1], 1, generator=generator, dtype=torch.float64)
    total = shares.cumsum(-1)
    return (total <= line * total[..., -1:]).sum(-1)
