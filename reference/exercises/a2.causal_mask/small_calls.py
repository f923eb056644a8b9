"""Small calls of a2.causal_mask, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Size, SmallCall


SMALL_CALLS = (
    SmallCall("causal_mask", {"T": Size("T")}, {"mask": "T L"}, sizes={"T": (1, 2, 3)}),
    SmallCall("causal_mask", {"T": Size("T"), "offset": Size("U")}, {"mask": "T L"}),
)
