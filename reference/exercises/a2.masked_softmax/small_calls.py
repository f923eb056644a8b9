"""Small calls of a2.masked_softmax, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Mask, Numbers, Shares, SmallCall

ONE = (1,)

TWO = (2,)

SMALL_CALLS = (
    SmallCall(
        "mask_then_renormalise",
        {"weights": Shares("S L"), "mask": Mask("S L")},
        {"weights": "S L"},
    ),
    SmallCall(
        "mask_then_renormalise",
        {"weights": Shares("B S L"), "mask": Mask("S L")},
        {"weights": "B S L"},
        sizes={"B": TWO},
    ),
    SmallCall(
        "masked_softmax", {"scores": Numbers("S L"), "mask": Mask("S L")}, {"weights": "S L"}
    ),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("B S L"), "mask": Mask("S L")},
        {"weights": "B S L"},
        sizes={"B": TWO, "S": ONE},
    ),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("S L"), "mask": Mask("S L")},
        {"weights": "S L"},
        options={"dim": 0},
        sizes={"L": ONE},
    ),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("S L 1"), "mask": Mask("S L 1")},
        {"weights": "S L 1"},
        options={"dim": -2},
        sizes={"L": TWO},
    ),
    SmallCall(
        "masked_softmax",
        {"scores": Numbers("B S L"), "mask": Mask("B S L")},
        {"weights": "B S L"},
        sizes={"B": TWO, "S": ONE},
    ),
)
