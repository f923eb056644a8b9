"""Small calls of a4.positions, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import refuses
from grader.judge.smallest.small_calls import Fixed, Numbers, SmallCall

ONE = (1,)

SMALL_CALLS = (
    *(
        SmallCall(
            "interpolate_positions",
            {"positions": Numbers(f"{rows} D"), "old_grid": old, "new_grid": new, **prefix},
            {"positions": "N D"},
            sizes={"D": ONE},
        )
        for rows, old, new, prefix in (
            # Between other grids several ways of scaling are right.
            (5, (2, 2), (2, 2), {}),
            (7, (2, 3), (2, 3), {}),
            (4, (1, 2), (1, 2), {"num_prefix": 2}),
        )
    ),
    # The columns may stand in any order.
    *(
        SmallCall(
            "sincos_2d",
            {},
            {"columns": "N D"},
            steps=(f"shown = sincos_2d({height}, {width}, {dim}).sort(dim=-1).values",),
        )
        for height, width, dim in ((1, 1, 4), (1, 2, 4), (2, 3, 4), (1, 3, 8), (5, 2, 8))
    ),
    refuses("sincos_2d", "sincos_2d(1, 1, 6)"),
    # However positions are scaled, those of a grid where all are alike stay what they are.
    *(
        SmallCall(
            "interpolate_positions",
            {"positions": Fixed(axes, numbers)},
            {"positions": ""},
            steps=(f"shown = interpolate_positions(positions{view}, {old}, {new})",),
        )
        for axes, numbers, view, old, new in (
            ("2 2", (0, 5, 1, 2), "", (1, 1), (1, 2)),
            ("3 2", (0, 5, 1, 2, 1, 2), "", (1, 2), (1, 4)),
            ("1 2 1", (0, 1), "", (1, 1), (1, 2)),
            ("2 2", (0, 1, 5, 2), ".mT", (1, 1), (1, 2)),
        )
    ),
)
