"""Small calls of a4.block, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, repeats, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, SmallCall

# On two features norms leave nothing but signs, by which the parts of a module cannot be told from
# one another: right programs that store them otherwise were accused.
FOUR_FEATURES = {"x": Numbers("1 T 4")}

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
    *(
        SmallCall(name, FOUR_FEATURES, {"output": "1 T D"}, made=(4, heads, 1))
        for name in ("EncoderBlock", "PostNormEncoderBlock")
        for heads in (2, 1)
    ),
    *(parameters(name, "2, 1, 5", 84) for name in ("EncoderBlock", "PostNormEncoderBlock")),
    *(
        turned(name, "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1, 1))
        for name in ("EncoderBlock", "PostNormEncoderBlock")
    ),
    SmallCall(
        "EncoderBlock",
        {"x": Fixed("1 1 4", (0, 0, 0, 1))},
        {"output": "1 T D"},
        made=(4, 2, 1),
        steps=("shown = module(x / 10)",),  # less, and an eps of 1e-6 would count
    ),
    *(repeats(name, "3, 1") for name in ("EncoderBlock", "PostNormEncoderBlock")),
)
