"""Mistakes that people make with a learned filter."""

from grader.misconceptions import Misconception

MISCONCEPTIONS = (
    Misconception(
        id="learned.padded",
        mistakes=(),
        target="LearnedFilter",
        replace="        windows = images",
        by="        images = nn.functional.pad(images, [side // 2] * 4)\n        windows = images",
        fails=("shapes", "outputs"),
        cause="The image is padded, and should not be.",
    ),
    Misconception(
        id="learned.kernel_flipped",
        mistakes=(),
        target="LearnedFilter",
        replace="windows * self.kernel",
        by="windows * self.kernel.flip(0, 1)",
        fails=("outputs",),
        cause="The kernel is turned round: a convolution in the words of mathematics.",
    ),
    Misconception(
        id="learned.offset_unused",
        mistakes=(),
        target="LearnedFilter",
        replace=" + self.offset",
        by="",
        fails=("outputs", "gradients"),
        cause="The offset is created and never used.",
    ),
    Misconception(
        id="learned.kernel_no_parameter",
        mistakes=(),
        target="LearnedFilter",
        replace="self.kernel = nn.Parameter(torch.randn(side, side) / side)",
        by="self.kernel = torch.randn(side, side) / side",
        fails=("outputs", "state"),
        cause="The kernel is a plain tensor, and is never trained.",
    ),
    Misconception(
        id="learned.always_noisy",
        mistakes=(),
        target="LearnedFilter",
        replace="if self.training:",
        by="if True:",
        fails=("outputs", "modes"),
        cause="Noise is added in eval mode too.",
    ),
    Misconception(
        id="learned.never_noisy",
        mistakes=(),
        target="LearnedFilter",
        replace="if self.training:",
        by="if not self.training and self.noise < 0:",
        fails=("modes",),
        cause="No noise is added in train mode.",
    ),
    Misconception(
        id="learned.no_gradient",
        mistakes=(),
        target="LearnedFilter",
        replace="windows * self.kernel",
        by="windows * self.kernel.detach()",
        fails=("gradients",),
        cause="`detach` keeps the gradient from the kernel.",
    ),
)
