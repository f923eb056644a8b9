"""Small calls of each target, among which a counterexample to a wrong answer is looked for.

An entry names the arguments by their role and says which axes they have; lengths of 1 and 2 are
tried, and small whole numbers. What an exercise forbids must not stand here: every call has one
right answer. (`sincos_2d` has several: its columns may stand in any order.) `sums` says of which
products an entry of the answer is the sum. What no single call shows by its value is shown by
`steps`: lines of code that the student reads too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from grader.judge.smallest.small_calls import (
    Fixed,
    Given,
    Mask,
    Numbers,
    Shares,
    Size,
    SmallCall,
    SmallCalls,
    Whole,
)

AXES = {
    "B": "sample",
    "H": "head",
    "S": "query",
    "L": "key",
    "T": "token",
    "U": "token",
    "D": "feature",
    "E": "feature",
    "Dh": "feature",
    "Dv": "feature",
    "H*D": "feature",
    "H*Dh": "feature",
    "C": "channel",
    "N": "patch",
    "V": "word",
    "K": "class",
    "I": "step",
    "X": "row",
    "Y": "column",
    "X*Y": "patch",
}

ATTENTION = {"query": Numbers("S Dh"), "key": Numbers("L Dh"), "value": Numbers("L Dv")}
BATCHED = {"query": Numbers("B S Dh"), "key": Numbers("B L Dh"), "value": Numbers("B L Dv")}
OUTPUT = {"output": "S Dv", "weights": "S L"}
MIXED = {"output": ("weights", "value")}
TOKENS = {"x": Numbers("1 T D")}
ONE = (1,)
TWO = (2,)
# On two features norms leave nothing but signs, by which the parts of a module cannot be told from
# one another: right programs that store them otherwise were accused.
FOUR_FEATURES = {"x": Numbers("1 T 4")}

SCORES = (
    SmallCall("dot_product_loop", {"a": Numbers("D"), "b": Numbers("D")}, {"product": ""}),
    SmallCall(
        "attention_scores",
        {"query": Numbers("S Dh"), "key": Numbers("L Dh")},
        {"scores": "S L"},
        sums={"scores": ("query", "key")},
    ),
    SmallCall(
        "attention_scores",
        {"query": Numbers("B S Dh"), "key": Numbers("B L Dh")},
        {"scores": "B S L"},
        sizes={"B": TWO},
    ),
    SmallCall("normalise_by_sum", {"scores": Numbers("T")}, {"shares": "T"}),
    SmallCall("softmax_naive", {"x": Numbers("T")}, {"shares": "T"}),
    SmallCall("stable_softmax", {"x": Numbers("X Y")}, {"shares": "X Y"}),
    SmallCall("stable_softmax", {"x": Numbers("X Y")}, {"shares": "X Y"}, options={"dim": 0}),
    SmallCall("stable_softmax", {"x": Numbers("T")}, {"shares": "T"}),
    SmallCall(
        "context_vector",
        {"weights": Numbers("T", positive=True), "values": Numbers("T D")},
        {"context": "D"},
    ),
    SmallCall(
        "context_vector",
        {"weights": Shares("T"), "values": Numbers("T D")},
        {"context": "D"},
        sums={"context": ("weights", "values")},
    ),
    SmallCall(
        "simple_self_attention",
        {"x": Numbers("T D")},
        {"context": "T D", "weights": "T U"},
    ),
    SmallCall(
        "simple_self_attention",
        {"x": Numbers("B T D")},
        {"context": "B T D", "weights": "B T U"},
        sizes={"B": TWO},
    ),
    SmallCall("scaled_dot_product_attention", ATTENTION, OUTPUT, sums=MIXED),
    SmallCall(
        "scaled_dot_product_attention", {**ATTENTION, "mask": Mask("S L")}, OUTPUT, sums=MIXED
    ),
    SmallCall(
        "scaled_dot_product_attention",
        BATCHED,
        {"output": "B S Dv", "weights": "B S L"},
        sizes={"B": TWO, "S": ONE, "Dv": ONE},
    ),
    SmallCall(
        "SelfAttentionV1", {"x": Numbers("T D")}, {"output": "T E"}, made=(Size("D"), Size("E"))
    ),
    SmallCall(
        "SelfAttentionV2", {"x": Numbers("T D")}, {"output": "T E"}, made=(Size("D"), Size("E"))
    ),
    SmallCall("SelfAttentionV1", TOKENS, {"output": "1 T E"}, made=(Size("D"), Size("E"))),
    SmallCall("SelfAttentionV2", TOKENS, {"output": "1 T E"}, made=(Size("D"), Size("E"))),
    SmallCall(
        "SelfAttentionV1",
        {"x": Numbers("B T D")},
        {"output": "B T E"},
        made=(Size("D"), Size("E")),
        sizes={"B": TWO},
    ),
    SmallCall(
        "SelfAttentionV2",
        {"x": Numbers("B T D")},
        {"output": "B T E"},
        made=(Size("D"), Size("E")),
        sizes={"B": TWO},
    ),
    SmallCall("SelfAttentionV2", TOKENS, {"output": "1 T E"}, made=(Size("D"), Size("E"), True)),
)

MASKS = (
    SmallCall("causal_mask", {"T": Size("T")}, {"mask": "T L"}, sizes={"T": (1, 2, 3)}),
    SmallCall("causal_mask", {"T": Size("T"), "offset": Size("U")}, {"mask": "T L"}),
    SmallCall(
        "mask_then_renormalise",
        {"weights": Shares("S L"), "mask": Mask("S L")},
        {"weights": "S L"},
    ),
    SmallCall(
        "mask_then_renormalise",
        {"weights": Shares("B S L"), "mask": Mask("S L")},
        {"weights": "B S L"},
        sizes={"B": TWO},
    ),
    SmallCall(
        "masked_softmax", {"scores": Numbers("S L"), "mask": Mask("S L")}, {"weights": "S L"}
    ),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("B S L"), "mask": Mask("S L")},
        {"weights": "B S L"},
        sizes={"B": TWO, "S": ONE},
    ),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("S L"), "mask": Mask("1 L")},
        {"weights": "S L"},
        options={"dim": 0},
        sizes={"L": ONE},
    ),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("S L 1"), "mask": Mask("S L 1")},
        {"weights": "S L 1"},
        options={"dim": -2},
        sizes={"L": TWO},
    ),
    SmallCall(
        "padding_mask",
        {"lengths": Whole("B", "L", low=1), "L": Size("L")},
        {"mask": "B 1 1 L"},
        sizes={"L": (2, 3)},
    ),
    SmallCall("combine_masks", {"first": Mask("S L"), "second": Mask("S L")}, {"mask": "S L"}),
    SmallCall("combine_masks", {"first": Mask("S L"), "second": None}, {"mask": "S L"}),
    SmallCall("combine_masks", {"first": Mask("S L"), "second": Mask("1 L")}, {"mask": "S L"}),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("B S L"), "mask": Mask("B S L")},
        {"weights": "B S L"},
        sizes={"B": TWO, "S": ONE},
    ),
    SmallCall("combine_masks", {"first": None, "second": Mask("S L")}, {"mask": "S L"}),
    SmallCall("combine_masks", {"first": Mask("S L")}, {"mask": "S L"}),
    SmallCall(
        "attention_dropout",
        {"weights": Shares("S L"), "p": 0.5, "training": False},
        {"weights": "S L"},
    ),
    SmallCall(
        "attention_dropout",
        {"weights": Shares("S L"), "p": 0.0, "training": True},
        {"weights": "S L"},
    ),
    SmallCall(
        "CausalAttention",
        TOKENS,
        {"output": "1 T E"},
        made=(Size("D"), Size("E"), Size("T"), 0.0),
    ),
    SmallCall("CausalAttention", TOKENS, {"output": "1 T E"}, made=(Size("D"), Size("E"), 3, 0.0)),
    SmallCall(
        "CausalAttention",
        {"x": Numbers("B T D")},
        {"output": "B T E"},
        made=(Size("D"), Size("E"), Size("T"), 0.0),
        sizes={"B": TWO},
    ),
    SmallCall(
        "CausalAttention",
        TOKENS,
        {"output": "1 T E"},
        made=(Size("D"), Size("E"), Size("T"), 0.0, True),
    ),
)

HEADS = (
    SmallCall(
        "split_heads",
        {"x": Numbers("1 T H*D"), "num_heads": Size("H")},
        {"split": "1 H T D"},
    ),
    SmallCall(
        "split_heads",
        {"x": Numbers("B T H*D"), "num_heads": Size("H")},
        {"split": "B H T D"},
        sizes={"B": TWO},
    ),
    SmallCall("merge_heads", {"x": Numbers("B H T D")}, {"merged": "B T H*D"}, sizes={"B": TWO}),
    SmallCall("merge_heads", {"x": Numbers("1 H T D")}, {"merged": "1 T H*D"}),
    SmallCall(
        "MultiHeadAttentionWrapper",
        TOKENS,
        {"output": "1 T H*E"},
        made=(Size("D"), Size("E"), Size("T"), 0.0, Size("H")),
        sizes={"H": (1, 2)},
    ),
    SmallCall(
        "MultiHeadAttention",
        TOKENS,
        {"output": "1 T H*Dh"},
        made=(Size("D"), Size("H*Dh"), Size("T"), 0.0, Size("H")),
    ),
    SmallCall(
        "MultiHeadAttention",
        TOKENS,
        {"output": "1 T H*Dh"},
        made=(Size("D"), Size("H*Dh"), 3, 0.0, Size("H")),
    ),
    SmallCall(
        "MultiHeadAttention",
        {"x": Numbers("B T D")},
        {"output": "B T H*Dh"},
        made=(Size("D"), Size("H*Dh"), Size("T"), 0.0, Size("H")),
        sizes={"B": TWO},
    ),
    SmallCall(
        "PackedMultiHeadAttention",
        {"x": Numbers("1 T H*Dh")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "PackedMultiHeadAttention",
        {"x": Numbers("1 T H*Dh"), "mask": Mask("T T")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "PackedMultiHeadAttention",
        {"x": Numbers("B T H*Dh")},
        {"output": "B T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
        sizes={"B": TWO},
    ),
    SmallCall(
        "pack_qkv",
        {"w_query": Numbers("D E"), "w_key": Numbers("D E"), "w_value": Numbers("D E")},
        {"packed": "X E"},
    ),
    SmallCall(
        "pack_qkv",
        {"w_query": Numbers("D"), "w_key": Numbers("D"), "w_value": Numbers("D")},
        {"packed": "X"},
    ),
    SmallCall("unpack_qkv", {"w": Numbers("3*D")}, {"query": "D", "key": "D", "value": "D"}),
    SmallCall(
        "unpack_qkv", {"w": Numbers("3*D E")}, {"query": "D E", "key": "D E", "value": "D E"}
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("1 S D"), "memory": Numbers("1 L E")},
        {"output": "1 S H*Dh"},
        made=(Size("D"), Size("E"), Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("1 S D"), "memory": Numbers("1 L E"), "memory_mask": Mask("1 L")},
        {"output": "1 S H*Dh"},
        made=(Size("D"), Size("E"), Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("B S D"), "memory": Numbers("B L E")},
        {"output": "B S H*Dh"},
        made=(Size("D"), Size("E"), Size("H*Dh"), Size("H")),
        sizes={"B": TWO, "D": ONE, "E": ONE},
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("B S D"), "memory": Numbers("B L D"), "memory_mask": Mask("B L")},
        {"output": "B S H*Dh"},
        made=(Size("D"), Size("D"), Size("H*Dh"), Size("H")),
        sizes={"B": TWO, "D": ONE, "S": ONE, "L": TWO},
    ),
    SmallCall(
        "GroupedQueryAttention",
        {"x": Numbers("B T H*Dh")},
        {"output": "B T H*Dh"},
        made=(Size("H*Dh"), Size("H"), Size("G")),
        sizes={"G": ONE, "B": TWO},
    ),
    SmallCall(
        "GroupedQueryAttention",
        {"x": Numbers("1 T H*Dh")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H"), Size("G")),
        sizes={"G": ONE},
    ),
    SmallCall(
        "GroupedQueryAttention",
        {"x": Numbers("1 T H*Dh")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H"), 2),
        sizes={"H": (2, 4), "Dh": ONE},
    ),
    SmallCall(
        "GroupedQueryAttention",
        {"x": Numbers("1 T H*Dh"), "mask": Mask("T T")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H"), Size("G")),
        sizes={"G": ONE},
    ),
)

IMAGE = {"images": Numbers("1 C X*P Y*P")}
SQUARE = {"images": Numbers("1 C X*P X*P")}
VISION = (
    SmallCall("patchify", {**IMAGE, "patch_size": Size("P")}, {"patches": "1 N E"}),
    SmallCall(
        "unpatchify",
        {
            "patches": Numbers("1 X*Y P*P*C"),
            "patch_size": Size("P"),
            "height": Size("X*P"),
            "width": Size("Y*P"),
        },
        {"images": "1 C X*P Y*P"},
    ),
    SmallCall("PatchEmbedding", IMAGE, {"tokens": "1 N D"}, made=(Size("C"), Size("P"), Size("D"))),
    SmallCall(
        "conv_weight_from_linear",
        {"weight": Numbers("D P*P*C"), "in_channels": Size("C"), "patch_size": Size("P")},
        {"weight": "D C P P"},
    ),
    SmallCall(
        "ViTEmbeddings",
        SQUARE,
        {"tokens": "1 T D"},
        made=(Size("C"), Size("P"), Size("D"), Size("X*P")),
    ),
    SmallCall(
        "ViTEmbeddings",
        {"images": Numbers("B C X*P X*P")},
        {"tokens": "B T D"},
        made=(Size("C"), Size("P"), Size("D"), Size("X*P")),
        sizes={"B": TWO},
    ),
    *(
        SmallCall(
            "interpolate_positions",
            {"positions": Numbers(f"{rows} D"), "old_grid": old, "new_grid": new, **prefix},
            {"positions": "N D"},
            sizes={"D": ONE},
        )
        for rows, old, new, prefix in (
            # Between other grids several ways of scaling are right.
            (5, (2, 2), (2, 2), {}),
            (7, (2, 3), (2, 3), {}),
            (4, (1, 2), (1, 2), {"num_prefix": 2}),
        )
    ),
    SmallCall("FeedForward", {"x": Numbers("T D")}, {"output": "T D"}, made=(Size("D"), 1)),
    SmallCall("FeedForward", {"x": Numbers("T D")}, {"output": "T D"}, made=(Size("D"), 2)),
    SmallCall("FeedForward", {"x": Numbers("T D")}, {"output": "T D"}, made=(Size("D"),)),
    *(
        SmallCall(name, FOUR_FEATURES, {"output": "1 T D"}, made=(4, heads, 1))
        for name in ("EncoderBlock", "PostNormEncoderBlock")
        for heads in (2, 1)
    ),
    *(
        SmallCall("Encoder", FOUR_FEATURES, {"output": "1 T D"}, made=(depth, 4, 1, 1))
        for depth in (1, 2)
    ),
    SmallCall(
        "ClassificationHead",
        {"x": Numbers("1 T D")},
        {"logits": "1 K"},
        made=(Size("D"), Size("K"), "cls"),
        sizes={"T": (2, 3)},
    ),
    SmallCall(
        "ClassificationHead",
        {"x": Numbers("1 T D")},
        {"logits": "1 K"},
        made=(Size("D"), Size("K"), "mean"),
        sizes={"T": (2, 3)},
    ),
    SmallCall("attention_rollout", {"weights": (Shares("1 1 T T"),)}, {"rollout": "1 T U"}),
    SmallCall(
        "attention_rollout",
        {"weights": (Shares("1 1 T T"), Shares("1 1 T T"))},
        {"rollout": "1 T U"},
    ),
    *(
        SmallCall(
            "attention_rollout",
            {"weights": (Shares("1 H T T"),)},
            {"rollout": "1 T U"},
            options={"head_fusion": fusion},
            sizes={"H": TWO},
        )
        for fusion in ("mean", "max", "min")
    ),
    SmallCall(
        "rollout_to_patches",
        {"rollout": Numbers("1 T T"), "grid": (1, 1)},
        {"picture": "1 X Y"},
        sizes={"T": TWO},
    ),
)

DECODER = (
    SmallCall(
        "sinusoidal_positions",
        {"T": Size("T"), "dim": Size("D")},
        {"table": "T D"},
        sizes={"D": (2, 4)},
    ),
    SmallCall(
        "apply_rope",
        {"x": Numbers("1 1 T D"), "positions": Whole("T", 3)},
        {"turned": "1 1 T D"},
        sizes={"D": (2, 4)},
    ),
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 T D"), "memory": Numbers("1 L D")},
        {"output": "1 T D"},
        made=(Size("D"), 1, 1),
        sizes={"D": (2, 3)},
    ),
    SmallCall(
        "Decoder",
        {"tokens": Whole("1 T", 2), "memory": Numbers("1 L D")},
        {"logits": "1 T V"},
        made=(1, Size("D"), 1, 2),
        sizes={"D": TWO},
    ),
    SmallCall(
        "KVCacheAttention",
        {"x": Numbers("1 T H*Dh")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
        methods=("prefill",),
    ),
    SmallCall(
        "KVCacheAttention",
        {"start": Numbers("1 T H*Dh"), "x": Numbers("1 U H*Dh")},
        {"output": "1 U H*Dh"},
        made=(Size("H*Dh"), Size("H")),
        methods=("prefill", "step"),
    ),
    *(
        SmallCall(
            "sliding_window_attention",
            {
                "query": Numbers("T Dh"),
                "key": Numbers("T Dh"),
                "value": Numbers("T Dv"),
                "window": window,
            },
            {"output": "T Dv"},
            sizes={"T": (1, 2), "Dv": ONE},
        )
        for window in (1, 2)
    ),
    SmallCall("online_softmax", {"chunks": (Numbers("T"), Numbers("U"))}, {"shares": "L"}),
    SmallCall("online_softmax", {"chunks": (Numbers("X T"), Numbers("X U"))}, {"shares": "X L"}),
    *(
        SmallCall(
            "chunked_attention",
            {**ATTENTION, "block_size": size},
            {"output": "S Dv"},
            sizes={"Dv": ONE, "L": (1, 2, 3)},
        )
        for size in (1, 2)
    ),
    SmallCall(
        "chunked_attention",
        {**ATTENTION, "block_size": 1, "mask": Mask("S L")},
        {"output": "S Dv"},
        sizes={"Dv": ONE},
    ),
)


THREE_FEATURES = Fixed("1 1 3", (1, 2, 4))


def parameters(target: str, made: str, count: int) -> SmallCall:
    """Show how many numbers a module learns; more of them than `count` do no harm."""
    steps = (
        f"module = {target}({made})",
        f"shown = min({count}, sum(p.numel() for p in module.parameters() if p.requires_grad))",
    )
    return SmallCall(target, {}, {"parameters": ""}, steps=steps)


def refuses(target: str, *steps: str, given: Mapping[str, Given] | None = None) -> SmallCall:
    """Show that the last of these steps has to raise a ValueError."""
    lines = (*steps[:-1], f"shown = {steps[-1]}")
    return SmallCall(target, given or {}, {"error": ""}, steps=lines, raises="ValueError")


def repeats(name: str, made: str, given: Given = THREE_FEATURES) -> SmallCall:
    """Show whether two modules with the same state give the same answer."""
    steps = (
        f"first, second = {name}({made}), {name}({made})",
        "second.load_state_dict(first.state_dict())",
        "shown = torch.allclose(first(x), second(x))",
    )
    return SmallCall(name, {"x": given}, {"alike": ""}, steps=steps)


def turned(
    target: str, call: str, given: Mapping[str, Given], made: Sequence[Any] | None = None
) -> SmallCall:
    """Show a call with a transposed view, whose numbers do not lie in memory in order."""
    return SmallCall(target, given, {"output": ""}, made, steps=(f"shown = {call}",))


TEXT_TURNED = {"x": Fixed("2 2 2", (1, 2, 3, 4, 5, 6, 7, 8))}
TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}
TWO_WEIGHTS = {"weights": Fixed("1 2", (1, 1))}
COUNT_ON = "lambda t: torch.nn.functional.one_hot((t + 1) % 5, 5).float()"
COUNT_BY_TWO = "lambda t: torch.nn.functional.one_hot((t + 2) % 5, 5).float()"
ADD_UP = "lambda t: torch.nn.functional.one_hot(t.cumsum(1) % 5, 5).float()"
BEST = "lambda x: x.argmax(-1)"
TWO_WAYS = (("generate", COUNT_ON), ("generate_cached", f"{COUNT_ON}, {COUNT_ON}"))

SHOWN_BY_STEPS = (
    SmallCall(
        "scaled_dot_product_attention",
        ATTENTION,
        {"unchanged": ""},
        steps=(
            "before = query.clone()",
            "scaled_dot_product_attention(query, key, value)",
            "shown = query.equal(before)",
        ),
        sizes={"S": ONE, "L": ONE, "Dh": ONE, "Dv": ONE},
    ),
    parameters("SelfAttentionV1", "2, 2", 12),
    parameters("SelfAttentionV2", "2, 2", 12),
    parameters("SelfAttentionV2", "2, 2, True", 18),
    refuses("copy_v2_to_v1", "copy_v2_to_v1(SelfAttentionV2(1, 1, True), SelfAttentionV1(1, 1))"),
    SmallCall(
        "combine_masks",
        {"mask": Mask("1 L"), "other": Mask("1 L")},
        {"unchanged": ""},
        steps=(
            "before = mask.clone()",
            "combine_masks(mask, other)",
            "shown = mask.equal(before)",
        ),
        sizes={"L": TWO},
    ),
    # By chance none of 48 entries is 0: in one of a million runs.
    SmallCall(
        "attention_dropout",
        TWO_WEIGHTS,
        {"answers": ""},
        steps=(
            "many = [attention_dropout(weights, 0.25, True) for _ in range(24)]",
            "shown = torch.cat(many).unique()",
        ),
    ),
    SmallCall(
        "attention_dropout",
        TWO_WEIGHTS,
        {"answers": ""},
        steps=(
            "many = [attention_dropout(weights, 0.25, False) for _ in range(24)]",
            "shown = torch.cat(many).unique()",
        ),
    ),
    SmallCall(
        "attention_dropout",
        TWO_WEIGHTS,
        {"shape": ""},
        steps=("shown = attention_dropout(weights, 0.5, True).shape",),
    ),
    refuses(
        "CausalAttention",
        "module = CausalAttention(1, 1, 1, 0.0)",
        "module(x)",
        given={"x": Fixed("1 2 1", (1, 2))},
    ),
    SmallCall(
        "CausalAttention",
        {"x": Fixed("1 2 1", (0, 1))},
        {"output": "1 T E"},
        made=(1, 1, 2, 0.0),
        steps=("shown = module(1000 * x)",),
    ),
    parameters("CausalAttention", "2, 2, 2, 0.0", 12),
    parameters("CausalAttention", "2, 2, 2, 0.0, True", 18),
    refuses("split_heads", "split_heads(x, 2)", given={"x": Fixed("1 1 3", (1, 2, 3))}),
    turned("split_heads", "split_heads(x.transpose(0, 1), 1)", TURNED_TOKENS),
    parameters("MultiHeadAttentionWrapper", "2, 2, 2, 0.0, 2", 24),
    parameters("MultiHeadAttentionWrapper", "1, 1, 2, 0.0, 2", 6),
    parameters("MultiHeadAttentionWrapper", "1, 1, 2, 0.0, 1, True", 6),
    refuses(
        "MultiHeadAttentionWrapper",
        "module = MultiHeadAttentionWrapper(1, 1, 1, 0.0, 1)",
        "module(x)",
        given={"x": Fixed("1 2 1", (1, 2))},
    ),
    turned(
        "MultiHeadAttentionWrapper", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 2, 0.0, 1)
    ),
    parameters("MultiHeadAttention", "2, 2, 2, 0.0, 2", 18),
    parameters("MultiHeadAttention", "2, 2, 2, 0.0, 2, True", 24),
    refuses("MultiHeadAttention", "MultiHeadAttention(1, 3, 1, 0.0, 2)"),
    refuses(
        "MultiHeadAttention",
        "module = MultiHeadAttention(1, 1, 1, 0.0, 1)",
        "module(x)",
        given={"x": Fixed("1 2 1", (1, 2))},
    ),
    turned("MultiHeadAttention", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 2, 0.0, 1)),
    parameters("PackedMultiHeadAttention", "2, 1", 24),
    refuses("PackedMultiHeadAttention", "PackedMultiHeadAttention(3, 2)"),
    turned("PackedMultiHeadAttention", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1)),
    parameters("CrossAttention", "1, 2, 2, 1", 22),
    refuses("CrossAttention", "CrossAttention(1, 1, 3, 2)"),
    turned(
        "CrossAttention",
        "module(x, memory.transpose(0, 1))",
        {"x": Fixed("2 1 1", (1, 2)), "memory": Fixed("2 2 1", (1, 2, 3, 4))},
        (1, 1, 1, 1),
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("1 S D"), "memory": Numbers("1 L D"), "memory_mask": Mask("B L")},
        {"output": "B S D"},
        made=(1, 1, 2, 2),
        steps=("shown = module(x.repeat(2, 1, 1), memory.repeat(2, 1, 1), memory_mask)",),
        sizes={"B": TWO, "D": ONE, "S": ONE, "L": TWO},
    ),
    parameters("GroupedQueryAttention", "4, 2, 1", 60),
    refuses("GroupedQueryAttention", "GroupedQueryAttention(3, 2, 1)"),
    refuses("GroupedQueryAttention", "GroupedQueryAttention(6, 3, 2)"),
    turned("GroupedQueryAttention", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 1)),
    refuses("patchify", "patchify(images, 2)", given={"images": Fixed("1 1 2 3", range(6))}),
    turned("patchify", "patchify(images.mT, 1)", {"images": Fixed("1 1 2 2", range(4))}),
    refuses(
        "unpatchify", "unpatchify(patches, 2, 3, 2)", given={"patches": Fixed("1 1 4", range(4))}
    ),
    refuses(
        "unpatchify", "unpatchify(patches, 1, 1, 1)", given={"patches": Fixed("1 2 1", range(2))}
    ),
    turned("unpatchify", "unpatchify(patches.mT, 1, 1, 2)", {"patches": Fixed("1 2 2", range(4))}),
    refuses(
        "PatchEmbedding",
        "module = PatchEmbedding(1, 2, 1)",
        "module(images)",
        given={"images": Fixed("1 1 2 3", range(6))},
    ),
    parameters("PatchEmbedding", "1, 2, 1", 5),
    parameters("ViTEmbeddings", "1, 1, 2, 2", 16),
    refuses("ViTEmbeddings", "ViTEmbeddings(1, 2, 1, 3)"),
    turned(
        "ViTEmbeddings", "module(images.mT)", {"images": Fixed("1 1 2 2", range(4))}, (1, 1, 2, 2)
    ),
    # The columns may stand in any order.
    *(
        SmallCall(
            "sincos_2d",
            {},
            {"columns": "N D"},
            steps=(f"shown = sincos_2d({height}, {width}, {dim}).sort(dim=-1).values",),
        )
        for height, width, dim in ((1, 1, 4), (1, 2, 4), (2, 3, 4), (1, 3, 8), (5, 2, 8))
    ),
    refuses("sincos_2d", "sincos_2d(1, 1, 6)"),
    # However positions are scaled, those of a grid where all are alike stay what they are.
    *(
        SmallCall(
            "interpolate_positions",
            {"positions": Fixed(axes, numbers)},
            {"positions": ""},
            steps=(f"shown = interpolate_positions(positions{view}, {old}, {new})",),
        )
        for axes, numbers, view, old, new in (
            ("2 2", (0, 5, 1, 2), "", (1, 1), (1, 2)),
            ("3 2", (0, 5, 1, 2, 1, 2), "", (1, 2), (1, 4)),
            ("1 2 1", (0, 1), "", (1, 1), (1, 2)),
            ("2 2", (0, 1, 5, 2), ".mT", (1, 1), (1, 2)),
        )
    ),
    *(
        SmallCall("ResidualAdd", given, {"output": axes}, steps=(f"shown = {call}",))
        for given, axes, call in (
            ({"x": Numbers("T")}, "T", "ResidualAdd(lambda x: 10 * x)(x)"),
            ({"x": Numbers("1 T D")}, "1 T D", "ResidualAdd(lambda x: 10 * x)(x)"),
            (
                {"x": Numbers("1 T D")},
                "1 T D",
                "ResidualAdd(lambda x, scale: scale * x)(x, scale=10)",
            ),
        )
    ),
    *(
        parameters("FeedForward", made, count)
        for made, count in (("1, 5", 16), ("2, 3", 32), ("1", 13))
    ),
    SmallCall(
        "FeedForward",
        {"x": Fixed("1 1", (-3,))},
        {"output": "T D"},
        made=(1, 1),
        steps=("shown = 1000 * module(x)",),  # where other activations are 0, or not nearly it
    ),
    turned("FeedForward", "module(x.mT)", {"x": Fixed("2 2", (1, 2, 3, 4))}, (2, 1)),
    *(parameters(name, "2, 1, 5", 84) for name in ("EncoderBlock", "PostNormEncoderBlock")),
    *(
        turned(name, "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 1))
        for name in ("EncoderBlock", "PostNormEncoderBlock")
    ),
    SmallCall(
        "EncoderBlock",
        {"x": Fixed("1 1 4", (0, 0, 0, 1))},
        {"output": "1 T D"},
        made=(4, 2, 1),
        steps=("shown = module(x / 10)",),  # less, and an eps of 1e-6 would count
    ),
    *(repeats(name, "3, 1") for name in ("EncoderBlock", "PostNormEncoderBlock")),
    repeats("SelfAttentionV1", "3, 2"),
    repeats("Encoder", "1, 3, 1"),
    parameters("Encoder", "2, 2, 1, 5", 172),
    parameters("Encoder", "13, 2, 1", 966),
    SmallCall("Encoder", FOUR_FEATURES, {"output": "1 T D"}, (1, 4, 1, 1, 0.0, False)),
    turned("Encoder", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 1, 1)),
    parameters("ClassificationHead", "2, 2", 6),
    turned("ClassificationHead", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 2)),
    *(
        SmallCall(
            "ViT",
            {"images": Numbers("B 1 X X")},
            {"logits": "B K"},
            made=(1, 1, 4, Size("X"), depth, 2, 3, pool),
            sizes={"B": batch, "X": TWO},
        )
        for depth, pool in ((1, "cls"), (2, "cls"), (1, "mean"))
        for batch in (ONE, TWO)
    ),
    parameters("ViT", "1, 1, 2, 1, 2, 1, 2", 168),
    parameters("ViT", "1, 1, 2, 1, 13, 1, 2", 982),
    SmallCall(
        "ViT",
        {"images": Fixed("2 1 1 1", (1, 2))},
        {"shape": ""},
        steps=("module = ViT(1, 1, 2, 1, 1, 1, 2)", "shown = module(images).shape"),
    ),
    refuses(
        "attention_rollout",
        "attention_rollout([weights], head_fusion='sum')",
        given={"weights": Fixed("1 1 1 1", (1,))},
    ),
    SmallCall(
        "attention_rollout",
        {"weights": (Shares("1 H T T"),)},
        {"rollout": "1 T U"},
        sizes={"H": TWO},
    ),
    turned(
        "attention_rollout",
        "attention_rollout([weights.mT])",
        {"weights": Fixed("1 1 2 2", (1, 0, 0, 1))},
    ),
    *(
        SmallCall(
            "rollout_to_patches",
            {"row": Fixed(f"1 {1 + height * width}", range(1 + height * width))},
            {"picture": "1 X Y"},
            steps=(
                f"rollout = row.repeat(1, {1 + height * width}, 1)",
                f"shown = rollout_to_patches(rollout, ({height}, {width}))",
            ),
        )
        for height, width in ((1, 2), (2, 1), (2, 2))
    ),
    turned(
        "rollout_to_patches",
        "rollout_to_patches(rollout.mT, (1, 1))",
        {"rollout": Fixed("1 2 2", (1, 0, 0, 1))},
    ),
    SmallCall("sinusoidal_positions", {"T": 8, "dim": 4}, {"table": "T D"}),
    refuses("sinusoidal_positions", "sinusoidal_positions(1, 3)"),
    SmallCall(
        "apply_rope",
        {"x": Numbers("1 H T D"), "positions": Whole("T", 3)},
        {"turned": "1 H T D"},
        sizes={"H": TWO, "D": TWO},
    ),
    SmallCall(
        "apply_rope",
        {"x": Numbers("1 1 T D"), "positions": Whole("T", 3)},
        {"turned": "1 1 T D"},
        options={"base": 100.0},
        sizes={"D": (4,), "T": ONE},
    ),
    turned(
        "apply_rope",
        "apply_rope(x.mT, positions)",
        {"x": Fixed("1 1 2 2", (1, 2, 3, 4)), "positions": Whole("2", 3)},
    ),
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 T D"), "memory": Numbers("1 L D"), "memory_mask": Mask("1 L")},
        {"output": "1 T D"},
        made=(Size("D"), 1, 1),
        sizes={"D": TWO, "T": ONE, "L": TWO},
    ),
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 1 2"), "memory": Numbers("1 2 1"), "memory_mask": Mask("B L")},
        {"output": "B T D"},
        made=(2, 1, 1),
        steps=("shown = module(x.repeat(2, 1, 1), memory.repeat(2, 1, 2), memory_mask)",),
        sizes={"B": TWO, "L": TWO},
    ),
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 1 2"), "memory": Numbers("2 1 2")},
        {"output": "B T D"},
        made=(2, 1, 1),
        steps=("shown = module(x.repeat(2, 1, 1), memory)",),
    ),
    SmallCall(
        "Decoder",
        {"tokens": Whole("1 T", 2), "memory": Numbers("1 L D"), "memory_mask": Mask("1 L")},
        {"logits": "1 T V"},
        made=(1, Size("D"), 1, 2),
        sizes={"D": TWO, "T": ONE, "L": TWO},
    ),
    SmallCall(
        "Decoder",
        {"tokens": Whole("1 T", 2), "memory": Numbers("1 L D")},
        {"logits": "1 T V"},
        made=(2, Size("D"), 1, 2),
        sizes={"D": TWO},
    ),
    parameters("DecoderBlock", "2, 1, 5", 112),
    parameters("Decoder", "2, 2, 1, 2", 218),
    turned(
        "DecoderBlock",
        "module(x.transpose(0, 1), memory)",
        {**TURNED_TOKENS, "memory": Fixed("2 1 1", (1, 2))},
        (1, 1, 1),
    ),
    turned(
        "DecoderBlock",
        "module(x, memory.transpose(0, 1))",
        {"x": Fixed("2 1 1", (1, 2)), "memory": Fixed("2 2 1", (1, 2, 3, 4))},
        (1, 1, 1),
    ),
    parameters("KVCacheAttention", "2, 1", 24),
    refuses("KVCacheAttention", "KVCacheAttention(3, 2)"),
    SmallCall(
        "KVCacheAttention",
        {"start": Numbers("1 1 D"), "next": Numbers("1 1 D"), "x": Numbers("1 1 D")},
        {"output": "1 1 D"},
        made=(Size("D"), 1),
        methods=("prefill", "step", "step"),
    ),
    *(
        SmallCall(
            "sliding_window_attention",
            {"x": Numbers("T Dh"), "value": Numbers("T Dv")},
            {"output": "T Dv"},
            steps=(f"shown = sliding_window_attention(x, x, value, {window})",),
            sizes={"T": (tokens,), "Dh": (width,), "Dv": ONE},
        )
        for tokens, width, window in ((2, 2, 2), (3, 1, 2), (4, 1, 2), (4, 1, 3))
    ),
    SmallCall(
        "sliding_window_attention",
        {"x": Fixed("2 2", (1, 0, 1, 1)), "value": Fixed("2 1", (0, 10))},
        {"output": "T Dv"},
        steps=("shown = sliding_window_attention(x, x, value, 2)",),
    ),
    *(
        SmallCall(
            name,
            TURNED_TOKENS,
            {"output": ""},
            steps=("x = x.transpose(0, 1)", f"shown = {name}(x, x, x, 1)"),
        )
        for name in ("sliding_window_attention", "chunked_attention")
    ),
)

TEXTS = (
    SmallCall("sampling_probabilities", {"logits": Numbers("T")}, {"shares": "T"}),
    # Logits that are all different: of equal ones it is not stated which of them go.
    *(
        SmallCall(
            "sampling_probabilities",
            {"logits": Numbers("X Y", distinct=True)},
            {"shares": "X Y"},
            options=one,
            sizes={"Y": (2, 3)},
        )
        for one in (
            {"top_p": 0.6},
            {"top_k": 2},
            {"temperature": 2.0},
            {"top_k": 2, "top_p": 0.7},
            {"temperature": 0.0},
            {"top_p": 0.7},
            {"top_k": 1},
            {"top_k": 9},
        )
    ),
    SmallCall(
        "sampling_probabilities",
        {"logits": Fixed("4", (2, 0, 3, 1))},
        {"shares": "T"},
        options={"top_p": 0.7},
    ),
    *(
        refuses(
            "sampling_probabilities",
            f"sampling_probabilities(logits, {option})",
            given={"logits": Fixed("2", (1, 2))},
        )
        for option in ("temperature=-1.0", "top_k=0", "top_k=-1", "top_p=0.0", "top_p=1.5")
    ),
    SmallCall("sample", {"logits": Fixed("2 2", (0, 100, 100, 0))}, {"tokens": ""}),
    SmallCall("sample", {"logits": Fixed("2", (0, 100))}, {"token": ""}),
    SmallCall(
        "sample",
        {"logits": Fixed("2", (0, 100))},
        {"whole": ""},
        steps=("shown = sample(logits).dtype == torch.int64",),
    ),
    *(
        SmallCall(
            name,
            {"tokens": Whole(axes, 5)},
            {"text": "B T"},
            steps=(f"shown = {name}({model}, tokens, {choose}, {rest})",),
            sizes={"T": (1, 2)},
        )
        for name, models in (
            ("generate", (COUNT_ON, ADD_UP)),
            ("generate_cached", (f"{COUNT_ON}, {COUNT_ON}", f"{COUNT_ON}, {COUNT_BY_TWO}")),
        )
        for model, choose, rest in (
            (models[0], BEST, "4"),
            (models[1], BEST, "4"),
            (models[0], "lambda x: x.argmin(-1)", "4"),
            (models[0], BEST, "4, 0"),
            (models[0], BEST, "5, 3"),
        )
        for axes in ("1 T", "2 T")
    ),
    *(
        SmallCall(
            name,
            {"tokens": Whole("1 1", 5)},
            {"whole": ""},
            steps=(f"shown = {name}({model}, tokens, {BEST}, 2).dtype == torch.int64",),
        )
        for name, model in TWO_WAYS
    ),
    *(
        refuses(name, f"{name}({model}, tokens, {BEST}, 1)", given={"tokens": Whole("1 2", 5)})
        for name, model in TWO_WAYS
    ),
)

# Each place knows its own token best; or the next one.
SAME_AGAIN = "lambda t: 2.0 * torch.nn.functional.one_hot(t, 3)"
NEXT_ONE = "lambda t: 2.0 * torch.nn.functional.one_hot((t + 1) % 3, 3)"
# A model of two tokens, and one whose parameters are two: each with a number of its own.
ONE_TABLE = (
    "model = torch.nn.Embedding(2, 2)",
    "model.load_state_dict({'weight': weight})",
    "sgd = torch.optim.SGD(model.parameters(), lr=3.0)",
    "tokens = tokens.long()",
)
TWO_LAYERS = (
    "model = torch.nn.Sequential(torch.nn.Embedding(2, 1), torch.nn.Linear(1, 2, bias=False))",
    "model.load_state_dict({'0.weight': first, '1.weight': second})",
    *ONE_TABLE[2:],
)
TABLE = {"weight": Fixed("2 2", (0, 0, 0, 0)), "tokens": Fixed("1 2", (0, 1))}
LAYERS = {
    "first": Fixed("2 1", (1, 3)),
    "second": Fixed("2 1", (1, -1)),
    "tokens": Fixed("1 3", (0, 1, 0)),
}
LOGITS = "shown = model(torch.arange(2))"


def trains(given: Mapping[str, Given], *steps: str, returns: str = "V K") -> SmallCall:
    """Show what a training step leaves of a tiny model, or what it returns."""
    return SmallCall("training_step", given, {"logits": returns}, steps=steps, learns=True)


TRAINING = (
    *(
        SmallCall(
            "next_token_loss",
            {"tokens": Whole(axes, 3)},
            {"loss": ""},
            steps=(f"shown = next_token_loss({model}, tokens)",),
            sizes={"T": (2, 3)},
        )
        for model in (NEXT_ONE, SAME_AGAIN)
        for axes in ("1 T", "2 T")
    ),
    *(
        SmallCall(
            "next_token_loss",
            {"tokens": Fixed(axes, numbers)},
            {"loss": ""},
            steps=("tokens = tokens.long()", f"shown = next_token_loss({SAME_AGAIN}, tokens)"),
        )
        for axes, numbers in (
            ("1 3", (0, 2, -1)),
            ("1 4", (0, 0, -1, -1)),
            ("2 3", (0, 2, 1, 1, 1, -1)),
            ("2 4", (0, 2, 1, 1, 1, 1, -1, -1)),
        )
    ),
    SmallCall(
        "next_token_loss",
        {"tokens": Whole("1 2", 2)},
        {"has a gradient": ""},
        steps=(
            "model = torch.nn.Embedding(2, 2)",
            "shown = next_token_loss(model, tokens).requires_grad",
        ),
        learns=True,
    ),
    *(
        SmallCall(
            "learning_rate",
            {},
            {"rates": "I"},
            steps=(
                f"rates = [learning_rate(i, {peak}, {warmup}, {steps}) for i in range({count})]",
                "shown = torch.tensor(rates)",
            ),
        )
        for peak, warmup, steps, count in (
            ("2.0", 2, 4, 4),
            ("2.0", 2, 6, 6),
            ("2.0", 0, 2, 2),
            ("2.0", 1, 2, 4),
        )
    ),
    SmallCall(
        "learning_rate",
        {},
        {"is a float": ""},
        steps=("shown = isinstance(learning_rate(0, 2.0, 1, 2), float)",),
    ),
    trains(TABLE, *ONE_TABLE, "training_step(model, sgd, tokens, 1.0)", LOGITS),
    trains(TABLE, *ONE_TABLE, "training_step(model, sgd, tokens, 1.0, 0.1)", LOGITS),
    trains(TABLE, *ONE_TABLE, *["training_step(model, sgd, tokens, 1.0, 9.0)"] * 2, LOGITS),
    trains(LAYERS, *TWO_LAYERS, "training_step(model, sgd, tokens, 1.0, 9.0)", LOGITS),
    trains(LAYERS, *TWO_LAYERS, "training_step(model, sgd, tokens, 1.0, 0.5)", LOGITS),
    trains(TABLE, *ONE_TABLE, "shown = training_step(model, sgd, tokens, 1.0, 9.0)", returns=""),
    trains(
        TABLE,
        *ONE_TABLE,
        "shown = isinstance(training_step(model, sgd, tokens, 1.0, 9.0), float)",
        returns="",
    ),
)

# Heads of two features: the attention turns pairs. (Width, heads, groups, window).
TEXT_SIZES = ((2, 1, 1, 2), (4, 2, 1, 2), (2, 1, 1, 3), (4, 2, 2, 2))
MODEL_SIZES = ((3, 4, 1, 2, 1, 2), (3, 4, 2, 2, 2, 2))
FROM_THE_BEGINNING = [
    SmallCall(
        "TextAttention",
        {"x": Numbers(f"1 T {made[0]}")},
        {"output": "1 T D"},
        made=made,
        methods=("prefill",),
        sizes={"T": (1, 2) if made[0] == 4 else (1, 2, 3, 4)},
    )
    for made in TEXT_SIZES
]
IN_STEPS = [
    SmallCall(
        "TextAttention",
        {**dict.fromkeys(before, Numbers("1 T 2")), "x": Numbers("1 U 2")},
        {"output": "1 U D"},
        made=(2, 1, 1, window),
        methods=methods,
        sizes={"T": (1, 2, 3), "U": (1, 2, 3)},
    )
    for before, methods in (
        (["start"], ("prefill", "step")),
        (["start", "next"], ("prefill", "step", "step")),
        (["earlier"], ("prefill", "prefill")),
    )
    for window in (2, 3)
]
TEXT_MODELS = (
    # What shows most comes first: only some of them are asked for lines that are right.
    *FROM_THE_BEGINNING[:2],
    *IN_STEPS[:4],
    *FROM_THE_BEGINNING[2:],
    *IN_STEPS[4:],
    SmallCall(
        "TextAttention",
        {"x": Numbers("1 1 8")},
        {"output": "1 T D"},
        made=(8, 4, 2, 2),
        methods=("prefill",),
    ),
    SmallCall(
        "TextAttention",
        {"x": Numbers("2 T 2")},
        {"output": "B T D"},
        made=(2, 1, 1, 2),
        methods=("prefill",),
    ),
    parameters("TextAttention", "4, 2, 1, 2", 60),
    parameters("TextAttention", "4, 2, 2, 2", 80),
    refuses("TextAttention", "TextAttention(3, 2, 1, 1)"),
    refuses("TextAttention", "TextAttention(6, 3, 2, 1)"),
    turned("TextAttention", "module.prefill(x.transpose(0, 1))", TEXT_TURNED, (2, 1, 1, 2)),
    SmallCall(
        "TextAttention",
        {"x": Fixed("1 1 2", (1, 2))},
        {"alike": ""},
        steps=(
            "one, other = TextAttention(2, 1, 1, 3), TextAttention(2, 1, 1, 3)",
            "start, answer = one.prefill(x), one.step(x)",
            "start, mixed, answer_again = one.prefill(x), other.prefill(0 * x), one.step(x)",
            "shown = torch.allclose(answer, answer_again)",
        ),
    ),
    *(
        SmallCall(
            "LanguageModel",
            {"tokens": Whole("1 T", 3)},
            {"logits": "1 T V"},
            made=made,
            sizes={"T": (1, 2, 3)},
        )
        for made in MODEL_SIZES
    ),
    *(
        SmallCall(
            "LanguageModel",
            {"start": Whole("1 T", 3), "tokens": Whole("1 U", 3)},
            {"logits": "1 U V"},
            made=made,
            methods=("prefill", "step"),
        )
        for made in MODEL_SIZES
    ),
    parameters("LanguageModel", "3, 4, 2, 2, 1, 2", 483),
    repeats("LanguageModel", "3, 4, 1, 2, 1, 2", Whole("1 2", 3)),
)

SMALL_CALLS = SmallCalls(
    (
        *SCORES,
        *MASKS,
        *HEADS,
        *VISION,
        *DECODER,
        *SHOWN_BY_STEPS,
        *TEXTS,
        *TRAINING,
        *TEXT_MODELS,
    ),
    AXES,
)
