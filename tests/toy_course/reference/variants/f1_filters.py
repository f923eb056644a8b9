"""Other right ways to write filters."""

from grader.misconceptions import Variant

VARIANTS = (
    Variant(
        id="blur.two_means",
        target="box_blur",
        edits=(("windows.mean(dim=(3, 4))", "windows.mean(dim=4).mean(dim=3)"),),
    ),
    Variant(
        id="blur.shifted_copies",
        target="box_blur",
        source="""
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
""",
    ),
    Variant(
        id="sobel.convolution",
        target="sobel",
        source="""
def sobel(images):
    right = torch.tensor([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], dtype=images.dtype)
    kernels = torch.stack([right, right.T])[:, None]
    found = torch.nn.functional.conv2d(images[:, None], kernels)
    return found[:, 0], found[:, 1]
""",
    ),
)
