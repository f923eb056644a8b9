"""One report with everything in it that a page can show."""

from __future__ import annotations

import json

from grader.course.explanations import Explanation, Explanations
from grader.grade.evidence import Cause, Note, Observation, Outcome, Picture, Weights, Where
from grader.report.content import Report, report_on
from tests.unit.samples import RUBRIC, SampleResult, submission

WEIGHTS = Weights(
    returned=((0.1, 0.7, 0.2), (None, 1.5, -0.5)),
    expected=((0.3, 0.4, 0.3), (0.0, 0.25, 0.75)),
    axes=("queries", "keys"),
)
WIDE = Weights(
    returned=tuple((1.0,) + (0.0,) * 15 for _ in range(16)),
    expected=tuple((1 / 16,) * 16 for _ in range(16)),
    cut=True,
)
LEAKS = Picture(
    "leaks", "what depends on what", ((1.0, 2.0, 0.0), (1.0, 1.0, 2.0), (3.0, 1.0, 1.0))
)
SUMS = Picture("row_sums", "sum of each row, which should be 1", ((1.0, 0.43, 12.5),))
LONG_LINE = "    total = " + " + ".join(f"first_number_{n}" for n in range(40))
CODE = "\n".join(
    [
        "import math",
        "",
        "# about adding",
        "@decorated",
        "def add(a, b):",
        *(f"    step_{number} = {number}" for number in range(40)),
        LONG_LINE,
        "    return a - b",
        "",
        "# about the next one",
        "def other():",
        "    return 1",
        "",
    ]
)
RETURN = CODE.split("\n").index("    return a - b") + 1
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# words"]},
            {"cell_type": "code", "source": ["class Mean:\n", "    value = <b>1</b>\n"]},
        ],
        "nbformat": 4,
    }
)
HINTS = ("Look at `add`.", "It *adds*.", "Write a + b.")
EXPLAINED = Explanations(
    by_mistake={},
    by_exercise={"s1.add": Explanation("s1.add", "", "A sum.", "c = a + b", "Euclid", HINTS)},
    by_criterion={},
    by_cause={
        "add.minus": Explanation("add.minus", "Subtracted.", "Why.", "a + b", "Source", HINTS)
    },
)


def everything() -> Report:
    """Right and wrong, pictures of every kind, hints, notes, a notebook and long code."""
    cause = Cause("add.minus", "The second number is subtracted.", 2, 2)
    place = Where("s1_sums.py", RETURN, likely=True)
    seen = (
        Observation("s1.add/shapes/test_shape", "The shape is kept.", Outcome.PASSED),
        Observation(
            "s1.add/outputs/test_sum",
            "The sum of `a` and b is right for a < 2.",
            Outcome.FAILED,
            "differs by up to 0.31\nat [0, 2, 5]",
            "the reference's values",
            cause,
            place,
            also=(Cause("add.other", "Something else fits as well.", 2, 2),),
            picture=LEAKS,
            weights=WEIGHTS,
        ),
        Observation("s1.add/outputs/test_long", "Long sums end.", Outcome.TIMED_OUT, "2 s"),
        Observation(
            "s1.add/outputs/test_wide",
            "Wide ones, too.",
            Outcome.FAILED,
            "wrong",
            "right",
            where=Where("s1_sums.py", 5),
            picture=SUMS,
            weights=WIDE,
            notes=("computes in float32",),
        ),
        Observation(
            "s1.add/outputs/test_none", "None.", Outcome.BLOCKED, "needs s1.x to pass first"
        ),
        Observation(
            "s2.mean/outputs/test_mean",
            "The mean.",
            Outcome.STUDENT_ERROR,
            "raised ValueError: " + "x" * 300,
            where=Where("s2_means.ipynb", 2, 2),
        ),
    )
    files = {"s1_sums.py": CODE.encode(), "s2_means.ipynb": NOTEBOOK.encode()}
    notes = (
        Note("problem", "SyntaxError: invalid syntax", Where("s1_sums.py", 9)),
        Note("note", "Defined twice; the last one counts."),
    )
    graded = SampleResult(submission(files=files), seen, notes)
    return report_on(graded, RUBRIC, explanations=EXPLAINED)
