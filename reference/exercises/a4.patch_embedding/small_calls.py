"""Small calls of a4.patch_embedding, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

IMAGE = {"images": Numbers("1 C X*P Y*P")}

SMALL_CALLS = (
    SmallCall("PatchEmbedding", IMAGE, {"tokens": "1 N D"}, made=(Size("C"), Size("P"), Size("D"))),
    SmallCall(
        "conv_weight_from_linear",
        {"weight": Numbers("D P*P*C"), "in_channels": Size("C"), "patch_size": Size("P")},
        {"weight": "D C P P"},
    ),
    refuses(
        "PatchEmbedding",
        "module = PatchEmbedding(1, 2, 1)",
        "module(images)",
        given={"images": Fixed("1 1 2 3", range(6))},
    ),
    parameters("PatchEmbedding", "1, 2, 1", 5),
)
