"""Other right ways to write a2.causal_mask."""

# %% causal_mask.tril
def causal_mask(T, offset=0, device=None):
    return torch.ones(T, T + offset, dtype=torch.bool, device=device).tril(diagonal=offset)


# %% causal_mask.not_triu
# The triangle of notebook 002, which is one where a key is hidden.
def causal_mask(T, offset=0, device=None):
    hidden = torch.triu(torch.ones(T, T + offset, device=device), diagonal=1 + offset)
    return ~hidden.bool()


# %% causal_mask.past_beside_triangle
def causal_mask(T, offset=0, device=None):
    past = torch.ones((T, offset), dtype=torch.bool, device=device)
    new = torch.eye(T, device=device).cumsum(0) > 0
    return torch.cat([past, new], dim=1)


# %% causal_mask.row_by_row
def causal_mask(T, offset=0, device=None):
    mask = torch.zeros(T, T + offset, device=device, dtype=bool)
    for i in range(T):
        mask[i, : i + offset + 1] = True
    return mask
