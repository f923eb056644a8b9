"""What this course knows about parameters: roles, what people call them, and how they are stored.

A suite draws weights and writes them into a student's module. Names and packings other than the
hand-out's are as right as its own, as long as the same function is computed; here stand the ones
that people use. Axes: r query, key, value; h heads, g heads of keys; d width of a head; i width of
a token, m of one of the memory; o and e width of what comes out; t tokens; c channels; p and q rows
and columns of a patch.
"""

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import nn

from grader.judge.bind.roles import Alternative, Cut, Group, Home, Layout, Roles


def named(*words: str) -> tuple[str, ...]:
    """Patterns of names built around the words: `to_q`, `q_proj`, `fc_query`, `wq`, `q_heads`."""
    before = r"(?:(?:w|b|to|fc|lin|linear|proj|mat|layer|project|map|bias)_?)?"
    after = r"(?:_?(?:proj|projection|lin|linear|layers?|fc|weights?|bias|heads?|maps?|s|w|b|mat))?"
    return tuple(f"{before}{word}{after}" for word in words)


def heads(module: nn.Module) -> Mapping[str, int]:
    return {"h": int(module.num_heads)}


def one_head(module: nn.Module) -> Mapping[str, int]:
    return {"h": 1}


def key_heads(module: nn.Module) -> Mapping[str, int]:
    return {"g": int(module.num_heads)}


def key_heads_as_heads(module: nn.Module) -> Mapping[str, int]:
    return {"h": int(module.num_kv_heads)}


def shares(module: nn.Module) -> tuple[int, int, int]:
    """How many heads of queries, keys and values each group has."""
    return int(module.num_heads) // int(module.num_kv_heads), 1, 1


def number_of_heads(module: nn.Module) -> Mapping[str, int]:
    return {"h": len(module.heads)}


def maps_of_heads(module: nn.Module) -> tuple[str, ...]:
    """The maps of a module whose heads are modules."""
    maps = ("W_query", "W_key", "W_value")
    return tuple(f"heads.{head}.{name}" for head in range(len(module.heads)) for name in maps)


def is_of_one_width(module: nn.Module) -> bool:
    """Whether queries, keys and values are made from tokens of one width."""
    query, key = module.W_query, module.W_key
    return bool(query.in_features == key.in_features)


def is_of_two_widths(module: nn.Module) -> bool:
    return not is_of_one_width(module)


# ---- queries, keys and values ------------------------------------------------------------------

SEPARATE = "query, key and value are maps of their own"
EVERY_HTH = "heads are made of every H-th feature, (d h) and not (h d)"
PER_HEAD = "each head has a query, key and value map of its own"
AS_MATRIX = "query, key and value are parameters that tokens are multiplied by"
AS_TENSOR = "query, key and value are tensors with an axis for the heads"
OUT_AS_TENSOR = "the output projection has an axis for the heads"


def packed(order: str) -> str:
    return f"query, key and value are packed as {order}"


def with_heads_apart(*patterns: str, note: str) -> Iterator[Layout]:
    """As parameters, or as `weight` and `bias` of a layer written for it."""
    for pattern in patterns:
        yield Layout(pattern, note, exact=True)
        yield Layout(pattern, note, raw=True)


