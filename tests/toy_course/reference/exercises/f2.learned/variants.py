"""Other right ways to write f2.learned."""

# %% learned.convolution
# target: LearnedFilter.forward
def forward(self, images: torch.Tensor) -> torch.Tensor:
    if self.training:
        images = images + self.noise * torch.randn_like(images)
    side = len(self.kernel)
    return nn.functional.conv2d(images[:, None], self.kernel[None, None])[:, 0] + self.offset
