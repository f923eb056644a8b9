"""Other right ways to write a4.mlp."""

# %% residual.torch_add
class ResidualAdd(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x, *args, **kwargs):
        return torch.add(self.block(x, *args, **kwargs), x)


# %% residual.keeps_the_input
class ResidualAdd(nn.Module):
    def __init__(self, fn):
        super().__init__()
        if isinstance(fn, nn.Module):
            self.add_module("branch", fn)
        else:
            self.branch = fn

    def forward(self, x, **kwargs):
        res = x
        x = self.branch(x, **kwargs)
        x = x + res
        return x


# %% residual.sum_of_a_stack
class ResidualAdd(nn.ModuleList):
    def __init__(self, fn):
        super().__init__([fn] if isinstance(fn, nn.Module) else [])
        self.function = None if isinstance(fn, nn.Module) else fn

    def forward(self, x, **kwargs):
        fn = self[0] if self.function is None else self.function
        return torch.stack([x, fn(x, **kwargs)]).sum(dim=0)


# %% mlp.sequential
# earns: a4.mlp, a4.vit
# As notebook 003 has it, with the second dropout that it lacks.
class FeedForward(nn.Sequential):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(expansion * emb_size, emb_size),
            nn.Dropout(dropout),
        )


# %% mlp.dropout_where_there_is_some
# earns: a4.mlp, a4.vit
# As notebook 004 has it, without what it has too much.
class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc_1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc_2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout_1 = nn.Dropout(dropout) if dropout > 0 else None
        self.dropout_2 = nn.Dropout(dropout) if dropout > 0 else None

    def forward(self, x):
        out = self.activation(self.fc_1(x))
        if self.dropout_1:
            out = self.dropout_1(out)
        out = self.fc_2(out)
        if self.dropout_2:
            out = self.dropout_2(out)
        return out


# %% mlp.by_erf_and_bernoulli
# earns: a4.mlp, a4.vit
class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.up = nn.Linear(emb_size, emb_size * expansion)
        self.down = nn.Linear(emb_size * expansion, emb_size)
        self.rate = dropout

    def drop(self, x):
        if not self.training or self.rate == 0:
            return x
        return x * torch.empty_like(x).bernoulli_(1 - self.rate) / (1 - self.rate)

    def forward(self, x):
        h = torch.einsum("wd,...d->...w", self.up.weight, x) + self.up.bias
        h = self.drop(h * 0.5 * (1 + torch.erf(h / 2**0.5)))
        return self.drop(torch.einsum("dw,...w->...d", self.down.weight, h) + self.down.bias)
