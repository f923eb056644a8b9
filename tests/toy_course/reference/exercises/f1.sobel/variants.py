"""Other right ways to write f1.sobel."""

# %% sobel.convolution
def sobel(images):
    right = torch.tensor([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], dtype=images.dtype)
    kernels = torch.stack([right, right.T])[:, None]
    found = torch.nn.functional.conv2d(images[:, None], kernels)
    return found[:, 0], found[:, 1]
