"""Small calls of a4.encoder, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, repeats, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

# On two features norms leave nothing but signs, by which the parts of a module cannot be told from
# one another: right programs that store them otherwise were accused.
FOUR_FEATURES = {"x": Numbers("1 T 4")}

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
    *(
        SmallCall("Encoder", FOUR_FEATURES, {"output": "1 T D"}, made=(depth, 4, 1, 1))
        for depth in (1, 2)
    ),
    SmallCall(
        "ClassificationHead",
        {"x": Numbers("1 T D")},
        {"logits": "1 K"},
        made=(Size("D"), Size("K"), "cls"),
        sizes={"T": (2, 3)},
    ),
    SmallCall(
        "ClassificationHead",
        {"x": Numbers("1 T D")},
        {"logits": "1 K"},
        made=(Size("D"), Size("K"), "mean"),
        sizes={"T": (2, 3)},
    ),
    repeats("Encoder", "1, 3, 1"),
    parameters("Encoder", "2, 2, 1, 5", 172),
    parameters("Encoder", "13, 2, 1", 966),
    SmallCall("Encoder", FOUR_FEATURES, {"output": "1 T D"}, (1, 4, 1, 1, 0.0, False)),
    turned("Encoder", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 1, 1)),
    parameters("ClassificationHead", "2, 2", 6),
    turned("ClassificationHead", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 2)),
)
