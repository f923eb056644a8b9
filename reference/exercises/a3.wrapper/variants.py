"""Other right ways to write a3.wrapper."""

# %% wrapper.own_heads
class Head(nn.Module):
    def __init__(self, d_in, d_out, block_size, dropout, bias):
        super().__init__()
        self.query = nn.Linear(d_in, d_out, bias=bias)
        self.key = nn.Linear(d_in, d_out, bias=bias)
        self.value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.block_size = block_size

    def forward(self, x):
        B, T, C = x.shape
        if T > self.block_size:
            raise ValueError(f"T={T} > block_size={self.block_size}")
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        tril = torch.tril(torch.ones(T, T, device=x.device))
        wei = wei.masked_fill(tril == 0, float("-inf")).softmax(dim=-1)
        return self.dropout(wei) @ v


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        made = [Head(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
        self.attention_heads = nn.ModuleList(made)

    def forward(self, x):
        found = []
        for head in self.attention_heads:
            found += [head(x)]
        return torch.concat(found, 2)


# %% wrapper.stacked_and_flattened
# target: MultiHeadAttentionWrapper.forward
def forward(self, x):
    found = torch.stack([self.heads[h](x) for h in range(len(self.heads))], dim=2)  # B T H d
    return found.reshape(x.size(0), x.size(1), -1)


# %% wrapper.heads_as_modules_of_their_own
class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        for h in range(num_heads):
            head = CausalAttention(
                d_in=d_in,
                d_out=d_out,
                context_length=context_length,
                dropout=dropout,
                qkv_bias=qkv_bias,
            )
            setattr(self, f"head_{h}", head)

    def forward(self, x):
        return torch.cat([getattr(self, f"head_{h}")(x) for h in range(self.num_heads)], -1)
