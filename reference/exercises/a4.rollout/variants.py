"""Other right ways to write a4.rollout."""

# %% rollout.recursive
def attention_rollout(weights, head_fusion="mean", discard_ratio=0.0):
    *before, layer = weights
    if head_fusion == "mean":
        a = layer.mean(1)
    elif head_fusion == "max":
        a = layer.max(dim=1)[0]
    elif head_fusion == "min":
        a = layer.min(dim=1)[0]
    else:
        raise ValueError(f"unknown fusion {head_fusion}")
    b, t, _ = a.shape
    count = int(t * t * discard_ratio)
    a = a.clone()
    for sample in range(b):
        _, indices = a[sample].reshape(-1).topk(count, largest=False)
        for index in indices.tolist():
            if index % t != 0:
                a[sample, index // t, index % t] = 0
    a = a + torch.eye(t).to(a)
    a = a / a.sum(-1, keepdim=True)
    return a if not before else a @ attention_rollout(before, head_fusion, discard_ratio)


# %% rollout.einsum_and_threshold
import functools


def _fuse(stack, how):
    from einops import reduce

    if how not in ("mean", "max", "min"):
        raise ValueError(f"fusion must be mean, max or min: {how}")
    return reduce(stack, "l b h i j -> l b i j", how)


def attention_rollout(weights, head_fusion="mean", discard_ratio=0.0):
    maps = _fuse(torch.stack(list(weights)), head_fusion)
    t = maps.shape[-1]
    count = int(discard_ratio * t * t)
    if count > 0:
        least = maps.flatten(2).sort(dim=-1).values[..., count - 1]
        keep = maps > least[..., None, None]
        keep[..., 0] = True
        maps = torch.where(keep, maps, torch.zeros_like(maps))
    maps = 0.5 * maps + 0.5 * torch.eye(t, dtype=maps.dtype)
    maps = nn.functional.normalize(maps, p=1, dim=-1)
    return functools.reduce(lambda done, one: torch.einsum("bij,bjk->bik", one, done), maps)


# %% rollout.picture_by_reshape
def rollout_to_patches(rollout, grid):
    h, w = grid
    return rollout.narrow(2, 1, h * w).select(1, 0).reshape(-1, h, w)


# %% rollout.picture_by_einops
from einops import rearrange


def rollout_to_patches(rollout, grid):
    return rearrange(rollout[:, 0][:, 1:], "b (h w) -> b h w", h=grid[0], w=grid[1])


# %% rollout.guided
# target: attention_rollout
def attention_rollout(weights, head_fusion="mean", discard_ratio=0.0):
    fuse = {"mean": torch.mean, "max": torch.amax, "min": torch.amin}.get(head_fusion)
    if fuse is None:
        raise ValueError(f"heads are fused by mean, max or min: {head_fusion!r}")
    size = weights[0].shape[-1]
    itself = torch.eye(size, dtype=weights[0].dtype, device=weights[0].device)
    so_far = itself.expand(len(weights[0]), size, size)
    for layer in weights:
        fused = fuse(layer, dim=1)
        entries = fused.flatten(1)
        count = int(discard_ratio * size * size)
        least = entries.argsort(dim=-1)[:, :count]
        kept = entries.scatter(1, least, 0.0).view_as(fused)
        kept = torch.cat([fused[:, :, :1], kept[:, :, 1:]], dim=2)
        mixed = (kept + itself) / 2
        mixed = mixed / mixed.sum(dim=-1, keepdim=True)
        so_far = mixed @ so_far
    return so_far
