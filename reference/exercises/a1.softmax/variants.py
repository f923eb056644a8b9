"""Other right ways to write a1.softmax."""

# %% softmax.by_logarithm
def stable_softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    largest = x.amax(dim=dim, keepdim=True)
    shifted_powers = torch.exp(x - largest)
    return torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))


# %% softmax.detached_maximum
def stable_softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    largest = x.detach().max(dim=dim, keepdim=True).values
    shifted_powers = torch.exp(x - largest)
    return shifted_powers / shifted_powers.sum(dim=dim, keepdim=True)


# %% softmax.axis_moved_to_the_end
def stable_softmax(x, dim=-1):
    rows = x.movedim(dim, -1)
    rows = (rows - rows.max(-1, keepdim=True)[0]).exp()
    return (rows / rows.sum(-1, keepdim=True)).movedim(-1, dim)


# %% softmax.naive_by_a_loop
def softmax_naive(x):
    total = 0.0
    for number in x:
        total = total + torch.exp(number)
    return torch.stack([torch.exp(number) / total for number in x])


# %% softmax.sum_by_dot
def normalise_by_sum(scores):
    total = torch.dot(scores, torch.ones_like(scores))
    return torch.div(scores, total)


# %% softmax.of_torch
def stable_softmax(x, dim=-1):
    return torch.nn.functional.softmax(x, dim=dim)
