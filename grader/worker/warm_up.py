"""Serve a small submission within one process, so that workers forked later start faster.

CPython specialises code after a few runs, and a page of memory that a worker is the first to
touch costs it a fault: loading two files took 15 ms in a worker forked from a process that had
never loaded any.
"""

from __future__ import annotations

import gc
import select
import socket
from collections.abc import Callable
from typing import Any

import torch

from ..wire.frame import Channel, Message, Meta
from ..wire.load_plan import LoadPlan, Wanted, load_request, survey_request
from ..wire.packing import pack
from ..wire.peer import Peer
from ..wire.side import Side
from ..wire.values import Node
from . import meta_values
from .main import SentFiles, Worker

ROUNDS = 12
STEMS = ("practice", "practice_helper")
SOURCES = {
    "practice_helper.py": '''"""Text."""
import math

import torch

FACTOR = 0.5


def scaled(x: torch.Tensor, other: torch.Tensor, mask: torch.Tensor | None = None):
    """Text."""
    product = x @ other.transpose(-2, -1) / math.sqrt(x.shape[-1])
    if mask is not None:
        product = product.masked_fill(~mask, float("-inf"))
    rows = torch.sigmoid(product)
    return torch.where(torch.isnan(rows), FACTOR, rows) @ other, rows
''',
    "practice.py": '''"""Text."""
import torch
from practice_helper import scaled
from torch import nn
import numpy as np


class Layer(nn.Module):
    """Text."""

    def __init__(self, width: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.first = nn.Linear(width, width, bias=True)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(8, 8, dtype=torch.bool)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        samples, tokens, width = x.shape
        if tokens > len(self.mask):
            raise ValueError(f"{tokens} tokens")
        parts = self.first(x).view(samples, tokens, 2, width // 2).transpose(1, 2)
        out, _ = scaled(parts, parts, self.mask[:tokens, :tokens])
        out = out.transpose(1, 2).contiguous().view(samples, tokens, width)
        return self.norm(self.dropout(out))
''',
}
TARGETS = {STEMS[0]: ("Layer",), STEMS[1]: ("scaled",)}
WANTED = Wanted(
    targets=TARGETS,
    methods={"Layer": ("forward",)},
    names=("torch.fft.rfft", "torch.nn.functional.bilinear"),
    patterns={
        "1": ("_.sigmoid(...)", "_ / math.sqrt(_)", "_.transpose(_number, _number)"),
        "2": ("_name = nn.LayerNorm(_)", "if _ > _: ...", "_[:_, :_]", "return _, _"),
    },
)
"""Questions of the kind a course asks of a text; none of them is any course's."""


class _Handle:
    """An object of the worker's, by its number."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Caller(Side):
    """The judge's `Side`, as far as practice needs it."""

    def name(self, value: Any) -> Node | None:
        return ["H", value.number] if isinstance(value, _Handle) else None

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        return _Handle(parts[0])


class _CallingPeer(Peer):
    """A `Peer` that starts a check with the next request when told to."""

    must_reset = False

    def exchange(self, meta: Meta, buffers: Any = ()) -> Message:
        if self.must_reset:
            meta, self.must_reset = {**meta, "reset": True}, False
        return super().exchange(meta, buffers)


def load_rarely_used() -> None:
    """Import what torch loads at the first meta tensor or the first broadcast of shapes.

    sympy is among it: 250 ms, once here instead of once in every worker that needs it.
    """
    x = torch.ones(2, 3, 3, device="meta")
    torch.sigmoid((x @ x).masked_fill(~(x > 0), 0.0))
    torch.broadcast_shapes((2, 1), (1, 3))  # type: ignore[no-untyped-call]
    gc.collect()
    gc.freeze()


def practise() -> None:
    """Practise loading, calling, differentiating and resetting, then leave nothing of it behind."""
    load_rarely_used()
    meta_values.add_operators()
    here, there = socket.socketpair()
    with here, there:
        near_worker = _taking_turns(there, lambda: caller.serve(caller.channel.receive()))
        worker = Worker(near_worker, SentFiles())
        near = _taking_turns(here, lambda: worker.serve_one())
        caller = _CallingPeer(near, _Caller(), {}, {"progress": lambda message: None})
        for _ in range(ROUNDS):
            _one_submission(caller)
            worker.close()
    gc.collect()
    gc.freeze()


def _taking_turns(sock: socket.socket, go_on: Callable[[], None]) -> Channel:
    """Make a channel whose end, instead of waiting for the other one, lets it go on."""

    def wait(writing: bool, until: float | None) -> None:
        if not select.select([sock], [], [], 0)[0]:
            go_on()

    return Channel(sock, wait)


def _one_submission(caller: _CallingPeer) -> None:
    files = {name: text.encode() for name, text in SOURCES.items()}
    plan = LoadPlan(files, {stem: f"{stem}.py" for stem in STEMS}, TARGETS, {})
    texts = list(files.values())
    caller.exchange(survey_request(plan, WANTED), texts)
    caller.exchange(load_request(plan), texts)
    x = torch.ones(2, 4, 6, dtype=torch.float64)
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    for grad in (False, True):
        caller.must_reset = True
        env = {"grad": grad, "dtype": "float32", "device": "cpu", "seed": 1}
        caller.call(["N", STEMS[1], "scaled"], (x, x), {"mask": mask}, env, {})
        layer = caller.call(["N", STEMS[0], "Layer"], (6,), {}, env, {}).value
        values = {"first.weight": torch.ones(6, 6), "first.bias": torch.ones(6)}
        caller.call(["B", "prepare"], (layer, pack(values), torch.float64, True), {}, env, {})
        mirrors = {name: p.double().requires_grad_() for name, p in values.items()} if grad else {}
        with torch.set_grad_enabled(grad):
            out = caller.call(["H", layer.number], (x,), {}, env, mirrors).value
            if grad:
                torch.autograd.grad(out.sum(), list(mirrors.values()))
        caller.call(["B", "state"], (layer,), {}, env, {})
