"""Where the weights of the reference are in each module of the third set: what proves it right."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import nn

Weights = Mapping[str, torch.Tensor]
Laid = dict[str, torch.Tensor]


def same(state: Weights) -> Laid:
    """Keep the names of the reference."""
    return dict(state)


def layer(name: str, weight: torch.Tensor, bias: torch.Tensor) -> Laid:
    """Return a linear map (out, in) of the reference."""
    return {f"{name}.weight": weight, f"{name}.bias": bias}


def renamed(pairs: Mapping[str, str]) -> Callable[[Weights], Laid]:
    """Return a layout in which parts, by the beginning of their names, are called otherwise."""

    def lay(state: Weights) -> Laid:
        laid = {}
        for name, tensor in state.items():
            old = max((old for old in pairs if name.startswith(old)), key=len, default="")
            laid[pairs.get(old, "") + name[len(old) :]] = tensor
        return laid

    return lay


def qkv_matrix(state: Weights) -> Laid:
    parts = zip(state["W_qkv"].chunk(3, 1), state["b_qkv"].chunk(3), strict=True)
    names = ("W_query", "W_key", "W_value")
    return {
        k: v for n, (w, b) in zip(names, parts, strict=True) for k, v in layer(n, w.T, b).items()
    }


def heads_as_axis(state: Weights) -> Laid:
    laid = layer("out_proj", state["wo"].flatten(0, 1).T, state["bo"])
    for index, name in enumerate(("W_query", "W_key", "W_value")):
        weight = state["w"][index].transpose(1, 2).flatten(0, 1)  # H·Dh d_in
        laid |= layer(name, weight, state["b"][index].flatten())
    return laid


def transposed(state: Weights) -> Laid:
    """Turn every matrix round, as in GPT-2."""
    return {k: v.T if k.endswith("weight") and v.dim() == 2 else v for k, v in state.items()}


def head_by_head(state: Weights) -> Laid:
    """Bring rows (h qkv d) into the order (qkv h d), of two heads."""
    qkv = {
        f"qkv.{kind}": state[f"qkv.{kind}"]
        .reshape(2, 3, -1, *state[f"qkv.{kind}"].shape[1:])
        .transpose(0, 1)
        .flatten(0, 2)
        for kind in ("weight", "bias")
    }
    return {**state, **qkv}


def unequal(state: Weights) -> Laid:
    laid = {name: t for name, t in state.items() if name.startswith("out_proj")}
    parts = zip(
        *(torch.split(state[f"wqkv.{k}"], [12, 4, 4]) for k in ("weight", "bias")), strict=True
    )
    for name, part in zip(("W_query", "W_key", "W_value"), parts, strict=True):
        laid |= layer(name, *part)
    return laid


def by_group(state: Weights) -> Laid:
    laid = {name: t for name, t in state.items() if name.startswith("out_proj")}
    for old, name in (("q", "W_query"), ("k", "W_key"), ("v", "W_value")):
        both = [
            torch.cat([state[f"groups.{g}.{old}.{kind}"] for g in range(2)])
            for kind in ("weight", "bias")
        ]
        laid |= layer(name, *both)
    return laid


def bare_cross(state: Weights) -> Laid:
    keys, values = state["Wkv"].T.chunk(2)
    bias_of_keys, bias_of_values = state["bkv"].chunk(2)
    return {
        **layer("W_query", state["Wq"].T, state["bq"]),
        **layer("W_key", keys, bias_of_keys),
        **layer("W_value", values, bias_of_values),
        **layer("out_proj", state["Wo"].T, state["bo"]),
    }


def all_heads(state: Weights) -> Laid:
    laid: Laid = {}
    for old in ("query", "key", "value"):
        parts = zip(state[f"{old}.weight"].chunk(2), state[f"{old}.bias"].chunk(2), strict=True)
        for head, part in enumerate(parts):
            laid |= layer(f"heads.{head}.W_{old}", *part)
    return laid


def heads_of_classes(state: Weights) -> Laid:
    words = {"key": "W_key", "query": "W_query", "value": "W_value"}
    laid = {}
    for name, tensor in state.items():
        first, number, old, kind = name.split(".")
        laid[f"{first}.{number}.{words[old]}.{kind}"] = tensor
    return laid


def bare_mlp(state: Weights) -> Laid:
    if not state:  # ResidualAdd
        return {}
    return {
        **layer("fc1", state["W1"].T, state["b1"]),
        **layer("fc2", state["W2"].T, state["b2"]),
    }


def gpt_2_block(state: Weights) -> Laid:
    parts = {"attention.c_attn": "attention.qkv", "attention.c_proj": "attention.projection"}
    mlp = {"mlp.c_fc": "mlp.fc1", "mlp.c_proj": "mlp.fc2"}
    norms = {"norm1": "norm1", "norm2": "norm2"}
    return transposed(renamed({**parts, **mlp, **norms})(state))


def bare_block(state: Weights) -> Laid:
    laid = {name: t for name, t in state.items() if name.startswith("attention")}
    for index in (1, 2):
        laid |= layer(f"norm{index}", state[f"g{index}"], state[f"s{index}"])
        laid |= layer(f"mlp.fc{index}", state[f"w{index}"].T, state[f"b{index}"])
    return laid


def bert(state: Weights) -> Laid:
    words = {
        "layernorm_before": "norm1",
        "layernorm_after": "norm2",
        "intermediate.dense": "mlp.fc1",
        "output.dense": "mlp.fc2",
        "layernorm": "norm",
    }
    laid = {}
    for name, tensor in state.items():
        new = name.replace("layer.", "blocks.", 1) if name.startswith("layer.") else name
        for old in sorted(words, key=len, reverse=True):
            if f"{old}." in new:
                new = new.replace(f"{old}.", f"{words[old]}.")
                break
        laid[new] = tensor
    return laid


def own_attention(state: Weights) -> Laid:
    laid: Laid = {}
    for name, tensor in state.items():
        kind = name.rsplit(".", 1)[-1]
        front, _, rest = name.partition("attention.")
        if not rest:
            new = name.replace("mlp.0", "mlp.fc1").replace("mlp.3", "mlp.fc2")
            laid[new] = tensor
        elif front.endswith("self_"):
            laid |= _packed(f"{front}attention.", rest, kind, tensor)
        elif rest.startswith("to_kv"):
            keys, values = tensor.chunk(2)
            laid[f"{front}attention.W_key.{kind}"] = keys
            laid[f"{front}attention.W_value.{kind}"] = values
        else:
            word = "W_query" if rest.startswith("to_q") else "out_proj"
            laid[f"{front}attention.{word}.{kind}"] = tensor
    for name in [n for n in laid if ".part_q." in n]:
        whole = torch.cat([laid.pop(name), laid.pop(name.replace("part_q", "part_kv"))])
        laid[name.replace("part_q", "qkv")] = whole
    return laid


def _packed(front: str, rest: str, kind: str, tensor: torch.Tensor) -> Laid:
    words = {"to_q": "part_q", "to_kv": "part_kv", "to_out": "projection"}
    return {f"{front}{words[rest.split('.')[0]]}.{kind}": tensor}


def packed_cache(state: Weights) -> Laid:
    laid = {name: t for name, t in state.items() if name.startswith("out_proj")}
    parts = zip(state["c_attn.weight"].chunk(3), state["c_attn.bias"].chunk(3), strict=True)
    for name, part in zip(("W_query", "W_key", "W_value"), parts, strict=True):
        laid |= layer(name, *part)
    return laid


def looked_up(state: Weights) -> Laid:
    return renamed({"positions.weight": "positions", "cls": "cls", "patch": "patch"})(state)


def as_convolution(state: Weights) -> Laid:
    flat = state["projection.weight"].reshape(-1, 4, 4, 3)  # D P P C
    return {**state, "projection.weight": flat.permute(0, 3, 1, 2)}


def one_row_of_positions(state: Weights) -> Laid:
    return {k: v.flatten(0, 1) if k == "embeddings.positions" else v for k, v in state.items()}


LAYOUTS: Mapping[tuple[str, str], Callable[[Weights], Laid]] = {
    ("a2.causal_attention", "one bare matrix"): qkv_matrix,
    ("a3.mha", "one parameter with heads as an axis"): heads_as_axis,
    ("a3.packed", "layers as in GPT-2"): transposed,
    ("a3.packed", "rows packed head by head"): head_by_head,
    ("a3.gqa", "one map of unequal widths"): unequal,
    ("a3.gqa", "a class for each group"): by_group,
    ("a3.cross", "bare matrices, keys and values in one"): bare_cross,
    ("a3.wrapper", "one map for all heads"): all_heads,
    ("a3.wrapper", "a class Head, as in nanoGPT's lecture"): heads_of_classes,
    ("a4.patch_embedding", "patches cut by loops"): as_convolution,
    ("a4.embeddings", "positions looked up"): looked_up,
    ("a4.mlp", "bare matrices"): bare_mlp,
    ("a4.mlp", "an nn.Sequential"): renamed({"0": "fc1", "3": "fc2"}),
    ("a4.block", "layers as in GPT-2"): gpt_2_block,
    ("a4.block", "functions and bare parameters"): bare_block,
    ("a4.encoder", "classes within classes, as in BERT"): bert,
    ("a4.vit", "Korean identifiers"): one_row_of_positions,
    ("a5.decoder", "one attention class of its own for both"): own_attention,
    ("a5.cache", "one map, and a stacked cache"): packed_cache,
}
"""(Exercise, style) -> the reference's weights, of the program's. Others have its own names."""


def laid_out(slug: str, style: str, module: nn.Module) -> Laid:
    """Return the weights of a program's module as the reference stores them."""
    state = {name: tensor.detach() for name, tensor in module.named_parameters()}
    return LAYOUTS.get((slug, style), same)(state)
