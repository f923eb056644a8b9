"""What a class says about checks, against counts that were done by hand."""

from __future__ import annotations

from typing import Any

import pytest

from grader.batch.dry_run import ENOUGH, CheckCount, CheckTime, DryRun, SoleCheck, dry_run

NAMED = {"id": "add.minus", "text": "Subtracted.", "fits": 2, "of": 2}
SEEN = {"id": "shape.axes_swapped", "text": "Swapped.", "fits": 1, "of": 1}
LETTERS = {
    ".": "passed",
    "F": "failed",
    "E": "student_error",
    "T": "timed_out",
    "n": "not_attempted",
    "b": "blocked",
    "c": "carried",
    "?": "could_not_check",
}
"""One letter an outcome, so that a class is a table."""


def record(
    id: str, outcomes: dict[str, str], cause: object = None, ms: float = 1.0
) -> dict[str, Any]:
    """A student: `slug/criterion` to a letter for each of its checks `a`, `b`, ..."""
    checks = [
        {"check": f"{name}/{test}", "title": f"Title {test}.", "outcome": LETTERS[letter],
         "cause": cause if letter == "F" else None, "also": []}
        for name, letters in outcomes.items()
        for test, letter in zip("abcd", letters, strict=False)
    ]  # fmt: skip
    times = {check["check"]: ms for check in checks}
    return {
        "submission": {"id": id},
        "exercises": [{"slug": "s1", "checks": checks}],
        "timings": {"checks_ms": times},
    }


def unread(id: str) -> dict[str, Any]:
    return {"submission": {"id": id}, "problem": "damaged"}


def class_of(name: str, *letters: str) -> list[dict[str, Any]]:
    """A student for each of `letters`, which are the outcomes of the checks of one criterion."""
    return [record(f"s-{at}", {name: one}) for at, one in enumerate(letters)]


def test_nothing_is_said_about_fewer_than_five() -> None:
    four = class_of("s1/outputs", *["F"] * 4)

    assert dry_run([*four, unread("s-9")]) == DryRun(submissions=5, graded=4)
    assert not dry_run(four).is_enough
    assert ENOUGH == 5


def test_the_same_of_five_is_said() -> None:
    result = dry_run(class_of("s1/outputs", *["F"] * 5))

    assert result.is_enough
    assert result.nearly_all_fail == (CheckCount("s1/outputs/a", "Title a.", 5, 5),)


@pytest.mark.parametrize(
    ("letters", "counts"),
    [
        pytest.param("FFFFFFFFF.", (9, 10), id="nine of ten"),
        pytest.param("FFFFFFFF..", None, id="eight of ten"),
        pytest.param("FETFF", (5, 5), id="errors and time are failures"),
        pytest.param("FFFFFnnnnn", (5, 5), id="who did not try is not counted"),
        pytest.param("FFFFF?c", (5, 5), id="nor what is unknown or paid for"),
        pytest.param("FFFFbbbb", None, id="an echo does not make five"),
    ],
)
def test_a_check_that_nearly_everybody_fails(letters: str, counts: tuple[int, int] | None) -> None:
    counted = dry_run(class_of("s1/outputs", *letters)).nearly_all_fail

    assert [(one.failed, one.of) for one in counted] == ([counts] if counts else [])


@pytest.mark.parametrize(
    ("name", "letters", "of"),
    [
        pytest.param("s1/outputs", ".....n", [5], id="all pass"),
        pytest.param("s1/outputs", ".....F", [], id="one fails"),
        pytest.param("s1/outputs", ".....b", [], id="one failed and was blocked"),
        pytest.param("s1/outputs", ".....c", [], id="one failed and had paid"),
        pytest.param("s1/outputs", "....nn", [], id="four pass"),
        pytest.param("s1/policy", ".....n", [], id="nobody did what is banned"),
    ],
)
def test_a_check_that_nobody_fails(name: str, letters: str, of: list[int]) -> None:
    assert [one.of for one in dry_run(class_of(name, *letters)).nobody_fails] == of


