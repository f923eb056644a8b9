"""Small calls of a1.modules, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, repeats
from grader.judge.smallest.small_calls import Numbers, Size, SmallCall

TOKENS = {"x": Numbers("1 T D")}

TWO = (2,)

SMALL_CALLS = (
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
    parameters("SelfAttentionV1", "2, 2", 12),
    parameters("SelfAttentionV2", "2, 2", 12),
    parameters("SelfAttentionV2", "2, 2, True", 18),
    refuses("copy_v2_to_v1", "copy_v2_to_v1(SelfAttentionV2(1, 1, True), SelfAttentionV1(1, 1))"),
    repeats("SelfAttentionV1", "3, 2"),
)
