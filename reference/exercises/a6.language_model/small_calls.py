"""Small calls of a6.language_model, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, repeats, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, SmallCall, Whole

TEXT_TURNED = {"x": Fixed("2 2 2", (1, 2, 3, 4, 5, 6, 7, 8))}

# Heads of two features: the attention turns pairs. (Width, heads, groups, window).
TEXT_SIZES = ((2, 1, 1, 2), (4, 2, 1, 2), (2, 1, 1, 3), (4, 2, 2, 2))

MODEL_SIZES = ((3, 4, 1, 2, 1, 2), (3, 4, 2, 2, 2, 2))

FROM_THE_BEGINNING = [
    SmallCall(
        "TextAttention",
        {"x": Numbers(f"1 T {made[0]}")},
        {"output": "1 T D"},
        made=made,
        methods=("prefill",),
        sizes={"T": (1, 2) if made[0] == 4 else (1, 2, 3, 4)},
    )
    for made in TEXT_SIZES
]

IN_STEPS = [
    SmallCall(
        "TextAttention",
        {**dict.fromkeys(before, Numbers("1 T 2")), "x": Numbers("1 U 2")},
        {"output": "1 U D"},
        made=(2, 1, 1, window),
        methods=methods,
        sizes={"T": (1, 2, 3), "U": (1, 2, 3)},
    )
    for before, methods in (
        (["start"], ("prefill", "step")),
        (["start", "next"], ("prefill", "step", "step")),
        (["earlier"], ("prefill", "prefill")),
    )
    for window in (2, 3)
]

SMALL_CALLS = (
    # What shows most comes first: only some of them are asked for lines that are right.
    *FROM_THE_BEGINNING[:2],
    *IN_STEPS[:4],
    *FROM_THE_BEGINNING[2:],
    *IN_STEPS[4:],
    SmallCall(
        "TextAttention",
        {"x": Numbers("1 1 8")},
        {"output": "1 T D"},
        made=(8, 4, 2, 2),
        methods=("prefill",),
    ),
    SmallCall(
        "TextAttention",
        {"x": Numbers("2 T 2")},
        {"output": "B T D"},
        made=(2, 1, 1, 2),
        methods=("prefill",),
    ),
    parameters("TextAttention", "4, 2, 1, 2", 60),
    parameters("TextAttention", "4, 2, 2, 2", 80),
    refuses("TextAttention", "TextAttention(3, 2, 1, 1)"),
    refuses("TextAttention", "TextAttention(6, 3, 2, 1)"),
    turned("TextAttention", "module.prefill(x.transpose(0, 1))", TEXT_TURNED, (2, 1, 1, 2)),
    SmallCall(
        "TextAttention",
        {"x": Fixed("1 1 2", (1, 2))},
        {"alike": ""},
        steps=(
            "one, other = TextAttention(2, 1, 1, 3), TextAttention(2, 1, 1, 3)",
            "start, answer = one.prefill(x), one.step(x)",
            "start, mixed, answer_again = one.prefill(x), other.prefill(0 * x), one.step(x)",
            "shown = torch.allclose(answer, answer_again)",
        ),
    ),
    *(
        SmallCall(
            "LanguageModel",
            {"tokens": Whole("1 T", 3)},
            {"logits": "1 T V"},
            made=made,
            sizes={"T": (1, 2, 3)},
        )
        for made in MODEL_SIZES
    ),
    *(
        SmallCall(
            "LanguageModel",
            {"start": Whole("1 T", 3), "tokens": Whole("1 U", 3)},
            {"logits": "1 U V"},
            made=made,
            methods=("prefill", "step"),
        )
        for made in MODEL_SIZES
    ),
    parameters("LanguageModel", "3, 4, 2, 2, 1, 2", 483),
    repeats("LanguageModel", "3, 4, 1, 2, 1, 2", Whole("1 2", 3)),
)
