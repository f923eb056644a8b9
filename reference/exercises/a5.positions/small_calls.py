"""Small calls of a5.positions, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import refuses, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall, Whole

ONE = (1,)

TWO = (2,)

SMALL_CALLS = (
    SmallCall(
        "sinusoidal_positions",
        {"T": Size("T"), "dim": Size("D")},
        {"table": "T D"},
        sizes={"D": (2, 4)},
    ),
    SmallCall(
        "apply_rope",
        {"x": Numbers("1 1 T D"), "positions": Whole("T", 3)},
        {"turned": "1 1 T D"},
        sizes={"D": (2, 4)},
    ),
    SmallCall("sinusoidal_positions", {"T": 8, "dim": 4}, {"table": "T D"}),
    refuses("sinusoidal_positions", "sinusoidal_positions(1, 3)"),
    SmallCall(
        "apply_rope",
        {"x": Numbers("1 H T D"), "positions": Whole("T", 3)},
        {"turned": "1 H T D"},
        sizes={"H": TWO, "D": TWO},
    ),
    SmallCall(
        "apply_rope",
        {"x": Numbers("1 1 T D"), "positions": Whole("T", 3)},
        {"turned": "1 1 T D"},
        options={"base": 100.0},
        sizes={"D": (4,), "T": ONE},
    ),
    turned(
        "apply_rope",
        "apply_rope(x.mT, positions)",
        {"x": Fixed("1 1 2 2", (1, 2, 3, 4)), "positions": Whole("2", 3)},
    ),
)
