"""Answers to a3.mha in which nobody understood anything.

The values are projected, dropped and differentiated as they should be; only the weights are not. A
gradient is compared with the student's own function, wrong as that may be.
"""

# %% blank: uniform attention in a3.mha
# target: MultiHeadAttention.forward
# may earn: modes, numerics, gradients
def forward(self, x: torch.Tensor) -> torch.Tensor:
    batch, tokens, _ = x.shape
    by_head = (batch, tokens, self.num_heads, self.head_dim)
    query = self.W_query(x).view(by_head).transpose(1, 2)  # B H T Dh
    key = self.W_key(x).view(by_head).transpose(1, 2)  # B H T Dh
    value = self.W_value(x).view(by_head).transpose(1, 2)  # B H T Dh
    scores = query @ key.transpose(2, 3) * self.head_dim**-0.5  # B H T T
    pass
    weights = self.dropout(torch.ones_like(scores) / tokens)
    context = (weights @ value).transpose(1, 2)  # B T H Dh
    context = context.reshape(batch, tokens, -1)  # B T d_out
    output: torch.Tensor = self.out_proj(context)
    return output


# %% blank: a lone projection in a3.mha
# target: MultiHeadAttention.forward
# may earn: modes, numerics, gradients
def forward(self, x: torch.Tensor) -> torch.Tensor:
    output: torch.Tensor = self.out_proj(self.dropout(self.W_value(x)))
    return output
