"""Other right ways to write a4.positions."""

# %% sincos.columns_in_another_order
def sincos_2d(height, width, dim):
    import math

    if dim % 4:
        raise ValueError(f"dim must be a multiple of 4, got {dim}")
    rows = []
    for y in range(height):
        for x in range(width):
            row = []
            for i in range(dim // 4):
                omega = 1 / 10000 ** (4 * i / dim)
                row += [math.sin(x * omega), math.sin(y * omega)]
                row += [math.cos(y * omega), math.cos(x * omega)]
            rows.append(row)
    return torch.tensor(rows)


# %% sincos.by_outer_products
# As big_vision has it: x first, and frequencies by a quotient.
def sincos_2d(height, width, dim):
    if dim % 4 != 0:
        raise ValueError(f"{dim} is no multiple of 4")
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    omega = torch.arange(dim // 4, dtype=torch.float64) / (dim // 4)
    omega = 1.0 / (10_000.0**omega)
    y = torch.einsum("m,d->md", y.flatten().double(), omega)
    x = torch.einsum("m,d->md", x.flatten().double(), omega)
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], dim=1).float()


# %% sincos.interleaved
def _axis(count, dim):
    table = torch.zeros(count, dim)
    angles = torch.arange(count)[:, None] * torch.exp(
        torch.arange(0, dim, 2) * (-torch.log(torch.tensor(10000.0)) / dim)
    )
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


def sincos_2d(height, width, dim):
    if dim % 4:
        raise ValueError(f"{dim} % 4 is not 0")
    rows = _axis(height, dim // 2).repeat_interleave(width, dim=0)
    columns = _axis(width, dim // 2).repeat(height, 1)
    return torch.cat([rows, columns], dim=1)


# %% interpolate.bilinear_with_aligned_corners
def interpolate_positions(
    positions: torch.Tensor,
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    num_prefix: int = 1,
) -> torch.Tensor:
    table = positions.reshape(-1, positions.shape[-1])  # prefix+N D
    prefix, patches = table[:num_prefix], table[num_prefix:]
    picture = patches.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)  # 1 D h w
    scaled = nn.functional.interpolate(picture, new_grid, mode="bilinear", align_corners=True)
    scaled = scaled.permute(0, 2, 3, 1).flatten(0, 2)  # M D
    return torch.cat([prefix, scaled]).reshape(*positions.shape[:-2], -1, positions.shape[-1])


# %% interpolate.smoothed
# As timm has it.
from einops import rearrange


def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    batched = positions if positions.dim() == 3 else positions.unsqueeze(0)
    prefix, rest = batched[:, :num_prefix], batched[:, num_prefix:]
    rest = rearrange(rest, "b (h w) d -> b d h w", h=old_grid[0])
    rest = nn.functional.interpolate(
        rest.float(), size=list(new_grid), mode="bicubic", antialias=True
    ).to(positions.dtype)
    out = torch.cat([prefix, rearrange(rest, "b d h w -> b (h w) d")], dim=1)
    return out if positions.dim() == 3 else out[0]


# %% interpolate.by_matrices
def _weights(old, new, like):
    place = ((torch.arange(new) + 0.5) * old / new - 0.5).clamp(0, old - 1)
    distance = (place[:, None] - torch.arange(old)).abs()
    return (1 - distance).clamp(min=0).to(like.dtype)


def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    lead, d = positions.shape[:-2], positions.shape[-1]
    table = positions.reshape(-1, d)
    grid = table[num_prefix:].reshape(*old_grid, d)
    rows = _weights(old_grid[0], new_grid[0], table)
    columns = _weights(old_grid[1], new_grid[1], table)
    grid = torch.einsum("ah,bw,hwd->abd", rows, columns, grid)
    return torch.cat([table[:num_prefix], grid.flatten(0, 1)]).reshape(*lead, -1, d)


# %% interpolate.number_by_number
def interpolate_positions(positions, old_grid, new_grid, num_prefix=1):
    if tuple(old_grid) == tuple(new_grid):
        return positions.clone()
    table = positions if positions.ndim == 2 else positions[0]
    grid = table[num_prefix:].unflatten(0, tuple(old_grid))
    rows = [table[i] for i in range(num_prefix)]
    for y in range(new_grid[0]):
        v = y * (old_grid[0] - 1) / max(new_grid[0] - 1, 1)
        top = min(int(v), old_grid[0] - 2) if old_grid[0] > 1 else 0
        down = min(top + 1, old_grid[0] - 1)
        for x in range(new_grid[1]):
            u = x * (old_grid[1] - 1) / max(new_grid[1] - 1, 1)
            left = min(int(u), old_grid[1] - 2) if old_grid[1] > 1 else 0
            right = min(left + 1, old_grid[1] - 1)
            above = grid[top, left] * (1 - (u - left)) + grid[top, right] * (u - left)
            below = grid[down, left] * (1 - (u - left)) + grid[down, right] * (u - left)
            rows.append(above * (1 - (v - top)) + below * (v - top))
    out = torch.stack(rows)
    return out if positions.ndim == 2 else out[None]
