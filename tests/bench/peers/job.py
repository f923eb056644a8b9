"""The job of the comparison: six pieces, forty checks, right and wrong submissions.

Every form grades the same submissions by the same forty checks on the same inputs. The plain ones
call `run` on the student's module; the grader's own suites are written from the same table.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

HERE = Path(__file__).resolve().parent
RIGHT = HERE / "right.py"
B, T, D, H = 2, 16, 64, 4
"""Batch, tokens, width, heads."""
SIZE, PATCH, DEPTH, CLASSES = 32, 8, 2, 10

TOKENS = (B, T, D)
IMAGES = (B, 3, SIZE, SIZE)


@dataclass(frozen=True)
class Piece:
    """A function or class of the job, with the arguments that its class is made with."""

    name: str
    arguments: tuple[int, ...] | None
    """None for a function."""
    inputs: tuple[tuple[int, ...], ...]
    """The shapes of the tensors it is called with."""

    @property
    def is_class(self) -> bool:
        return self.arguments is not None


PIECES = (
    Piece("attend", None, ((B, H, T, D // H),) * 3),
    Piece("CausalAttention", (D,), (TOKENS,)),
    Piece("MultiHeadAttention", (D, H), (TOKENS,)),
    Piece("PatchEmbedding", (SIZE, PATCH, D), (IMAGES,)),
    Piece("EncoderBlock", (D, H), (TOKENS,)),
    Piece("VisionTransformer", (SIZE, PATCH, D, H, DEPTH, CLASSES), (IMAGES,)),
)
KINDS = ("output", "other_output", "large_output", "double_output", "shape", "gradients", "repeat")
"""What is checked of every piece; `EXTRA` are added to the last ones to make forty."""
EXTRA = ("unchanged",)


@dataclass(frozen=True)
class Check:
    """One of the forty checks: a kind of question, asked of a piece."""

    piece: Piece
    kind: str
    seed: int

    @property
    def name(self) -> str:
        return f"{self.piece.name}_{self.kind}".lower()


def checks() -> tuple[Check, ...]:
    """Return the forty checks, piece by piece."""
    pairs = [(piece, kind) for piece in PIECES for kind in KINDS]
    pairs += [(piece, kind) for piece in PIECES for kind in EXTRA]
    named = [Check(piece, kind, seed) for seed, (piece, kind) in enumerate(pairs[:40])]
    return tuple(sorted(named, key=lambda check: PIECES.index(check.piece)))


MISTAKES = (
    (" / math.sqrt(query.shape[-1])", ""),
    ("torch.softmax(scores, dim=-1)", "torch.softmax(scores, dim=-2)"),
    ("triu(diagonal=1)", "triu(diagonal=2)"),
    ("masked_fill(mask,", "masked_fill(~mask,"),
    ("qkv[0], qkv[1], qkv[2]", "qkv[1], qkv[0], qkv[2]"),
    ("heads.transpose(1, 2).reshape", "heads.reshape"),
    ("permute(0, 2, 3, 1, 4, 5)", "permute(0, 3, 2, 1, 4, 5)"),
    ("x = x + self.attention", "x = self.attention"),
    ("self.norm(x)[:, 0]", "self.norm(x).mean(dim=1)"),
    ("torch.nn.functional.gelu", "torch.relu"),
)
"""What the wrong submissions have in place of what stands in `right.py`."""


def submissions(count: int) -> Iterator[tuple[str, str, bool]]:
    """Yield `count` submissions: a name, the source, and whether it is right. Half are."""
    right = RIGHT.read_text(encoding="utf-8")
    for number in range(count):
        name = f"student-{number:05}"
        wrong = number % 2 == 1
        source = right
        if wrong:
            before, after = MISTAKES[number // 2 % len(MISTAKES)]
            assert before in right, before
            source = right.replace(before, after)
        # No two are the same file, so that nobody grades one for all.
        yield name, f"{source}\n# {name}\n", not wrong


# ---- the checks, for graders that run them in the student's own process ------------------------


@dataclass(frozen=True)
class Right:
    """The right answer to a check, computed once in a process."""

    state: dict[str, torch.Tensor]
    answer: torch.Tensor
    gradients: tuple[torch.Tensor, ...]
    """Empty unless the check is about them."""


def run(check: Check, student: Any, reference: ModuleType) -> None:
    """Run the check on the student's module.

    Raises:
        AssertionError: the answer is wrong.
    """
    right = _right(check, reference)
    inputs = _inputs(check)
    yours = _made(check, student)
    if check.piece.is_class:
        yours.load_state_dict(right.state)
    if check.kind == "gradients":
        answer, gradients = _differentiated(yours, inputs)
        _same((answer, *gradients), (right.answer, *right.gradients))
        return
    before = [each.clone() for each in inputs]
    answer = yours(*inputs)
    if check.kind == "unchanged":
        _same(tuple(inputs), tuple(before))
    elif check.kind == "shape":
        assert answer.shape == right.answer.shape
    else:
        _same(answer, right.answer)
        if check.kind == "repeat":
            _same(yours(*inputs), right.answer)


@functools.cache
def _right(check: Check, reference: ModuleType) -> Right:
    torch.manual_seed(check.seed)
    function = _made(check, reference)
    state = function.state_dict() if check.piece.is_class else {}
    if check.kind == "gradients":
        return Right(state, *_differentiated(function, _inputs(check)))
    return Right(state, function(*_inputs(check)).detach(), ())


def _inputs(check: Check) -> list[torch.Tensor]:
    """Return the inputs of a check, float64 where it is about doubles and float32 else."""
    generator = torch.Generator().manual_seed(check.seed)
    dtype = torch.float64 if check.kind == "double_output" else torch.float32
    scale = 8.0 if check.kind == "large_output" else 1.0
    return [
        torch.randn(shape, generator=generator, dtype=dtype) * scale for shape in check.piece.inputs
    ]


def _made(check: Check, module: Any) -> Any:
    """Return the piece: a function as it is, of a class an object."""
    made = getattr(module, check.piece.name)
    if check.piece.arguments is None:
        return made
    made = made(*check.piece.arguments)
    return made.double() if check.kind == "double_output" else made


def _differentiated(
    function: Any, inputs: list[torch.Tensor]
) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """Return the answer, and the gradients of all inputs and parameters of a weighted sum of it."""
    leaves = [each.clone().requires_grad_() for each in inputs]
    answer = function(*leaves)
    weights = torch.randn(answer.shape, generator=torch.Generator().manual_seed(1))
    learned = function.parameters() if isinstance(function, torch.nn.Module) else ()
    return answer.detach(), torch.autograd.grad((answer * weights).sum(), [*leaves, *learned])


def _same(answer: Any, right: Any) -> None:
    torch.testing.assert_close(answer, right, rtol=1e-4, atol=1e-5)


@functools.cache
def table() -> dict[str, Check]:
    """Return the checks by their names."""
    return {check.name: check for check in checks()}
