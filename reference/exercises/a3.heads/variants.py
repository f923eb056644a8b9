"""Other right ways to write a3.heads."""

# %% heads.einops
def split_heads(x, num_heads):
    from einops import rearrange

    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} features cannot be shared by {num_heads} heads")
    return rearrange(x, "b t (h d) -> b h t d", h=num_heads)


# %% heads.one_after_the_other
def split_heads(x, num_heads):
    each, rest = divmod(x.size(2), num_heads)
    if rest:
        raise ValueError("width %d does not go into %d heads" % (x.size(2), num_heads))
    return torch.stack([x[:, :, h * each : (h + 1) * each] for h in range(num_heads)], dim=1)


# %% heads.by_unflatten
def split_heads(x, num_heads):
    d = x.shape[-1]
    if d // num_heads * num_heads != d:
        raise ValueError(f"num_heads={num_heads} does not divide D={d}")
    return x.unflatten(-1, (num_heads, -1)).movedim(-2, 1).contiguous()


# %% heads.merged_by_einops
def merge_heads(x):
    from einops import rearrange

    return rearrange(x, "b h t d -> b t (h d)")


# %% heads.put_side_by_side
def merge_heads(x):
    return torch.cat(list(x.unbind(1)), dim=-1)


# %% heads.written_into_rows
def merge_heads(x):
    b, h, t, d = x.size()
    rows = x.new_zeros(b, t, h * d)
    for head in range(h):
        rows[..., head * d : head * d + d] = x[:, head]
    return rows
