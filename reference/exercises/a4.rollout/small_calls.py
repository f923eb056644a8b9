"""Small calls of a4.rollout, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import refuses, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Shares, SmallCall

TWO = (2,)

SMALL_CALLS = (
    SmallCall("attention_rollout", {"weights": (Shares("1 1 T T"),)}, {"rollout": "1 T U"}),
    SmallCall(
        "attention_rollout",
        {"weights": (Shares("1 1 T T"), Shares("1 1 T T"))},
        {"rollout": "1 T U"},
    ),
    *(
        SmallCall(
            "attention_rollout",
            {"weights": (Shares("1 H T T"),)},
            {"rollout": "1 T U"},
            options={"head_fusion": fusion},
            sizes={"H": TWO},
        )
        for fusion in ("mean", "max", "min")
    ),
    SmallCall(
        "rollout_to_patches",
        {"rollout": Numbers("1 T T"), "grid": (1, 1)},
        {"picture": "1 X Y"},
        sizes={"T": TWO},
    ),
    refuses(
        "attention_rollout",
        "attention_rollout([weights], head_fusion='sum')",
        given={"weights": Fixed("1 1 1 1", (1,))},
    ),
    SmallCall(
        "attention_rollout",
        {"weights": (Shares("1 H T T"),)},
        {"rollout": "1 T U"},
        sizes={"H": TWO},
    ),
    turned(
        "attention_rollout",
        "attention_rollout([weights.mT])",
        {"weights": Fixed("1 1 2 2", (1, 0, 0, 1))},
    ),
    *(
        SmallCall(
            "rollout_to_patches",
            {"row": Fixed(f"1 {1 + height * width}", range(1 + height * width))},
            {"picture": "1 X Y"},
            steps=(
                f"rollout = row.repeat(1, {1 + height * width}, 1)",
                f"shown = rollout_to_patches(rollout, ({height}, {width}))",
            ),
        )
        for height, width in ((1, 2), (2, 1), (2, 2))
    ),
    turned(
        "rollout_to_patches",
        "rollout_to_patches(rollout.mT, (1, 1))",
        {"rollout": Fixed("1 2 2", (1, 0, 0, 1))},
    ),
)
