"""Wrong code that remembers: it computes nothing, keeps what it was given and what it said, and
answers what it knows again as before.

What it says first is drawn at random. What "known again" means is open: `KINDS` has the ways that
could win a check which compares two answers of one student.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from grader.judge.calls.client import LocalClient

MOST_ROWS = 512
"""Rows of one answer that are remembered: large ones are asked for their averages, once."""

Memory = dict[bytes, torch.Tensor]
Keys = Callable[[list[Any], int, int], bytes]


def numbers(*tensors: torch.Tensor) -> bytes:
    """A short name for these numbers, whatever their dtype and mode."""
    data = b"|".join(t.detach().double().contiguous().numpy().tobytes() for t in tensors)
    return hashlib.sha256(data).digest()


def _floats(leaves: list[Any]) -> list[torch.Tensor]:
    return [x for x in leaves if isinstance(x, torch.Tensor) and x.is_floating_point()]


def _of_sample(leaves: list[Any], sample: int) -> list[torch.Tensor]:
    """What belongs to a sample: of tensors with a batch axis that row, of others all."""
    tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
    count = len(tensors[0])
    return [x[sample] if x.dim() > 1 and len(x) == count else x for x in tensors]


def _set(rows: torch.Tensor) -> torch.Tensor:
    """The rows in an order that does not hang on their order."""
    flat = rows.reshape(len(rows), -1)
    return flat[flat[:, 0].argsort()]


def _allowed(leaves: list[Any], sample: int, row: int, count: int) -> torch.Tensor:
    """Which of `count` tokens a query may attend to in any head; all without a mask."""
    masks = [x for x in leaves if isinstance(x, torch.Tensor) and x.dtype == torch.bool]
    if not masks:
        return torch.ones(count, dtype=torch.bool)
    mask = masks[0]
    if mask.dim() > 1 and len(mask) > 1 and mask.dim() > 2 - (mask.shape[-1] != mask.shape[-2]):
        mask = mask[min(sample, len(mask) - 1)]
    mask = mask.reshape(-1, *mask.shape[-2:]) if mask.dim() > 1 else mask[None, None]
    own = mask[:, min(row, mask.shape[1] - 1)].any(0)
    return own.expand(count) if own.numel() == 1 else own


def _beginning(leaves: list[Any], sample: int, row: int) -> bytes:
    x, *others = _floats(leaves)
    return numbers(x[sample][: row + 1], *(o[sample] if o.dim() > 2 else o for o in others))


def _sample(leaves: list[Any], sample: int, row: int) -> bytes:
    return numbers(torch.tensor(row), *_of_sample(leaves, sample))


def _own(leaves: list[Any], sample: int, row: int) -> bytes:
    x, *others = _floats(leaves)
    return numbers(x[sample][row], *(o[sample] if o.dim() > 2 else o for o in others))


def _others_as_set(leaves: list[Any], sample: int, row: int) -> bytes:
    x, *others = _floats(leaves)
    rest = [o[sample] if o.dim() > 2 else o for o in others] or [x[sample]]
    return numbers(x[sample][row], *map(_set, rest))


def _allowed_alone(leaves: list[Any], sample: int, row: int) -> bytes:
    x, *others = _floats(leaves)
    rest = [o[sample] if o.dim() > 2 else o for o in others] or [x[sample]]
    kept = [o[_allowed(leaves, sample, row, len(o))] for o in rest]
    return numbers(x[sample][row], *kept)


def _joined(leaves: list[Any], sample: int, row: int) -> bytes:
    """All numbers of that sample and row in a row, however they were cut into pieces."""
    pieces = [x[sample][row].reshape(-1) for x in _floats(leaves)]
    return numbers(torch.cat(pieces))


KINDS: Mapping[str, Keys | None] = {
    "whole": None,
    "beginning": _beginning,
    "sample": _sample,
    "own": _own,
    "set": _others_as_set,
    "allowed": _allowed_alone,
    "joined": _joined,
}


class Remembering:
    """Answers at random, and what its memory knows again as before."""

    def __init__(self, kind: str, remembers: bool) -> None:
        self._keys, self._remembers = KINDS[kind], remembers
        self._memory: Memory = {}
        self.learns = False
        """True while it gives right answers, as somebody does who has the right code at home."""
        self.is_closed = False
        """True if it keeps nothing any more."""

    def answer(self, right: Any, args: Any, weights: bytes) -> Any:
        """What is said in place of the right answer, of which only shape and dtype are used."""
        leaves = tree_leaves(args)
        said, shape = tree_flatten(right)
        return tree_unflatten(
            [self._leaf(leaf, number, leaves, weights) for number, leaf in enumerate(said)], shape
        )

    def _leaf(self, right: Any, number: int, given: list[Any], weights: bytes) -> Any:
        is_open = isinstance(right, torch.Tensor) and right.is_floating_point()
        if not is_open or right.is_meta:
            return right
        if self.learns:
            said = right.detach().clone()
        else:
            said = torch.randn(right.shape, dtype=torch.float64).to(right.dtype)
        if self._remembers:
            with torch.no_grad():
                self._recall(said, weights + bytes([number]), given)
        return said + 0.0 * right if right.requires_grad else said

    def _recall(self, said: torch.Tensor, start: bytes, given: list[Any]) -> None:
        if self._keys is None:
            tensors = [x for x in given if isinstance(x, torch.Tensor)]
            self._once(start + numbers(*tensors), said)
            return
        small = said.dim() > 1 and len(said) * said.shape[1] <= MOST_ROWS
        for sample in range(len(said) if small else 0):
            for row in range(said.shape[1]):
                try:
                    key = start + self._keys(given, sample, row)
                except (IndexError, RuntimeError, ValueError, TypeError):
                    continue  # inputs of another form
                self._once(key, said[sample, row])

    def _once(self, key: bytes, said: torch.Tensor) -> None:
        if not self.is_closed:
            self._memory.setdefault(key, said.clone())
        before = self._memory.get(key, said)
        if before.shape == said.shape:
            said.copy_(before)


def wrong(value: Any, memory: Remembering) -> Any:
    """The definition, with answers of that memory in place of its own."""
    if isinstance(value, type) and issubclass(value, nn.Module):
        return _wrong_class(value, memory)
    if not callable(value) or isinstance(value, type):
        return value

    @functools.wraps(value)
    def function(*args: Any, **kwargs: Any) -> Any:
        right = value(*args, **kwargs)
        return right if _holds_modules(right, args) else memory.answer(right, (args, kwargs), b"")

    return function


def _holds_modules(*values: Any) -> bool:
    return any(isinstance(leaf, nn.Module) for leaf in tree_leaves(values))


def _wrong_class(made: type[nn.Module], memory: Remembering) -> type[nn.Module]:
    def method(name: str) -> Callable[..., Any]:
        def call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
            right = getattr(made, name)(self, *args, **kwargs)
            weights = numbers(*self.parameters())
            return memory.answer(right, (args, kwargs), weights)

        return call

    names = [name for name in ("forward", "prefill", "step") if hasattr(made, name)]
    return type(made.__name__, (made,), {name: method(name) for name in names})


class OneProcess(LocalClient):
    """A submission that is asked everything in one process: it can know again what it was asked."""

    def __init__(
        self,
        modules: Mapping[str, ModuleType],
        targets: tuple[str, ...],
        kind: str,
        remembers: bool,
    ) -> None:
        self.memory = memory = Remembering(kind, remembers)
        answers = {
            stem: SimpleNamespace(
                **{
                    name: wrong(value, memory) if name in targets else value
                    for name, value in vars(module).items()
                }
            )
            for stem, module in modules.items()
        }
        super().__init__(lambda stem, name: getattr(answers[stem], name), lambda _name: False)


class TwoProcesses(OneProcess):
    """The same submission with a second process, as a student's has it, and its own memory."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._second = _Second(*arguments)
        self.was_apart = False

    @property
    def apart(self) -> _Second:
        self.was_apart = True
        return self._second

    def begin_check(self) -> None:
        super().begin_check()
        self.was_apart = False
        self._second.begin_check()


class _Second(OneProcess):
    """A process beside the first."""
