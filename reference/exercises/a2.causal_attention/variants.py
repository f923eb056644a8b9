"""Other right ways to write a2.causal_attention."""

# %% causal.triu_of_ones
class CausalAttention(nn.Module):
    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        may_attend = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", may_attend)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tokens, longest = x.shape[1], self.mask.shape[0]
        if tokens > longest:
            raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
        scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
        scores.masked_fill_(self.mask.bool()[:tokens, :tokens], -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        output: torch.Tensor = weights @ value  # B T d_out
        return output


# %% causal.additive_mask
class CausalAttention(nn.Module):
    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        may_attend = torch.full((context_length, context_length), float("-inf")).triu(1)
        self.register_buffer("mask", may_attend)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tokens, longest = x.shape[1], self.mask.shape[0]
        if tokens > longest:
            raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
        scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
        scores = scores + self.mask[:tokens, :tokens]
        weights = self.dropout(torch.softmax(scores, dim=-1))
        output: torch.Tensor = weights @ value  # B T d_out
        return output


# %% causal.positions_compared
class CausalAttention(nn.Module):
    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        may_attend = torch.arange(context_length)
        self.register_buffer("mask", may_attend)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tokens, longest = x.shape[1], self.mask.shape[0]
        if tokens > longest:
            raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
        scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
        order = self.mask[:tokens]
        scores = scores.masked_fill(order > order[:, None], -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        output: torch.Tensor = weights @ value  # B T d_out
        return output


# %% causal.weights_renormalised
# target: CausalAttention.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    tokens, longest = x.shape[1], self.mask.shape[0]
    if tokens > longest:
        raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
    query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
    scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
    allowed = self.mask[:tokens, :tokens]
    largest = scores.masked_fill(~allowed, -torch.inf).amax(-1, True)
    powers = torch.exp((scores - largest).clamp(max=0)) * allowed
    weights = self.dropout(powers / powers.sum(dim=-1, keepdim=True))
    output: torch.Tensor = weights @ value  # B T d_out
    return output


# %% causal.buffer_not_in_state
# target: CausalAttention.__init__
def __init__(
    self,
    d_in: int,
    d_out: int,
    context_length: int,
    dropout: float,
    qkv_bias: bool = False,
) -> None:
    super().__init__()
    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
    self.dropout = nn.Dropout(dropout)
    may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()
    self.register_buffer("mask", may_attend, persistent=False)


# %% causal.functional_dropout
class CausalAttention(nn.Module):
    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = dropout
        may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()
        self.register_buffer("mask", may_attend)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tokens, longest = x.shape[1], self.mask.shape[0]
        if tokens > longest:
            raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
        scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
        scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)
        weights = nn.functional.dropout(
            torch.softmax(scores, dim=-1), self.dropout, training=self.training
        )
        output: torch.Tensor = weights @ value  # B T d_out
        return output


# %% causal.by_the_function_of_assignment_1
# target: CausalAttention.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    from a1_attention import scaled_dot_product_attention

    tokens, longest = x.shape[1], self.mask.shape[0]
    if tokens > longest:
        raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
    query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
    seen = self.mask[:tokens, :tokens]
    _, weights = scaled_dot_product_attention(query, key, value, seen)  # B T T
    output: torch.Tensor = self.dropout(weights) @ value  # B T d_out
    return output
