"""Student code for the conformance tests. Never imported: delivered to a worker as text."""

import contextlib
import random

import torch
from torch import nn

RATE = 0.25
NAMES = ["query", "key"]


def product(a, b):
    return a @ b


def same(a):
    return a


def detached(a):
    return a.detach() * 2


def shapes_of(a):
    return {"shape": tuple(a.shape), "stride": a.stride(), "contiguous": a.is_contiguous()}


def mixed(a):
    return a * 2, {"sum": a.sum(), "none": None, "count": 3, "list": [1.5, "text", True]}, a.long()


def only_first(a, b):
    return a * 2


def times_zero(a, b):
    return a * 2 + b * 0


def are_one(a, b, c):
    return a is b and b is c


def share_memory(a, b):
    before = b.clone()
    with torch.no_grad():
        a.zero_()
    return not torch.equal(before, b)


def add_in_place(a):
    a += 1
    return a


def hidden_change(a):
    a.detach().view(-1)[0] = 7.0
    return a * 2


def settings():
    return torch.is_grad_enabled(), torch.get_default_dtype()


def draw(n):
    return torch.rand(n), random.random()


def apply_twice(fn, a):
    return fn(fn(a))


def gradient_inside(fn, a):
    a = a.detach().clone().requires_grad_()
    (fn(a) ** 2).sum().backward()
    return a.grad


def call_with(fn, args, kwargs):
    return fn(*args, **kwargs)


def swallow(fn, a):
    with contextlib.suppress(Exception):
        fn(a)
    return a


def fail(message):
    raise ValueError(message)


def make_object():
    return object()


def make_subclass():
    class Sneaky(torch.Tensor):
        pass

    return torch.ones(3).as_subclass(Sneaky)


class FailsBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, gradient):
        raise KeyError("inside backward")


def fails_backward(a):
    return FailsBackward.apply(a)


def scale_by(scale):
    return lambda a: a * scale


class Layer(nn.Module):
    def __init__(self, d_in, d_out, bias=True):
        super().__init__()
        self.linear = nn.Linear(d_in, d_out, bias=bias)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("mask", torch.ones(3, 3).tril().bool())
        self.heads = 4

    def forward(self, x):
        return self.drop(self.linear(x))

    def weight(self):
        return self.linear.weight


class GivesWeight(Layer):
    def forward(self, x):
        return self.linear.weight


class KeepsPlainTensors(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer(3, 2)
        self.layer.triangle = torch.ones(4, 4).tril()
        self.scale = torch.tensor(0.5)
        self.mask = nn.Parameter(torch.ones(2, 2), requires_grad=False)


class Stubborn(nn.Linear):
    def train(self, mode=True):
        raise RuntimeError("no other mode")


class HoldsStubborn(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Stubborn(3, 2)

    def forward(self, x):
        return self.part(x)


def run_layer(layer, x):
    return layer(x)


def draw_three(generator):
    return torch.rand(3, generator=generator)


def descend(layer, optimiser, x):
    optimiser.zero_grad()
    loss = layer(x).sum()
    loss.backward()
    optimiser.param_groups[-1]["lr"] = 0.5
    optimiser.step()
    return len(optimiser.param_groups)
