"""Small calls of a1.sdpa, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Mask, Numbers, SmallCall

ATTENTION = {"query": Numbers("S Dh"), "key": Numbers("L Dh"), "value": Numbers("L Dv")}

BATCHED = {"query": Numbers("B S Dh"), "key": Numbers("B L Dh"), "value": Numbers("B L Dv")}

OUTPUT = {"output": "S Dv", "weights": "S L"}

MIXED = {"output": ("weights", "value")}

ONE = (1,)

TWO = (2,)

SMALL_CALLS = (
    SmallCall("scaled_dot_product_attention", ATTENTION, OUTPUT, sums=MIXED),
    SmallCall(
        "scaled_dot_product_attention", {**ATTENTION, "mask": Mask("S L")}, OUTPUT, sums=MIXED
    ),
    SmallCall(
        "scaled_dot_product_attention",
        BATCHED,
        {"output": "B S Dv", "weights": "B S L"},
        sizes={"B": TWO, "S": ONE, "Dv": ONE},
    ),
    SmallCall(
        "scaled_dot_product_attention",
        ATTENTION,
        {"unchanged": ""},
        steps=(
            "before = query.clone()",
            "scaled_dot_product_attention(query, key, value)",
            "shown = query.equal(before)",
        ),
        sizes={"S": ONE, "L": ONE, "Dh": ONE, "Dv": ONE},
    ),
)
