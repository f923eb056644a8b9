"""Small calls of a1.simple, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Numbers, Shares, SmallCall

TWO = (2,)

SMALL_CALLS = (
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
)
