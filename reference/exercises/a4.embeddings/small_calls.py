"""Small calls of a4.embeddings, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

TWO = (2,)

SQUARE = {"images": Numbers("1 C X*P X*P")}

SMALL_CALLS = (
    SmallCall(
        "ViTEmbeddings",
        SQUARE,
        {"tokens": "1 T D"},
        made=(Size("C"), Size("P"), Size("D"), Size("X*P")),
    ),
    SmallCall(
        "ViTEmbeddings",
        {"images": Numbers("B C X*P X*P")},
        {"tokens": "B T D"},
        made=(Size("C"), Size("P"), Size("D"), Size("X*P")),
        sizes={"B": TWO},
    ),
    parameters("ViTEmbeddings", "1, 1, 2, 2", 16),
    refuses("ViTEmbeddings", "ViTEmbeddings(1, 2, 1, 3)"),
    turned(
        "ViTEmbeddings", "module(images.mT)", {"images": Fixed("1 1 2 2", range(4))}, (1, 1, 2, 2)
    ),
)
