"""Answers to a2.causal_attention in which nobody understood anything.

The values are projected, dropped and differentiated as they should be; only the weights are not. A
gradient is compared with the student's own function, wrong as that may be.
"""

# %% blank: uniform attention in a2.causal_attention
# target: CausalAttention.forward
# may earn: modes, numerics, gradients
def forward(self, x: torch.Tensor) -> torch.Tensor:
    tokens, longest = x.shape[1], self.mask.shape[0]
    if tokens > longest:
        raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
    query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
    scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
    pass
    weights = self.dropout(torch.ones_like(scores) / tokens)
    output: torch.Tensor = weights @ value  # B T d_out
    return output


# %% blank: zeros where torch makes them in a2.causal_attention
# target: CausalAttention.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    tokens, longest = x.shape[1], self.mask.shape[0]
    if tokens > longest:
        raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
    query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
    scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
    scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)
    weights = self.dropout(torch.softmax(scores, dim=-1))
    output = torch.zeros(len(x), tokens, value.shape[-1])  # B T d_out
    return output
