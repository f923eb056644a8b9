"""The third set: programs in styles of their own, and how each is proved right or wrong.

Nothing of it was tuned on when it was first measured. Programs with odd numbers, counted from 1,
may be looked at afterwards; those with even numbers are measured once more at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tests.restyled.anew.module_probes import weighted
from tests.restyled.anew.oracles import (
    Names,
    Seen,
    agrees,
    attempt,
    drawn,
    gradients,
    holding,
    names_of,
)
from tests.restyled.anew.third_attention import THIRD_ATTENTION
from tests.restyled.anew.third_decoder import THIRD_DECODER
from tests.restyled.anew.third_functions import THIRD_FUNCTIONS
from tests.restyled.anew.third_layouts import laid_out
from tests.restyled.anew.third_vision import THIRD_VISION
from tests.restyled.by_hand import Program

THIRD = (*THIRD_FUNCTIONS, *THIRD_ATTENTION, *THIRD_VISION, *THIRD_DECODER)
THIRD_ODD, THIRD_EVEN = THIRD[0::2], THIRD[1::2]
REFERENCE = Path(__file__).parents[3] / "reference"
FILES = {
    "a1": "a1_attention",
    "a2": "a2_masking",
    "a3": "a3_multi_head",
    "a4": "a4_vit",
    "a5": "a5_decoder",
}

B, T = 2, 5
MASK = drawn(B, T, T, seed=3) > 0
MASK[..., 0] = True
MASK[0, 2] = False
KEEP = torch.tensor([[True, False, True, False], [False] * 4])
EMPTY = drawn(B, 1, 4, 5, seed=9) > 0
EMPTY[0, 0, 1] = False
FLOATS = drawn(4, 5, seed=8).masked_fill(drawn(4, 5, seed=7) > 0.4, -torch.inf)
TINY = {"in_channels": 3, "patch_size": 4, "emb_size": 12, "img_size": 8}

MADE: Mapping[str, tuple[tuple[str, tuple[Any, ...], tuple[tuple[Any, ...], ...]], ...]] = {
    "a2.causal_attention": (
        ("CausalAttention", (5, 6, 7, 0.5, True), ((drawn(B, T, 5),), (drawn(B, 8, 5),))),
    ),
    "a3.mha": (("MultiHeadAttention", (5, 6, 7, 0.5, 2, True), ((drawn(B, T, 5),),)),),
    "a3.packed": (
        (
            "PackedMultiHeadAttention",
            (6, 2, 0.5),
            ((drawn(B, T, 6),), (drawn(B, T, 6), MASK), (drawn(B, T, 6), MASK[1])),
        ),
    ),
    "a3.gqa": (
        (
            "GroupedQueryAttention",
            (12, 6, 2),
            ((drawn(B, T, 12),), (drawn(B, T, 12), MASK), (drawn(B, T, 12), MASK[1])),
        ),
    ),
    "a3.cross": (
        (
            "CrossAttention",
            (5, 7, 6, 2),
            (
                (drawn(B, T, 5), drawn(B, 4, 7)),
                (drawn(B, T, 5), drawn(B, 4, 7), KEEP),
                (drawn(B, T, 5), drawn(B, 4, 7), ~KEEP),
            ),
        ),
    ),
    "a3.wrapper": (("MultiHeadAttentionWrapper", (5, 6, 7, 0.5, 2, True), ((drawn(B, T, 5),),)),),
    "a4.patch_embedding": (
        ("PatchEmbedding", (3, 4, 10), ((drawn(2, 3, 8, 12),), (drawn(2, 3, 9, 12),))),
    ),
    "a4.embeddings": (("ViTEmbeddings", (3, 4, 12, 8, 0.5), ((drawn(2, 3, 8, 8),),)),),
    "a4.mlp": (
        ("FeedForward", (6, 3, 0.5), ((drawn(B, T, 6),),)),
        ("ResidualAdd", (torch.sin,), ((drawn(B, T, 6),),)),
    ),
    "a4.block": (
        (
            "EncoderBlock",
            (6, 2, 3, 0.5),
            ((drawn(B, T, 6),), (drawn(B, T, 6), MASK), (drawn(B, T, 6), MASK[1])),
        ),
        ("PostNormEncoderBlock", (6, 2, 3, 0.5), ((drawn(B, T, 6),), (drawn(B, T, 6), MASK))),
    ),
    "a4.encoder": (
        ("Encoder", (2, 6, 2, 3, 0.5), ((drawn(B, T, 6),), (drawn(B, T, 6), MASK))),
        ("Encoder", (2, 6, 2, 3, 0.0, False), ((drawn(B, T, 6),),)),
        ("ClassificationHead", (6, 3), ((drawn(B, T, 6),),)),
        ("ClassificationHead", (6, 3, "mean"), ((drawn(B, T, 6),),)),
    ),
    "a4.vit": (
        ("ViT", (3, 4, 12, 8, 2, 3, 5), ((drawn(2, 3, 8, 8),),)),
        ("ViT", (3, 4, 12, 8, 2, 3, 5, "mean"), ((drawn(2, 3, 8, 8),),)),
    ),
    "a5.decoder": (
        (
            "DecoderBlock",
            (6, 2, 4, 0.5),
            (
                (drawn(B, T, 6), drawn(B, 4, 6, seed=1)),
                (drawn(B, T, 6), drawn(B, 4, 6, seed=1), KEEP),
            ),
        ),
        (
            "Decoder",
            (2, 6, 2, 9),
            (
                (torch.arange(10).reshape(2, 5) % 9, drawn(B, 4, 6, seed=1)),
                (torch.arange(10).reshape(2, 5) % 9, drawn(B, 4, 6, seed=1), KEEP),
            ),
        ),
    ),
    "a5.cache": (("KVCacheAttention", (6, 2), ()),),
}
"""Exercise -> its classes, with the arguments that they are made with and called on."""
Call = tuple[str, tuple[Any, ...]]
CALLS: Mapping[str, tuple[Call, ...]] = {
    "a1.scores": (
        ("dot_product_loop", (drawn(4), drawn(4, seed=1))),
        ("attention_scores", (drawn(2, 4, 3), drawn(2, 5, 3, seed=1))),
    ),
    "a1.softmax": (
        ("normalise_by_sum", (drawn(5).abs(),)),
        ("softmax_naive", (drawn(5),)),
        ("stable_softmax", (drawn(3, 4) * 300, 0)),
        ("stable_softmax", (drawn(3, 4) + torch.tensor([[0.0], [500.0], [0.0]]),)),
    ),
    "a1.sdpa": tuple(
        ("scaled_dot_product_attention", (drawn(2, 3, 4, 8), key, drawn(2, 3, 5, 6, seed=2), mask))
        for key in (drawn(2, 3, 5, 8, seed=1), 100 * drawn(2, 3, 5, 8, seed=1))
        for mask in (None, EMPTY, FLOATS)
    ),
    "a2.padding": (
        ("padding_mask", (torch.tensor([0, 2, 4]), 4)),
        ("combine_masks", (MASK, None, MASK[1])),
        ("combine_masks", (None,)),
    ),
    "a2.masked_softmax": (
        ("mask_then_renormalise", (torch.softmax(drawn(B, T, T), -1), MASK)),
        ("masked_softmax", (drawn(B, T, T) * 200, MASK)),
        ("masked_softmax", (drawn(B, T, T), MASK, 1)),
    ),
    "a5.online": (
        ("online_softmax", ([drawn(4, n, seed=n) * 9 for n in (2, 3, 1)],)),
        ("chunked_attention", (drawn(2, 4, 8) * 5, drawn(2, 5, 8, seed=1), drawn(2, 5, 6), 2)),
        (
            "chunked_attention",
            (drawn(2, 4, 8) * 5, drawn(2, 5, 8, seed=1), drawn(2, 5, 6), 2, EMPTY[:, 0]),
        ),
    ),
    "a5.positions": (
        ("sinusoidal_positions", (7, 8)),
        ("apply_rope", (drawn(2, 3, 4, 8), torch.tensor([3, 500, 1001, 70]))),
        ("apply_rope", (drawn(2, 3, 4, 8), torch.arange(4), 500.0)),
    ),
    "a4.patch_embedding": (("conv_weight_from_linear", (drawn(10, 48), 3, 4)),),
    "a4.patchify": (
        ("patchify", (drawn(2, 3, 8, 12), 4)),
        ("patchify", (drawn(2, 3, 9, 12), 4)),
        ("unpatchify", (drawn(2, 6, 48), 4, 8, 12)),
        ("unpatchify", (drawn(2, 6, 48), 4, 8, 8)),
    ),
    "a5.cache": tuple(
        ("sliding_window_attention", (drawn(2, 5, 4), drawn(2, 5, 4, seed=1), drawn(2, 5, 6), w))
        for w in (1, 3, 9)
    ),
    "a3.packed": (
        ("pack_qkv", (drawn(4, 4), drawn(4, 4, seed=1), drawn(4, 4, seed=2))),
        ("unpack_qkv", (drawn(6, 4),)),
    ),
}
"""Exercise -> its functions, and what they are called on."""


def names_in(slug: str, source: str = "") -> Names:
    """Return the names of a program, or of the reference where there is none."""
    if str(REFERENCE) not in sys.path:
        sys.path.insert(0, str(REFERENCE))
    return names_of(source or (REFERENCE / f"{FILES[slug[:2]]}.py").read_text())


def done_by(
    slug: str, names: Names, made: Callable[[str, tuple[Any, ...], int], nn.Module]
) -> Seen:
    """Return all that functions and modules do on the probes of their exercise, in eval mode."""
    seen: Seen = [
        attempt(partial(_called, names[name], given)) for name, given in CALLS.get(slug, ())
    ]
    numbers = count()
    for name, args, inputs in MADE.get(slug, ()):
        module = made(name, args, next(numbers)).eval()
        seen += [attempt(partial(_called, module, given)) for given in inputs]
        if slug == "a5.cache":
            seen += in_steps(module)
        first = next((i for i in (inputs[0] if inputs else ()) if i.is_floating_point()), None)
        if first is not None:
            x = first.clone().requires_grad_()
            seen.append(gradients(partial(module, x, *inputs[0][1:]), [x]))
    if slug == "a3.packed":
        theirs = nn.MultiheadAttention(6, 2, batch_first=True)
        weighted(theirs)
        seen.append(attempt(lambda: names["from_torch_mha"](theirs)(drawn(B, T, 6)).detach()))
    return seen


def _called(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    with torch.no_grad():
        return function(*given)


def in_steps(module: Any) -> Seen:
    """Write a text in pieces, then begin another one."""
    x = drawn(B, 6, 6)
    with torch.no_grad():
        return [
            attempt(partial(module.prefill, x[:, :2])),
            attempt(partial(module.step, x[:, 2:5])),
            attempt(partial(module.step, x[:, 5:])),
            attempt(partial(module.prefill, x[:, 3:])),
        ]


def in_training(slug: str, names: Names, right: Names) -> Seen:
    """Return what modules do in train mode: from one seed all that is drawn must be the same."""
    seen: Seen = []
    for name, args, inputs in MADE.get(slug, ()):
        if inputs and name != "ResidualAdd":
            module = holding(weights_of(right, name, args, inputs), partial(names[name], *args))
            module.train()
            torch.manual_seed(1)
            seen.append(attempt(partial(_called, module, inputs[0])))
    return seen


def weights_of(names: Names, name: str, args: tuple[Any, ...], inputs: Any) -> nn.Module:
    """Return a module of a program with weights of ordinary size; lazy layers have run once."""
    module: nn.Module = names[name](*args)
    if inputs:
        module.eval()(*inputs[0])
    return weighted(module)


def unproven_of_third(program: Program) -> list[str]:
    """Return what is not confirmed: that a program is right, and that each edit of it is wrong."""
    slug, right = program.slug, names_in(program.slug, program.source)
    reference = names_in(slug)
    classes = MADE.get(slug, ())
    models = [weights_of(right, name, args, inputs) for name, args, inputs in classes]

    def as_reference(name: str, args: tuple[Any, ...], number: int) -> nn.Module:
        module: nn.Module = reference[name](*args)
        module.load_state_dict(laid_out(slug, program.style, models[number]), strict=False)
        missing = {n for n, _ in module.named_parameters()} - set(
            laid_out(slug, program.style, models[number])
        )
        assert not missing, (slug, program.style, missing)
        return module

    def ours(names: Names, name: str, args: tuple[Any, ...], number: int) -> nn.Module:
        inputs = classes[number][2]
        fresh = names[name](*args)
        if inputs:
            attempt(lambda: fresh.eval()(*inputs[0]))
        return holding(models[number], lambda: fresh)

    wanted = done_by(slug, right, partial(ours, right))
    doubts = []
    if not agrees(wanted, done_by(slug, reference, as_reference)):
        doubts.append(f"{slug}, {program.style}: is not right")
    trained = in_training(slug, right, right)
    for mistake, text, by in program.mistakes:
        assert program.source.count(text) == 1, (program.style, mistake)
        wrong = names_in(slug, program.source.replace(text, by))
        if agrees(wanted, done_by(slug, wrong, partial(ours, wrong))) and agrees(
            trained, in_training(slug, wrong, right)
        ):
            doubts.append(f"{slug}, {program.style}: {mistake} is not wrong")
    return doubts
