"""Other right ways to write a3.mha."""

# %% mha.einops
# target: MultiHeadAttention.forward
def forward(self, x):
    from einops import einsum, rearrange

    def split(tensor):
        return rearrange(tensor, "b t (h d) -> b h t d", h=self.num_heads)

    q, k, v = split(self.W_query(x)), split(self.W_key(x)), split(self.W_value(x))
    scores = einsum(q, k, "b h i d, b h j d -> b h i j") / self.head_dim**0.5
    t = x.shape[1]
    scores = scores.masked_fill(~self.mask[:t, :t], torch.finfo(scores.dtype).min)
    weights = self.dropout(scores.softmax(dim=-1))
    context = einsum(weights, v, "b h i j, b h j d -> b h i d")
    return self.out_proj(rearrange(context, "b h t d -> b t (h d)"))


# %% mha.one_head_after_the_other
# target: MultiHeadAttention.forward
def forward(self, x):
    t, width = x.size(1), self.head_dim
    found = []
    for head in range(self.num_heads):
        part = slice(head * width, (head + 1) * width)
        q, k, v = (w(x)[..., part] for w in (self.W_query, self.W_key, self.W_value))
        scores = (q / width**0.5) @ k.transpose(1, 2)
        scores = scores.masked_fill(self.mask[:t, :t] == 0, float("-inf"))
        found.append(self.dropout(torch.softmax(scores, dim=2)) @ v)
    return self.out_proj(torch.cat(found, dim=-1))


# %% mha.heads_in_the_batch
# target: MultiHeadAttention.forward
def forward(self, x):
    b, t, _ = x.shape

    def split(y):
        y = y.reshape(b, t, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        return y.reshape(b * self.num_heads, t, self.head_dim)

    q, k, v = map(split, (self.W_query(x), self.W_key(x), self.W_value(x)))
    scores = torch.bmm(q, k.transpose(1, 2)) * self.head_dim**-0.5
    weights = torch.softmax(scores.masked_fill(~self.mask[:t, :t], -torch.inf), dim=-1)
    out = torch.bmm(self.dropout(weights), v).reshape(b, self.num_heads, t, -1)
    return self.out_proj(out.transpose(1, 2).flatten(2))


# %% mha.mask_made_for_each_call
class MultiHeadAttention(nn.Module):
    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        if d_out % num_heads != 0:
            raise ValueError(f"a width of {d_out} cannot be divided among {num_heads} heads")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.dropout = nn.Dropout(dropout)
        pass

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, _ = x.shape
        by_head = (batch, tokens, self.num_heads, self.head_dim)
        query = self.W_query(x).view(by_head).transpose(1, 2)  # B H T Dh
        key = self.W_key(x).view(by_head).transpose(1, 2)  # B H T Dh
        value = self.W_value(x).view(by_head).transpose(1, 2)  # B H T Dh
        scores = query @ key.transpose(2, 3) * self.head_dim**-0.5  # B H T T
        later = torch.ones_like(scores, dtype=torch.bool).triu(diagonal=1)
        scores = scores.masked_fill(later, -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = (weights @ value).transpose(1, 2)  # B T H Dh
        context = context.reshape(batch, tokens, -1)  # B T d_out
        output: torch.Tensor = self.out_proj(context)
        return output


# %% mha.by_the_functions_before_it
# target: MultiHeadAttention.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    from a1_attention import scaled_dot_product_attention

    tokens, maps = x.shape[1], (self.W_query, self.W_key, self.W_value)
    query, key, value = (split_heads(each(x), self.num_heads) for each in maps)  # B H T Dh
    seen = torch.ones(tokens, tokens, dtype=torch.bool, device=x.device).tril()
    _, weights = scaled_dot_product_attention(query, key, value, seen)  # B H T T
    output: torch.Tensor = self.out_proj(merge_heads(self.dropout(weights) @ value))  # B T d_out
    return output
