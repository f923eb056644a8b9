"""Other right ways to write f1.blur."""

# %% blur.two_means
def box_blur(images: torch.Tensor, side: int) -> torch.Tensor:
    if side % 2 == 0:
        raise ValueError(f"side must be odd, got {side}")
    wide = torch.nn.functional.pad(images, [side // 2] * 4, mode="replicate")  # B R+K-1 C+K-1
    windows = wide.unfold(1, side, 1).unfold(2, side, 1)  # B R C K K
    return windows.mean(dim=4).mean(dim=3)  # B R C


# %% blur.shifted_copies
def box_blur(images, side):
    if side % 2 == 0:
        raise ValueError(f"side must be odd, got {side}")
    rows, columns = images.shape[1:]
    total = torch.zeros_like(images)
    for i in range(side):
        for j in range(side):
            down = (torch.arange(rows) + i - side // 2).clamp(0, rows - 1)
            right = (torch.arange(columns) + j - side // 2).clamp(0, columns - 1)
            total = total + images[:, down][:, :, right]
    return total / side**2
