"""Small calls of a2.causal_attention, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

TOKENS = {"x": Numbers("1 T D")}

TWO = (2,)

SMALL_CALLS = (
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
)
