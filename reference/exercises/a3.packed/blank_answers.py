"""Answers to a3.packed in which nobody understood anything.

The values are projected, dropped and differentiated as they should be; only the weights are not. A
gradient is compared with the student's own function, wrong as that may be.
"""

# %% blank: uniform attention in a3.packed
# target: PackedMultiHeadAttention.forward
# may earn: conversion, modes, numerics, gradients
def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    batch, tokens, width = x.shape
    qkv = self.qkv(x).view(batch, tokens, 3, self.num_heads, width // self.num_heads)
    _query, _key, value = qkv.permute(2, 0, 3, 1, 4)  # B H T Dh, three times
    weights = x.new_ones(batch, self.num_heads, tokens, tokens) / tokens
    context = (self.dropout(weights) @ value).transpose(1, 2)  # B T H Dh
    output: torch.Tensor = self.projection(context.reshape(batch, tokens, width))
    return output


# %% blank: a lone projection in a3.packed
# target: PackedMultiHeadAttention.forward
# may earn: conversion, modes, numerics, gradients
def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    output: torch.Tensor = self.projection(self.dropout(self.qkv(x)[..., -x.shape[-1] :]))
    return output
