"""What this course knows about parameters: different ways to store the same function.

A suite writes drawn weights into a student's module. Where a hand-out leaves open in which order
something is stored, each order is tried, and one that computes the same function is accepted.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn


def token_orders(rows: int, columns: int) -> dict[str, torch.Tensor]:
    """Orders of the tokens of an image, as indices into CLS followed by the patches row by row.

    No logits can tell them apart: the position that is learned for a token goes where it goes.
    """
    patches = torch.arange(1, rows * columns + 1)
    by_column = patches.reshape(rows, columns).T.flatten()
    cls = torch.zeros(1, dtype=torch.long)
    return {
        "": torch.cat([cls, patches]),
        "the class token stands last": torch.cat([patches, cls]),
        "tokens are counted column by column": torch.cat([cls, by_column]),
        "tokens are counted column by column, the class token last": torch.cat([by_column, cls]),
    }


def packings(emb_size: int, num_heads: int) -> dict[str, torch.Tensor]:
    """Orders of the rows of a packed query-key-value map, as indices into (qkv h d)."""
    rows = torch.arange(3 * emb_size).reshape(3, num_heads, -1)  # 3 H Dh
    return {
        "": rows.flatten(),
        "qkv is packed as (h d qkv)": rows.permute(1, 2, 0).flatten(),
        "qkv is packed as (h qkv d)": rows.permute(1, 0, 2).flatten(),
    }


def vit_orders(vit: nn.Module) -> Iterator[tuple[list[str], dict[str, torch.Tensor]]]:
    """Every way to store the tokens and packed maps of a ViT: notes, and parameters by name."""
    parameters = dict(vit.named_parameters())
    positions = parameters["embeddings.positions"]
    packed = {name: p for name, p in parameters.items() if ".qkv." in name}
    side = round((len(positions) - 1) ** 0.5)
    num_heads = vit.encoder.blocks[0].attention.num_heads
    for packing, rows in packings(positions.shape[-1], num_heads).items():
        for order, tokens in token_orders(side, side).items():
            writes = {name: p[rows] for name, p in packed.items()}
            writes["embeddings.positions"] = positions[tokens]
            yield [note for note in (packing, order) if note], writes


def settle_vit(expect: Any, twin: Any, images: torch.Tensor) -> list[str]:
    """Bring two ViTs with the same drawn weights to compute the same, if they can. Returns notes.

    The reference takes over the student's patch map, and the student's positions and packed maps
    are written in the first order in which both give the same logits, to the precision of float32.
    If there is none, everything stays as the hand-out says.
    """
    student, reference = twin.student, twin.reference
    with torch.no_grad():
        _take_over_patch_map(expect, student, reference, images)
        for notes, writes in vit_orders(reference.module):
            student.write({n: v.reshape(_shape(student, n)) for n, v in writes.items()})
            observed = student(images)
            for eps, more in ((1e-5, []), (1e-6, ["LayerNorm uses eps=1e-6"])):
                _set_eps(reference.module, eps)
                if _agree(observed, reference(images)):
                    return notes + more
        _set_eps(reference.module, 1e-5)
        _, writes = next(vit_orders(reference.module))
        student.write({n: v.reshape(_shape(student, n)) for n, v in writes.items()})
    return []


def _take_over_patch_map(expect: Any, student: Any, reference: Any, images: torch.Tensor) -> None:
    """Read the student's patch map off one image per pixel of the first patch: a convolution and
    a Linear look the same."""
    projection = reference.embeddings.patch_embedding.projection
    _, channels, side, _ = projection.weight.shape
    count = channels * side * side
    probes = torch.zeros(count + 1, *images.shape[1:], dtype=images.dtype)
    probes[1:, :, :side, :side] = torch.eye(count).reshape(count, channels, side, side)
    tokens = student.embeddings.patch_embedding(probes)
    patches = len(reference.embeddings.positions) - 1
    expect.floats(
        tokens, (count + 1, patches, len(projection.weight)), what="tokens of the patches"
    )
    first = tokens[:, 0]  # 1+C·P·P D
    projection.weight.copy_((first[1:] - first[0]).T.reshape(projection.weight.shape))
    projection.bias.copy_(first[0])


def _shape(student: Any, name: str) -> tuple[int, ...]:
    return next(spec.shape for spec in student.specs if spec.name == name)


def _set_eps(module: nn.Module, eps: float) -> None:
    for layer in module.modules():
        if isinstance(layer, nn.LayerNorm):
            layer.eps = eps


def _agree(observed: Any, expected: torch.Tensor) -> bool:
    if not isinstance(observed, torch.Tensor) or observed.shape != expected.shape:
        return False
    if observed.is_meta or not observed.is_floating_point():
        return False
    # Two values of eps differ by 1e-5 of the logits' size, float32 by less than that.
    gap = (observed.double() - expected.double()).abs().max()
    return bool(gap <= 2e-6 * max(1.0, float(expected.abs().max())))