QKV = Group(
    name="query, key and value",
    axes="r h d i",
    bias_axes="r h d",
    roles=("query", "key", "value"),
    exchangeable=True,
    aliases={
        "query": named("q", "qs", "query", "queries"),
        "key": named("k", "ks", "key", "keys"),
        "value": named("v", "vs", "val", "value", "values"),
        "key value": named("kv", "keys?_?values?"),
        "packed": named("qkv", "kqv", "in", "c_attn", "attn", "query_?key_?value"),
    },
    homes={
        "SelfAttentionV1": Home("r | i (h d)", ("W_query", "W_key", "W_value"), one_head),
        "SelfAttentionV2": Home("r | (h d) i", ("W_query", "W_key", "W_value"), one_head),
        "CausalAttention": Home("r | (h d) i", ("W_query", "W_key", "W_value"), one_head),
        "CrossAttention": Home(
            "r | (h d) i", ("W_query", "W_key", "W_value"), heads, is_of_one_width
        ),
        "KVCacheAttention": Home("r | (h d) i", ("W_query", "W_key", "W_value"), heads),
        "MultiHeadAttention": Home("r | (h d) i", ("W_query", "W_key", "W_value"), heads),
        "MultiHeadAttentionWrapper": Home("h r | d i", maps_of_heads, number_of_heads),
        "GroupedQueryAttention": Home(
            "r | (h d) i", ("W_query", "W_key", "W_value"), key_heads_as_heads, shares=shares
        ),
        "TextAttention": Home(
            "r | (h d) i", ("W_query", "W_key", "W_value"), key_heads_as_heads, shares=shares
        ),
        "PackedMultiHeadAttention": Home("(r h d) i", ("qkv",), heads),
    },
    layouts=(
        Layout("r | (h d) i", SEPARATE),
        Layout("r | (d h) i", EVERY_HTH),
        Layout("(r h d) i", packed("(qkv h d)")),
        Layout("(h d r) i", packed("(h d qkv)")),
        Layout("(h r d) i", packed("(h qkv d)")),
        Layout("(r d h) i", packed("(qkv d h)")),
        Layout("(d h r) i", packed("(d h qkv)")),
        Layout("(r h d) i", "key and value are packed", packs=(("query",), ("key", "value"))),
        Layout("(h r d) i", "key and value are packed", packs=(("query",), ("key", "value"))),
        Layout("r h | d i", PER_HEAD),
        Layout("h r | d i", PER_HEAD),
        Layout("h | (r d) i", PER_HEAD),
        Layout("r | i (h d)", AS_MATRIX, raw=True),
        Layout("r | i (d h)", AS_MATRIX, raw=True),
        Layout("r | (h d) i", AS_MATRIX, raw=True),
        Layout("i (r h d)", AS_MATRIX, raw=True),
        Layout("i (h d r)", AS_MATRIX, raw=True),
        Layout("(r h d) i", AS_MATRIX, raw=True),
        Layout("r i (h d)", AS_MATRIX, raw=True),
        Layout("r (h d) i", AS_MATRIX, raw=True),
        *with_heads_apart("r | i h d", "r | h i d", "r | h d i", note=AS_TENSOR),
        Layout("r h i d", AS_TENSOR, raw=True),
        Layout("i r h d", AS_TENSOR, raw=True),
        Layout("r i h d", AS_TENSOR, raw=True),
        Layout("r h | i d", PER_HEAD, raw=True),
        Layout("h r | i d", PER_HEAD, raw=True),
        Layout("r h | d i", PER_HEAD, raw=True),
    ),
)

# Where keys and values are made from other tokens than queries, the three are of several shapes.
# Heads keep their order in every layout: which of the queries' heads reads which of the keys' is
# what `GroupedQueryAttention` is about.

QUERY = Group(
    name="query",
    axes="h d i",
    bias_axes="h d",
    roles=("query",),
    aliases={"query": QKV.aliases["query"]},
    homes={
        "CrossAttention": Home("(h d) i", ("W_query",), heads, is_of_two_widths),
    },
    layouts=(
        Layout("(d h) i", EVERY_HTH),
        Layout("h | d i", PER_HEAD),
        *(Layout(pattern, AS_MATRIX, raw=True) for pattern in ("i (h d)", "(h d) i")),
        *with_heads_apart("i h d", "h i d", "h d i", note=AS_TENSOR),
        *(Layout(pattern, PER_HEAD, raw=True) for pattern in ("h | i d", "h | d i")),
    ),
)

KEY_VALUE = Group(
    name="key and value",
    axes="r g d m",
    bias_axes="r g d",
    roles=("key", "value"),
    exchangeable=True,
    aliases={
        "key": QKV.aliases["key"],
        "value": QKV.aliases["value"],
        "packed": QKV.aliases["key value"],
    },
    homes={
        "CrossAttention": Home("r | (g d) m", ("W_key", "W_value"), key_heads, is_of_two_widths),
    },
    layouts=(
        Layout("r | (d g) m", EVERY_HTH),
        *(
            Layout(pattern, "key and value are packed")
            for pattern in ("(r g d) m", "(g r d) m", "(g d r) m", "(r d g) m")
        ),
        *(Layout(pattern, PER_HEAD) for pattern in ("r g | d m", "g r | d m", "g | (r d) m")),
        *(Layout(pattern, AS_MATRIX, raw=True) for pattern in ("r | m (g d)", "r | (g d) m")),
        *(Layout(pattern, AS_MATRIX, raw=True) for pattern in ("m (r g d)", "r m (g d)")),
        *with_heads_apart("r | m g d", "r | g m d", "r | g d m", note=AS_TENSOR),
        *(Layout(pattern, PER_HEAD, raw=True) for pattern in ("r g | m d", "r g | d m")),
    ),
)

