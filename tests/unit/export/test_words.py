"""What a criterion says in other systems: what all its checks have in common is said once."""

from __future__ import annotations

from grader.export.words import criterion_in_words
from grader.grade.evidence import Cause, Observation, Outcome, Where
from grader.report.content import report_on
from tests.unit.samples import CHECKS, RUBRIC, SampleResult, submission

MINUS = Cause("add.minus", "The second number is subtracted.", 2, 2)
AT = Where("s1_sums.py", 3)


def lost(number: int, cause: Cause | None = MINUS, where: Where = AT) -> Observation:
    return Observation(
        f"{CHECKS[1]}[{number}]",
        f"Sum {number}.",
        Outcome.FAILED,
        f"{number}",
        "4",
        cause,
        where=where,
    )


def in_words(*outputs: Observation) -> str:
    """The words of the criterion `outputs`, whose checks these are."""
    others = [Observation(CHECKS[n], "Else.", Outcome.PASSED) for n in (0, 2)]
    files = {"s1_sums.py": b"def add(): 1\n"}
    report = report_on(SampleResult(submission(files=files), (*others, *outputs)), RUBRIC)
    part = report.exercises[0]
    [grade] = [one for one in part.grade.criteria if one.criterion == "outputs"]
    return criterion_in_words(part, grade)


def test_a_cause_that_all_share_stands_above_once() -> None:
    assert in_words(lost(1), lost(2)) == (
        "0 of 2 checks passed.\n"
        "likely cause: The second number is subtracted. (gives your numbers on 2 of 2 probes)\n"
        "where: s1_sums.py:3\n"
        "\n"
        "- Sum 1.\n"
        "  observed: 1\n"
        "  expected: 4\n"
        "\n"
        "- Sum 2.\n"
        "  observed: 2\n"
        "  expected: 4"
    )


def test_what_only_some_have_stays_with_each() -> None:
    words = in_words(lost(1), lost(2, None, Where("s1_sums.py", 5)))
    assert words.index("- Sum 1.") < words.index("likely cause") < words.index("- Sum 2.")
    assert words.startswith("0 of 2 checks passed.\n\n- Sum 1.\n")


def test_a_check_alone_has_all_of_its_own() -> None:
    assert in_words(lost(1)).startswith("0 of 1 check passed.\n\n- Sum 1.\n  observed: 1\n")
