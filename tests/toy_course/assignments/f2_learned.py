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
        raise NotImplementedError("LearnedFilter.__init__: replace this line with your solution")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return the kernel's sum over each window, plus the offset.

        Shapes
            images   (B, R, C)
            returns  (B, R-K+1, C-K+1)
        """
        raise NotImplementedError("LearnedFilter.forward: replace this line with your solution")


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # LearnedFilter
    print(LearnedFilter(side=3, noise=0.0)(torch.zeros(2, 5, 6)).shape)
    # torch.Size([2, 3, 4])
