"""Small calls of each target, among which a counterexample to a wrong answer is looked for.

An entry names the arguments by their role and says which axes they have; lengths of 1 and 2 are
tried, and small whole numbers. What an exercise forbids must not stand here: every call has one
right answer. (`sincos_2d` has several: its columns may stand in any order.) `sums` says of which
products an entry of the answer is the sum.
"""

from grader.judge.smallest.small_calls import (
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
        SmallCall(
            name,
            {"x": Numbers("1 T H*Dh")},
            {"output": "1 T H*Dh"},
            made=(Size("H*Dh"), Size("H"), 1),
            sizes={"Dh": TWO},
        )
        for name in ("EncoderBlock", "PostNormEncoderBlock")
    ),
    *(
        SmallCall(
            "Encoder",
            {"x": Numbers("1 T D")},
            {"output": "1 T D"},
            made=(depth, Size("D"), 1, 1),
            sizes={"D": (2, 3)},
        )
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
    SmallCall(
        "ViT",
        SQUARE,
        {"logits": "1 K"},
        made=(Size("C"), Size("P"), Size("D"), Size("X*P"), 1, 1, Size("K")),
        sizes={"D": (2, 3), "K": TWO},
    ),
    SmallCall(
        "ViT",
        SQUARE,
        {"logits": "1 K"},
        made=(Size("C"), Size("P"), Size("D"), Size("X*P"), 2, 1, Size("K"), "mean"),
        sizes={"D": (2, 3), "K": TWO},
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

SMALL_CALLS = SmallCalls((*SCORES, *MASKS, *HEADS, *VISION, *DECODER), AXES)
