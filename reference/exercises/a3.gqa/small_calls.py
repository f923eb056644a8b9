"""Small calls of a3.gqa, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, turned
from grader.judge.smallest.small_calls import Fixed, Mask, Numbers, Size, SmallCall

ONE = (1,)

TWO = (2,)

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
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
    parameters("GroupedQueryAttention", "4, 2, 1", 60),
    refuses("GroupedQueryAttention", "GroupedQueryAttention(3, 2, 1)"),
    refuses("GroupedQueryAttention", "GroupedQueryAttention(6, 3, 2)"),
    turned("GroupedQueryAttention", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 1)),
)
