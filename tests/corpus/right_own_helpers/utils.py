"""Own helpers."""

import torch


def safe_softmax(scores):
    """Softmax over the last axis; rows of only -inf become zeros."""
    top = scores.detach().amax(-1, keepdim=True)
    top = torch.where(top == -torch.inf, torch.zeros_like(top), top)
    e = (scores - top).exp()
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)
