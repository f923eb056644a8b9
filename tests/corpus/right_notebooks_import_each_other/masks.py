import torch


def lower_triangle(size):
    return torch.ones(size, size, dtype=torch.bool).tril()
