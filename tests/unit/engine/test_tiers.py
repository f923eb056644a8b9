"""Which tiers a run may use: never a weaker one than was asked for or is safe."""

from __future__ import annotations

import pytest

from grader.engine import tiers as acceptance
from grader.engine.tiers import IsolationError, RunTiers, acceptable, refused
from grader.text.language import use_language
from grader.worker import tiers


def test_both_sides_know_the_same_tiers() -> None:
    assert acceptance.TIERS == tiers.TIERS


@pytest.mark.parametrize(
    ("wanted", "hidden", "tiers"),
    [
        (None, False, ("full", "partial", "none")),
        (None, True, ("full", "partial")),
        ("full", False, ("full",)),
        ("full", True, ("full",)),
        ("partial", True, ("partial",)),
        ("none", False, ("none",)),
        ("none", True, ("none",)),
    ],
)
def test_by_fork(wanted: str | None, hidden: bool, tiers: tuple[str, ...]) -> None:
    assert acceptable(wanted, hidden=hidden, by_exec=False) == tiers


@pytest.mark.parametrize(("wanted", "hidden"), [(None, False), ("none", False), ("none", True)])
def test_by_exec_there_is_no_isolation(wanted: str | None, hidden: bool) -> None:
    assert acceptable(wanted, hidden=hidden, by_exec=True) == ("none",)


@pytest.mark.parametrize("hidden", [False, True])
def test_a_sealed_course_is_graded_in_a_jail(hidden: bool) -> None:
    by_fork = acceptable(None, hidden=hidden, by_exec=False, sealed=True)
    assert by_fork == ("full", "partial")
    assert acceptable("partial", hidden=hidden, by_exec=False, sealed=True) == ("partial",)


@pytest.mark.parametrize(
    ("wanted", "by_exec", "option"),
    [("none", False, "--isolation none"), (None, True, "--spawn"), ("none", True, "--spawn")],
)
def test_a_sealed_course_is_refused_without_one(
    wanted: str | None, by_exec: bool, option: str
) -> None:
    with pytest.raises(IsolationError) as error:
        acceptable(wanted, hidden=False, by_exec=by_exec, sealed=True)
    assert str(error.value) == (
        "a sealed course is not graded without isolation: a submission could look for its key in "
        f"other processes. Next: leave out {option}, on a Linux machine"
    )
    use_language("ko")
    with pytest.raises(IsolationError, match=f"{option} 없이 실행하세요"):
        acceptable(wanted, hidden=False, by_exec=by_exec, sealed=True)


@pytest.mark.parametrize(
    ("wanted", "hidden"), [(None, True), ("full", False), ("partial", False), ("full", True)]
)
def test_by_exec_more_than_none_is_refused_with_a_next_step(
    wanted: str | None, hidden: bool
) -> None:
    with pytest.raises(IsolationError, match=r"Next: --isolation none .* marks every score"):
        acceptable(wanted, hidden=hidden, by_exec=True)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (("full",), "--isolation partial or --isolation none grades with weaker isolation"),
        (("full", "partial"), "; --isolation none grades with weaker isolation"),
        (("none",), "Next: grader doctor --isolation"),
    ],
)
def test_a_refusal_says_why_and_what_next(wanted: tuple[str, ...], text: str) -> None:
    said = str(refused(wanted, "mount: Operation not permitted"))
    assert "mount: Operation not permitted" in said
    assert text in said


def test_the_first_lane_settles_the_tier_of_a_run() -> None:
    before = RunTiers(("full", "partial"))
    after = before.held_to("partial")
    assert (before.known, after.known, after.held_to("partial")) == ("none", "partial", after)
    with pytest.raises(IsolationError) as error:
        after.held_to("full")
    assert str(error.value) == (
        "isolation changed from partial to full while grading. Results so far are good. "
        "Next: grader doctor --isolation"
    )
