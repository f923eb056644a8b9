"""Filters: what a pixel's neighbours say about it.

Shape letters: B images, R rows, C columns, K side of the neighbourhood.
"""

import torch


def box_blur(images: torch.Tensor, side: int) -> torch.Tensor:
    """Return the mean of the side by side pixels around each pixel.

    Shapes
        images   (B, R, C)
        returns  (B, R, C), dtype and device as the images'

    Beyond the border, the nearest pixel of the border is repeated. An even `side` has no middle:
    raise a ValueError that names it. The images are not modified.

    Example:

        >>> box_blur(torch.tensor([[[0.0, 3.0, 6.0]]]), 3)
        tensor([[[1., 3., 5.]]])
    """
    # BEGIN SOLUTION
    if side % 2 == 0:
        raise ValueError(f"side must be odd, got {side}")
    wide = torch.nn.functional.pad(images, [side // 2] * 4, mode="replicate")  # B R+K-1 C+K-1
    windows = wide.unfold(1, side, 1).unfold(2, side, 1)  # B R C K K
    return windows.mean(dim=(3, 4))  # B R C
    # END SOLUTION


def sobel(images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return how much brighter it gets to the right, and downwards.

    Shapes
        images   (B, R, C)
        returns  two tensors (B, R-2, C-2)

    Each is the sum over the 3 by 3 pixels around a pixel, times

        -1  0  1          -1 -2 -1
        -2  0  2   and     0  0  0
        -1  0  1           1  2  1

    Example: a ramp that rises by 1 a column.

        >>> right, down = sobel(torch.arange(4.0).expand(1, 3, 4))
        >>> right, down
        (tensor([[[8., 8.]]]), tensor([[[0., 0.]]]))
    """
    # BEGIN SOLUTION
    smooth = torch.tensor([1, 2, 1], dtype=images.dtype, device=images.device)
    slope = torch.tensor([-1, 0, 1], dtype=images.dtype, device=images.device)
    windows = images.unfold(1, 3, 1).unfold(2, 3, 1)  # B R-2 C-2 3 3
    right = torch.einsum("brcij,i,j->brc", windows, smooth, slope)
    down = torch.einsum("brcij,i,j->brc", windows, slope, smooth)
    return right, down
    # END SOLUTION
