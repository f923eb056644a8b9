"""What this course knows about attention, for diagnosis: axes by name, and numbers people mistake.

The engine knows neither queries nor heads. It reads the constants of a suite, looks here what an
axis of that length is called, and tries the families below on what a student's function returned.
"""

from collections.abc import Mapping

import torch

from grader.judge.diagnose.knowledge import Family, Knowledge, Sizes

AXES = {
    "B": "batch",
    "H": "heads",
    "S": "queries",
    "L": "keys",
    "T": "tokens",
    "D": "width",
    "D_IN": "d_in",
    "D_OUT": "d_out",
    "DH": "head_dim",
    "DV": "value width",
    "VOCABULARY": "vocabulary",
    "CLASSES": "classes",
    "PATCHES": "patches",
}

EMPTY_ROW = (
    "these are the rows that may attend to nothing, and the softmax of a row of -inf is 0/0. "
    "Give them zeros"
)


def head_dim(sizes: Sizes) -> Sizes:
    """The width of a head, where a suite gives the whole width and the number of heads."""
    width = sizes.get("D_OUT", sizes.get("D", 0))
    heads = sizes.get("H", 0)
    return {"DH": width // heads} if heads and "DH" not in sizes and width % heads == 0 else {}


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    number: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """softmax(number * Q Kᵀ + M) V, and the weights."""
    scores = query @ key.transpose(-2, -1) * number
    if mask is not None:
        forbidden = ~mask if mask.dtype == torch.bool else mask == -torch.inf
        scores = scores.masked_fill(forbidden, -torch.inf)
        if mask.dtype != torch.bool:
            scores = scores + mask.to(scores.dtype)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return weights @ value, weights


def scales(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> Mapping[str, float]:
    """What people multiply scores by, and weights."""
    lengths = {
        "Dh": query.shape[-1],
        "Dv": value.shape[-1],
        "L": key.shape[-2],
        "S": query.shape[-2],
    }
    found = {"1/√Dh": lengths["Dh"] ** -0.5, "1": 1.0}
    for name, length in lengths.items():
        found.setdefault(f"1/√{name}", length**-0.5)
        found[f"1/{name}"] = 1 / length
        found[f"√{name}"] = length**0.5
        found[f"1/{name}²"] = length**-2.0
    return found


KNOWLEDGE = Knowledge(
    axes=AXES,
    more_sizes=head_dim,
    empty_row=EMPTY_ROW,
    families=(
        Family(
            id="fit.scale",
            targets=("scaled_dot_product_attention",),
            compute=attention,
            named=scales,
            right="1/√Dh",
            text="your numbers are those of {factor}softmax({number} · Q Kᵀ) V, "
            "and the right ones are those of softmax({right} · Q Kᵀ) V",
        ),
    ),
)
