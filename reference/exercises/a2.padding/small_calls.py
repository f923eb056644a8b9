"""Small calls of a2.padding, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Mask, Size, SmallCall, Whole

TWO = (2,)

SMALL_CALLS = (
    SmallCall(
        "padding_mask",
        {"lengths": Whole("B", "L", low=1), "L": Size("L")},
        {"mask": "B 1 1 L"},
        sizes={"L": (2, 3)},
    ),
    SmallCall("combine_masks", {"first": Mask("S L"), "second": Mask("S L")}, {"mask": "S L"}),
    SmallCall("combine_masks", {"first": Mask("S L"), "second": None}, {"mask": "S L"}),
    SmallCall("combine_masks", {"first": Mask("S L"), "second": Mask("1 L")}, {"mask": "S L"}),
    SmallCall("combine_masks", {"first": None, "second": Mask("S L")}, {"mask": "S L"}),
    SmallCall("combine_masks", {"first": Mask("S L")}, {"mask": "S L"}),
    SmallCall(
        "combine_masks",
        {"mask": Mask("1 L"), "other": Mask("1 L")},
        {"unchanged": ""},
        steps=(
            "before = mask.clone()",
            "combine_masks(mask, other)",
            "shown = mask.equal(before)",
        ),
        sizes={"L": TWO},
    ),
)
