"""Small calls of a4.vit, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

ONE = (1,)

TWO = (2,)

SMALL_CALLS = (
    *(
        SmallCall(
            "ViT",
            {"images": Numbers("B 1 X X")},
            {"logits": "B K"},
            made=(1, 1, 4, Size("X"), depth, 2, 3, pool),
            sizes={"B": batch, "X": TWO},
        )
        for depth, pool in ((1, "cls"), (2, "cls"), (1, "mean"))
        for batch in (ONE, TWO)
    ),
    parameters("ViT", "1, 1, 2, 1, 2, 1, 2", 168),
    parameters("ViT", "1, 1, 2, 1, 13, 1, 2", 982),
    SmallCall(
        "ViT",
        {"images": Fixed("2 1 1 1", (1, 2))},
        {"shape": ""},
        steps=("module = ViT(1, 1, 2, 1, 1, 1, 2)", "shown = module(images).shape"),
    ),
)
