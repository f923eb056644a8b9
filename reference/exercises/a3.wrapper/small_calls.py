"""Small calls of a3.wrapper, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

TOKENS = {"x": Numbers("1 T D")}

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
    SmallCall(
        "MultiHeadAttentionWrapper",
        TOKENS,
        {"output": "1 T H*E"},
        made=(Size("D"), Size("E"), Size("T"), 0.0, Size("H")),
        sizes={"H": (1, 2)},
    ),
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
)
