"""Answers to f1.blur in which nobody understood anything."""

# %% blank: the mean of the whole image in f1.blur
def box_blur(images: torch.Tensor, side: int) -> torch.Tensor:
    if side % 2 == 0:
        raise ValueError(f"side must be odd, got {side}")
    wide = torch.nn.functional.pad(images, [side // 2] * 4, mode="replicate")  # B R+K-1 C+K-1
    windows = wide.unfold(1, side, 1).unfold(2, side, 1)  # B R C K K
    return images.mean(dim=(1, 2), keepdim=True) + 0 * images  # B R C
