"""Answers to a3.cross in which nobody understood anything.

The values are projected, dropped and differentiated as they should be; only the weights are not. A
gradient is compared with the student's own function, wrong as that may be.
"""

# %% blank: uniform attention in a3.cross
# target: CrossAttention.forward
# may earn: numerics, gradients
def forward(
    self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
) -> torch.Tensor:
    value = self.W_value(memory)  # B L D
    output: torch.Tensor = self.out_proj(value.mean(1, keepdim=True).expand(-1, x.shape[1], -1))
    return output


# %% blank: a lone projection in a3.cross
# target: CrossAttention.forward
# may earn: numerics, gradients
def forward(
    self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
) -> torch.Tensor:
    output: torch.Tensor = self.out_proj(self.W_query(x))
    return output
