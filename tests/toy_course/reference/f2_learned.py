"""A filter that learns what to look for.

Shape letters: B images, R rows, C columns, K side of the kernel.
"""

import torch
from torch import nn


class LearnedFilter(nn.Module):
    """A kernel that is trained, with noise on the image while it trains.

    Arguments
        side   side of the kernel; odd
        noise  standard deviation of what is added to each pixel in train mode

    Names that the grader looks for: the parameters `kernel` (side, side) and `offset` (one number,
    without axes).

    Example:

        >>> LearnedFilter(side=3, noise=0.0)(torch.zeros(2, 5, 6)).shape
        torch.Size([2, 3, 4])
    """

    def __init__(self, side: int, noise: float) -> None:
        """Create the parameters."""
        super().__init__()
        # BEGIN SOLUTION
        self.kernel = nn.Parameter(torch.randn(side, side) / side)
        self.offset = nn.Parameter(torch.zeros(()))
        self.noise = noise
        # END SOLUTION

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return the kernel's sum over each window, plus the offset.

        Shapes
            images   (B, R, C)
            returns  (B, R-K+1, C-K+1)
        """
        # BEGIN SOLUTION
        if self.training:
            images = images + self.noise * torch.randn_like(images)
        side = len(self.kernel)
        windows = images.unfold(1, side, 1).unfold(2, side, 1)  # B R-K+1 C-K+1 K K
        return (windows * self.kernel).sum(dim=(3, 4)) + self.offset
        # END SOLUTION
