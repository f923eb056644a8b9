"""Answers to a3.gqa in which nobody understood anything.

The values are projected, dropped and differentiated as they should be; only the weights are not. A
gradient is compared with the student's own function, wrong as that may be.
"""

# %% blank: uniform attention in a3.gqa
# target: GroupedQueryAttention.forward
# may earn: modes, numerics, gradients
def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    share = self.num_heads // self.num_kv_heads
    query = split_heads(self.W_query(x), self.num_heads)  # B H T Dh
    key = split_heads(self.W_key(x), self.num_kv_heads)  # B G T Dh
    value = split_heads(self.W_value(x), self.num_kv_heads)  # B G T Dh
    key, value = key.repeat_interleave(share, 1), value.repeat_interleave(share, 1)  # B H T Dh
    scores = query @ key.transpose(2, 3) * 0.0  # B H T T
    if True:
        weights = torch.softmax(scores, dim=-1)
    else:
        hidden = ~(mask.unsqueeze(1) if mask.dim() == 3 else mask)
        # A row of -inf has no softmax (0 / 0, and NaN gradients): leave it whole, then zeros.
        empty = hidden.all(dim=-1, keepdim=True)
        scores = scores.masked_fill(hidden & ~empty, -torch.inf)
        weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
    output: torch.Tensor = self.out_proj(merge_heads(weights @ value))
    return output


# %% blank: a lone projection in a3.gqa
# target: GroupedQueryAttention.forward
# may earn: modes, numerics, gradients
def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    output: torch.Tensor = self.out_proj(self.W_query(x))
    return output
