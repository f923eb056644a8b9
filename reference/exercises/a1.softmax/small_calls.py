"""Small calls of a1.softmax, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Numbers, SmallCall


SMALL_CALLS = (
    SmallCall("normalise_by_sum", {"scores": Numbers("T")}, {"shares": "T"}),
    SmallCall("softmax_naive", {"x": Numbers("T")}, {"shares": "T"}),
    SmallCall("stable_softmax", {"x": Numbers("X Y")}, {"shares": "X Y"}),
    SmallCall("stable_softmax", {"x": Numbers("X Y")}, {"shares": "X Y"}, options={"dim": 0}),
    SmallCall("stable_softmax", {"x": Numbers("T")}, {"shares": "T"}),
)
