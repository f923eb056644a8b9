"""Small calls of a3.heads, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import refuses, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

TWO = (2,)

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
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
    refuses("split_heads", "split_heads(x, 2)", given={"x": Fixed("1 1 3", (1, 2, 3))}),
    turned("split_heads", "split_heads(x.transpose(0, 1), 1)", TURNED_TOKENS),
)
