"""Other right ways to write a learned filter."""

from grader.misconceptions import Variant

VARIANTS = (
    Variant(
        id="learned.convolution",
        target="LearnedFilter",
        edits=(
            (
                "        windows = images.unfold(1, side, 1).unfold(2, side, 1)"
                "  # B R-K+1 C-K+1 K K\n",
                "",
            ),
            (
                "(windows * self.kernel).sum(dim=(3, 4))",
                "nn.functional.conv2d(images[:, None], self.kernel[None, None])[:, 0]",
            ),
        ),
    ),
)
