"""Other right ways to write a4.patchify."""

# %% patchify.einops
from einops import rearrange


def patchify(images, patch_size):
    for side in images.shape[-2:]:
        if side % patch_size:
            raise ValueError(f"{side} is no multiple of {patch_size}")
    p = patch_size
    return rearrange(images, "b c (h s1) (w s2) -> b (h w) (s1 s2 c)", s1=p, s2=p)


# %% patchify.unfold
def patchify(images, patch_size):
    b, c, h, w = images.shape
    if h % patch_size or w % patch_size:
        raise ValueError(f"image of {h} x {w}, patches of {patch_size}")
    columns = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return torch.einsum("bchwrs->bhwrsc", columns).reshape(b, -1, patch_size**2 * c)


# %% patchify.one_after_the_other
def patchify(images, patch_size):
    b, c, h, w = images.shape
    if h % patch_size != 0 or w % patch_size != 0:
        raise ValueError(f"({h}, {w}) cannot be cut into patches of {patch_size}")
    patches = []
    for top in range(0, h, patch_size):
        for left in range(0, w, patch_size):
            patch = images[:, :, top : top + patch_size, left : left + patch_size]
            patches.append(patch.permute(0, 2, 3, 1).flatten(1))
    return torch.stack(patches, dim=1)


# %% unpatchify.einops
from einops import rearrange


def unpatchify(patches, patch_size, height, width):
    p = patch_size
    if height % p or width % p:
        raise ValueError(f"{height} x {width} pixels, patches of {p}")
    h, w = height // p, width // p
    if patches.shape[1] != h * w:
        raise ValueError(f"{patches.shape[1]} patches for a grid of {h} x {w} = {h * w}")
    return rearrange(patches, "b (h w) (r s c) -> b c (h r) (w s)", h=h, w=w, r=p, s=p)


# %% unpatchify.fold
def unpatchify(patches, patch_size, height, width):
    b, n, numbers = patches.shape
    if height % patch_size or width % patch_size:
        raise ValueError(f"{height} x {width} pixels, patches of {patch_size}")
    wanted = height // patch_size * (width // patch_size)
    if n != wanted:
        raise ValueError(f"{n} patches where {wanted} are needed")
    columns = patches.reshape(b, n, patch_size**2, -1).permute(0, 3, 2, 1).reshape(b, numbers, n)
    return nn.functional.fold(columns, (height, width), patch_size, stride=patch_size)


# %% unpatchify.one_after_the_other
def unpatchify(patches, patch_size, height, width):
    p = patch_size
    if height % p != 0 or width % p != 0:
        raise ValueError(f"({height}, {width}) is no multiple of {p}")
    rows, columns = height // p, width // p
    if rows * columns != len(patches[0]):
        raise ValueError(f"expected {rows * columns} patches, got {len(patches[0])}")
    pieces = [patch.unflatten(1, (p, p, -1)).permute(0, 3, 1, 2) for patch in patches.unbind(1)]
    lines = [torch.cat(pieces[i * columns : (i + 1) * columns], dim=3) for i in range(rows)]
    return torch.cat(lines, dim=2)
