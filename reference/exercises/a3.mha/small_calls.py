"""Small calls of a3.mha, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

TOKENS = {"x": Numbers("1 T D")}

TWO = (2,)

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
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
)