OUT = Group(
    name="output projection",
    axes="o h d",
    bias_axes="o",
    roles=("out",),
    aliases={"out": named("o", "out", "output", "c_proj", "projection", "proj", "unify")},
    homes={
        "CrossAttention": Home("o (h d)", ("out_proj",), heads),
        "GroupedQueryAttention": Home("o (h d)", ("out_proj",), heads),
        "KVCacheAttention": Home("o (h d)", ("out_proj",), heads),
        "MultiHeadAttention": Home("o (h d)", ("out_proj",), heads),
        "PackedMultiHeadAttention": Home("o (h d)", ("projection",), heads),
        "TextAttention": Home("o (h d)", ("out_proj",), heads),
    },
    layouts=(
        Layout("o (d h)", EVERY_HTH),
        Layout("(h d) o", "the output projection is a parameter", raw=True),
        Layout("o (h d)", "the output projection is a parameter", raw=True),
        *with_heads_apart("h d o", "o h d", note=OUT_AS_TENSOR),
    ),
)


# ---- images ------------------------------------------------------------------------------------


def class_token_last(positions: torch.Tensor) -> torch.Tensor:
    """(t, d) with the class token behind the patches."""
    return torch.cat([positions[1:], positions[:1]])


def by_column(positions: torch.Tensor) -> torch.Tensor:
    """(t, d) with the patches of a square image counted column by column."""
    side = round((len(positions) - 1) ** 0.5)
    patches = positions[1:].unflatten(0, (side, side)).transpose(0, 1).flatten(0, 1)
    return torch.cat([positions[:1], patches])


POSITIONS = Group(
    name="positions",
    axes="t d",
    roles=("positions",),
    aliases={
        "positions": named("pos", "pe", "positions?", r"pos\w*emb\w*", r"position\w*emb\w*"),
        "class token's": (r"\w*(?:cls|class)\w*pos\w*", r"\w*pos\w*(?:cls|class)\w*"),
        "patches'": (r"\w*pos\w*",),
    },
    homes={"ViTEmbeddings": Home("t d", ("positions",))},
    # No logits can tell these apart: what is learned for a token goes where the token goes.
    layouts=(
        Layout("t d", "the class token stands last", raw=None, order=class_token_last),
        Layout("t d", "tokens are counted column by column", raw=None, order=by_column),
        Layout(
            "t d",
            "tokens are counted column by column, the class token last",
            raw=None,
            order=lambda positions: class_token_last(by_column(positions)),
        ),
        Layout(
            "t d",
            "the class token's position is a parameter of its own",
            raw=None,
            cut=Cut("t", 1, ("class token's", "patches'")),
        ),
    ),
)

PATCHES = Group(
    name="patch map",
    axes="e c p q",
    bias_axes="e",
    roles=("patch map",),
    aliases={"patch map": named("projection", "proj", "conv", "embed", r"patch\w*")},
    homes={"PatchEmbedding": Home("e c p q", ("projection",))},
    noted=False,
    # The hand-out leaves this open, so there is nothing to be told.
    layouts=(
        *(Layout(f"e ({order})") for order in ("p q c", "c p q", "q p c", "c q p", "p c q")),
        Layout("e c q p"),
        *(Layout(f"({order}) e", raw=True) for order in ("p q c", "c p q")),
        *(Layout(f"e ({order})", raw=True) for order in ("p q c", "c p q")),
    ),
)


# ---- other right references --------------------------------------------------------------------


def norms_in(module: nn.Module, blocks: bool) -> list[nn.LayerNorm]:
    """The norms inside or outside of a list of blocks."""
    return [
        layer
        for name, layer in module.named_modules()
        if isinstance(layer, nn.LayerNorm) and ("blocks." in name) is blocks
    ]


def has_layer_norm(module: nn.Module) -> bool:
    return bool(norms_in(module, True) or norms_in(module, False))


def has_norms_in_blocks_and_outside(module: nn.Module) -> bool:
    return bool(norms_in(module, True) and norms_in(module, False))


def smaller_eps_in_blocks(module: nn.Module) -> None:
    for norm in norms_in(module, True):
        norm.eps = 1e-6


def smaller_eps_outside_of_blocks(module: nn.Module) -> None:
    for norm in norms_in(module, False):
        norm.eps = 1e-6


def smaller_eps(module: nn.Module) -> None:
    smaller_eps_in_blocks(module)
    smaller_eps_outside_of_blocks(module)