@pytest.mark.parametrize(
    ("letters", "sole"),
    [
        pytest.param([".F"] * 5 + [".."] * 9, (5, 5), id="one check of two"),
        pytest.param([".F"] * 9 + ["FF"], (9, 10), id="nine of ten"),
        pytest.param([".F"] * 8 + ["FF"] * 2, None, id="eight of ten"),
        pytest.param([".F"] * 4, None, id="four"),
        pytest.param([".F"] * 5 + ["?F"] * 5, (5, 5), id="unknown is not counted"),
        pytest.param([".F"] * 5 + ["nn"] * 5 + ["bb"], (5, 5), id="nor who did not get there"),
        pytest.param(["bF"] * 5, None, id="two lost it"),
        pytest.param(["cF"] * 5, (5, 5), id="what was carried earned its points"),
    ],
)
def test_a_verdict_that_rests_on_one_check(
    letters: list[str], sole: tuple[int, int] | None
) -> None:
    classmates = [record(f"x-{at}", {"s2/other": "."}) for at in range(5)]
    result = dry_run([*class_of("s1/outputs", *letters), *classmates]).sole

    assert [(one.check, one.alone, one.of, one.checks) for one in result] == (
        [("s1/outputs/b", *sole, 2)] if sole else []
    )


def test_a_rule_of_the_rubric_is_no_verdict_on_one_check() -> None:
    assert dry_run(class_of("s1/policy", *"FFFFF")).sole == ()
    assert dry_run(class_of("s1/outputs", *"FFFFF")).sole == (
        SoleCheck("s1/outputs/a", "Title a.", 5, 5, 1),
    )


def test_the_slowest_checks_come_first_with_their_share() -> None:
    class_ = [record(f"s-{at}", {"s1/outputs": ".."}) for at in range(5)]
    for at, one in enumerate(class_):
        one["timings"]["checks_ms"] = {"s1/outputs/a": 10.0, "s1/outputs/b": 20.0 + at}
    class_[0]["timings"]["checks_ms"]["s1/outputs/rare"] = 900.0

    # 5 * 10 = 50, 20 + 21 + 22 + 23 + 24 = 110, and 900: 1060 in all.
    assert dry_run(class_).slowest == (
        CheckTime("s1/outputs/b", 110.0, 22.0, 110 / 1060, 5),
        CheckTime("s1/outputs/a", 50.0, 10.0, 50 / 1060, 5),
    )


def test_no_time_is_no_division() -> None:
    assert (
        dry_run([record(f"s-{at}", {"s1/outputs": "."}, ms=0.0) for at in range(5)]).slowest == ()
    )


def test_who_has_no_result_and_who_no_cause() -> None:
    class_ = [
        record("s-1", {"s1/outputs": "F"}, NAMED),
        record("s-2", {"s1/outputs": "F"}, SEEN),
        record("s-3", {"s1/outputs": "F"}),
        record("s-4", {"s1/outputs": "E"}),
        record("s-5", {"s1/policy": "F"}),
        record("s-6", {"s1/outputs": "?"}),
        unread("s-7"),
    ]
    result = dry_run(class_)

    assert (result.submissions, result.graded, result.wrong) == (7, 6, 3)
    assert (result.unread, result.unchecked) == (("s-7",), ("s-6",))
    assert result.unnamed == ("s-2", "s-3")


def test_a_cause_among_others_that_fit_is_a_name() -> None:
    class_ = class_of("s1/outputs", *"FFFFF")
    class_[0]["exercises"][0]["checks"][0]["also"] = [NAMED]

    assert dry_run(class_).unnamed == ("s-1", "s-2", "s-3", "s-4")


def test_what_is_too_rare_is_counted() -> None:
    class_ = [*class_of("s1/outputs", *"FFFF...."), *class_of("s2/outputs", *"FF")]
    result = dry_run(class_)

    # s1's check judged eight and s2's two; four and two lost these.
    assert (result.checks, result.rare_checks, result.rare_losses) == (2, 1, 2)
