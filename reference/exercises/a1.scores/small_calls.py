"""Small calls of a1.scores, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Numbers, SmallCall

TWO = (2,)

SMALL_CALLS = (
    SmallCall("dot_product_loop", {"a": Numbers("D"), "b": Numbers("D")}, {"product": ""}),
    SmallCall(
        "attention_scores",
        {"query": Numbers("S Dh"), "key": Numbers("L Dh")},
        {"scores": "S L"},
        sums={"scores": ("query", "key")},
    ),
    SmallCall(
        "attention_scores",
        {"query": Numbers("B S Dh"), "key": Numbers("B L Dh")},
        {"scores": "B S L"},
        sizes={"B": TWO},
    ),
)
