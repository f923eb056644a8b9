"""What this course knows about images, for diagnosis."""

from collections.abc import Mapping

import torch

from grader.judge.diagnose.knowledge import Family, Knowledge


def smoothed_slope(images: torch.Tensor, *, number: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Sobel's filter with another number in the middle of (1, 2, 1)."""
    smooth = torch.tensor([1, number, 1], dtype=images.dtype)
    slope = torch.tensor([-1, 0, 1], dtype=images.dtype)
    windows = images.unfold(1, 3, 1).unfold(2, 3, 1)
    right = torch.einsum("brcij,i,j->brc", windows, smooth, slope)
    down = torch.einsum("brcij,i,j->brc", windows, slope, smooth)
    return right, down


def middles(images: torch.Tensor) -> Mapping[str, float]:
    """Numbers that people put there, and factors before it all."""
    return {"2": 2.0, "1": 1.0, "1/4": 0.25, "1/8": 0.125}


KNOWLEDGE = Knowledge(
    axes={"B": "batch", "R": "rows", "C": "columns"},
    families=(
        Family(
            id="fit.middle",
            targets=("sobel",),
            compute=smoothed_slope,
            named=middles,
            right="2",
            text="your numbers are those of {factor}the filter (1, {number}, 1), "
            "and the right ones are those of (1, {right}, 1)",
        ),
    ),
)
