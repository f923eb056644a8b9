"""Small calls of a4.mlp, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall


SMALL_CALLS = (
    SmallCall("FeedForward", {"x": Numbers("T D")}, {"output": "T D"}, made=(Size("D"), 1)),
    SmallCall("FeedForward", {"x": Numbers("T D")}, {"output": "T D"}, made=(Size("D"), 2)),
    SmallCall("FeedForward", {"x": Numbers("T D")}, {"output": "T D"}, made=(Size("D"),)),
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
)
