"""Other right ways to write a5.positions."""

# %% positions.columns_filled
def sinusoidal_positions(T, dim):
    import math

    if dim % 2:
        raise ValueError(f"dim must be even, not {dim}")
    table = torch.zeros(T, dim)
    position = torch.arange(0, T).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    table[:, 0::2] = torch.sin(position * div_term)
    table[:, 1::2] = torch.cos(position * div_term)
    return table


# %% positions.number_by_number
def sinusoidal_positions(T, dim):
    import math

    if dim % 2 == 1:
        raise ValueError("odd width: %d" % dim)

    def entry(p, column):
        angle = p / 10000 ** ((column - column % 2) / dim)
        return math.cos(angle) if column % 2 else math.sin(angle)

    return torch.tensor([[entry(p, column) for column in range(dim)] for p in range(T)])


# %% positions.einops
def sinusoidal_positions(T, dim):
    from einops import einsum, rearrange

    if dim % 2:
        raise ValueError(f"{dim} is odd")
    frequency = torch.pow(torch.tensor(1e-4), torch.linspace(0, 1, dim // 2 + 1)[:-1])
    angle = einsum(torch.arange(T).float(), frequency, "t, i -> t i")
    pairs = rearrange([torch.sin(angle), torch.cos(angle)], "two t i -> t (i two)")
    return pairs.to(torch.get_default_dtype())


# %% rope.complex_numbers
def apply_rope(x, positions, base=10000.0):
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    exponent = torch.arange(0, x.size(-1), 2).to(wide) / x.size(-1)
    angle = torch.outer(positions.to(wide.dtype), 1.0 / base**exponent)
    points = torch.view_as_complex(wide.reshape(*x.shape[:-1], -1, 2).contiguous())
    turned = points * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).reshape(x.shape).to(x.dtype)


# %% rope.turned_copy
def apply_rope(x, positions, base=10000.0):
    dim = x.shape[-1]
    frequency = torch.tensor([base ** (-2 * i / dim) for i in range(dim // 2)])
    angle = (positions.float()[:, None] * frequency[None, :]).repeat_interleave(2, dim=-1)
    other = torch.empty_like(x)
    other[..., 0::2] = -x[..., 1::2]
    other[..., 1::2] = x[..., 0::2]
    turned = x * angle.cos() + other * angle.sin()
    return turned.type_as(x)


# %% rope.matrix_for_each_pair
def apply_rope(x, positions, base=10000.0):
    from einops import rearrange

    i = torch.arange(x.shape[-1] // 2, dtype=torch.float32)
    angle = torch.einsum("t,i->ti", positions.float(), base ** (-2 * i / x.shape[-1]))
    rows = [angle.cos(), -angle.sin(), angle.sin(), angle.cos()]
    turn = rearrange(torch.stack(rows), "(m n) t i -> t i m n", m=2).to(x.dtype)
    pairs = rearrange(x, "b h t (i n) -> b h t i n", n=2)
    return rearrange(torch.einsum("timn,bhtin->bhtim", turn, pairs), "b h t i m -> b h t (i m)")
