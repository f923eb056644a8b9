"""`no_loops` and `policy` in a rubric: read or refused, and what a broken rule takes with it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.rubric_file import RubricError, load_rubric
from grader.grade.evidence import Observation, Outcome
from grader.grade.score import block, score

RUBRIC = """\
course: sums
seed: a-seed
assignments: {s1: s1_sums}
exercises:
  s1.add:
    targets: [add, total]
    criteria:
      outputs: {points: 2, visibility: public, requires: [policy]}
      state: {points: 1, visibility: public}
      policy: {points: 1, visibility: public}
    no_loops: [total]
"""


def loaded(tmp_path: Path, old: str = "", new: str = "") -> str:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC.replace(old, new) if old else RUBRIC, encoding="utf-8")
    try:
        return str(load_rubric(path).exercises["s1.add"].no_loops)
    except RubricError as error:
        return str(error).partition("rubric.yaml")[2]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("", "", "('total',)", id="right"),
        pytest.param(
            "no_loops: [total]",
            "no_loops: [totl]",
            ":11:16  exercises.s1.add.no_loops[0]: s1.add has no target 'totl' - did you mean "
            "'total'?",
            id="no target",
        ),
        pytest.param(
            "    no_loops: [total]\n",
            "",
            ":10:7  exercises.s1.add.criteria.policy: policy has nothing to check: give s1.add "
            "'banned' or 'no_loops'",
            id="points without rules",
        ),
        pytest.param(
            "    no_loops: [total]\n",
            "    no_loops: [total]\n    banned: [torch.sum]\n"
            "operators: {torch.sums: [aten::sum]}\n",
            ":13:13  operators.torch.sums: no exercise bans 'torch.sums' - did you mean "
            "'torch.sum'?",
            id="operators of what nobody bans",
        ),
        pytest.param(
            "    no_loops: [total]\n",
            "    no_loops: [total]\n    banned: [torch.sum]\noperators: {torch.sum: [sum]}\n",
            ":13:25  operators.torch.sum[0]: expected an operator of torch, such as 'aten::sum', "
            "got 'sum'",
            id="no operator",
        ),
    ],
)
def test_rules_are_read_or_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert loaded(tmp_path, old, new) == said


@pytest.mark.parametrize(
    ("policy", "outputs", "points", "seen"),
    [
        pytest.param(Outcome.PASSED, Outcome.PASSED, 4, Outcome.PASSED, id="kept"),
        pytest.param(Outcome.FAILED, Outcome.PASSED, 1, Outcome.BLOCKED, id="broken"),
        pytest.param(Outcome.FAILED, Outcome.CARRIED, 1, Outcome.BLOCKED, id="broken, carried"),
        pytest.param(Outcome.FAILED, Outcome.FAILED, 1, Outcome.FAILED, id="broken, and wrong"),
        pytest.param(Outcome.TIMED_OUT, Outcome.PASSED, 1, Outcome.BLOCKED, id="not to be read"),
        pytest.param(
            Outcome.NOT_ATTEMPTED, Outcome.NOT_ATTEMPTED, 1, Outcome.NOT_ATTEMPTED, id="nothing"
        ),
        pytest.param(Outcome.COULD_NOT_CHECK, Outcome.PASSED, 3, Outcome.PASSED, id="our fault"),
    ],
)
def test_what_was_earned_in_a_forbidden_way_is_not_earned(
    policy: Outcome, outputs: Outcome, points: int, seen: Outcome, tmp_path: Path
) -> None:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC, encoding="utf-8")
    rubric = load_rubric(path)
    found = block(
        rubric,
        [
            Observation("s1.add/outputs/test_sum", "", outputs),
            Observation("s1.add/state/test_inputs", "", Outcome.PASSED),
            Observation("s1.add/policy/no_loops", "", policy),
        ],
    )

    assert found[0].outcome is seen
    assert score(rubric, found).points == Fraction(points)
