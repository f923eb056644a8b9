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
    raise NotImplementedError("box_blur: replace this line with your solution")


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
    raise NotImplementedError("sobel: replace this line with your solution")


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # box_blur
    print(box_blur(torch.tensor([[[0.0, 3.0, 6.0]]]), 3))
    # tensor([[[1., 3., 5.]]])

    # sobel
    right, down = sobel(torch.arange(4.0).expand(1, 3, 4))
    print((right, down))
    # (tensor([[[8., 8.]]]), tensor([[[0., 0.]]]))