ALTERNATIVES = (
    Alternative("LayerNorm uses eps=1e-6", has_layer_norm, smaller_eps),
    Alternative(
        "LayerNorm in the blocks uses eps=1e-6",
        has_norms_in_blocks_and_outside,
        smaller_eps_in_blocks,
    ),
    Alternative(
        "the last LayerNorm uses eps=1e-6",
        has_norms_in_blocks_and_outside,
        smaller_eps_outside_of_blocks,
    ),
)


# ---- inputs that modules take ------------------------------------------------------------------


def sequence(width: int) -> torch.Tensor:
    return torch.zeros(1, 2, width)


def into(*path: str) -> Callable[[nn.Module], tuple[torch.Tensor, ...]]:
    """Inputs for a module that first asks the maps at these paths, one for each argument."""

    def inputs(module: nn.Module) -> tuple[torch.Tensor, ...]:
        weights = [module.get_parameter(f"{name}.weight") for name in path]
        return tuple(sequence(weight.shape[-1]) for weight in weights)

    return inputs


def patch(module: nn.Module) -> tuple[torch.Tensor, ...]:
    return (torch.zeros(1, *module.get_parameter("projection.weight").shape[1:]),)


def picture(prefix: str = "") -> Callable[[nn.Module], tuple[torch.Tensor, ...]]:
    """A square image of as many patches as there are positions."""

    def inputs(module: nn.Module) -> tuple[torch.Tensor, ...]:
        kernel = module.get_parameter(f"{prefix}patch_embedding.projection.weight")
        patches = module.get_parameter(f"{prefix}positions").shape[-2] - 1
        side = round(patches**0.5) * kernel.shape[-1]
        return (torch.zeros(1, kernel.shape[1], side, side),)

    return inputs


def text_and_memory(module: nn.Module) -> tuple[torch.Tensor, ...]:
    width = module.get_parameter("norm.weight").shape[-1]
    return torch.zeros(1, 2, dtype=torch.long), sequence(width)


FIRST_CALLS = {
    "SelfAttentionV1": lambda module: (sequence(module.W_query.shape[0])[0],),
    "SelfAttentionV2": into("W_query"),
    "CausalAttention": into("W_query"),
    "MultiHeadAttentionWrapper": into("heads.0.W_query"),
    "MultiHeadAttention": into("W_query"),
    "PackedMultiHeadAttention": into("qkv"),
    "CrossAttention": into("W_query", "W_key"),
    "GroupedQueryAttention": into("W_query"),
    "PatchEmbedding": patch,
    "ViTEmbeddings": picture(),
    "FeedForward": into("fc1"),
    "EncoderBlock": into("norm1"),
    "PostNormEncoderBlock": into("norm1"),
    "Encoder": into("blocks.0.norm1"),
    "ClassificationHead": into("linear"),
    "ViT": picture("embeddings."),
    "DecoderBlock": into("norm1", "norm1"),
    "Decoder": text_and_memory,
    "LanguageModel": lambda module: (torch.zeros(1, 2, dtype=torch.long),),
}

ROLES = Roles(
    groups=(POSITIONS, PATCHES, QKV, QUERY, KEY_VALUE, OUT),
    aliases={
        "cls_token": named("cls", "class", r"cls(?!\w*pos)\w*", r"class(?!\w*pos)\w*"),
        "norm1": (r"(?:norm|ln|layer_?norm)_?(?:1|a|att\w*|msa)", r"(?:att\w*|msa)_?(?:norm|ln)"),
        "norm2": (r"(?:norm|ln|layer_?norm)_?(?:2|b|mlp|ff\w*)", r"(?:mlp|ff\w*)_?(?:norm|ln)"),
        "norm3": (r"(?:norm|ln|layer_?norm)_?(?:3|c|mlp|ff\w*)", r"(?:mlp|ff\w*)_?(?:norm|ln)"),
        "self_attention": named(r"self_?att\w*", r"masked\w*", r"causal\w*"),
        "cross_attention": named(r"cross\w*", r"(?:enc\w*|mem\w*)_?att\w*"),
        "norm": ("ln", "layer_?norm", r"(?:norm|ln)_?(?:f|final|out|post)", r"(?:final|post)\w*"),
        "fc1": (r"(?:fc|lin|linear|dense|c|w)_?(?:1|fc|in|up)", "up", "expand"),
        "fc2": (r"(?:fc|lin|linear|dense|c|w)_?(?:2|out|down)", "c_proj", "down", "contract"),
        "linear": ("head", "classifier", r"mlp_head", "fc", "out"),
    },
    alternatives=ALTERNATIVES,
    first_calls=FIRST_CALLS,
)
