"""Which lane gets whom."""

from __future__ import annotations

from collections.abc import Iterator

from grader.engine.waiting import InGroups, InOrder, Waiting
from grader.submission.submission import Submission


def submission(name: str) -> Submission:
    return Submission(id=name, files={}, digest=name, path="")


def dealt(waiting: Waiting, lanes: str) -> list[str]:
    """The ids that lanes get who ask in this order; "-" for nobody."""
    given = (waiting.next_for(int(lane)) for lane in lanes)
    return ["-" if each is None else each.id for each in given]


def in_groups(names: str) -> InGroups:
    """Submissions a1, b1, …: the letter is the group."""
    each = names.split()
    return InGroups(map(submission, each), {name: name[0] for name in each})


def test_in_order_reads_no_further_than_asked() -> None:
    read = []

    def endless() -> Iterator[Submission]:
        for number in range(100):
            read.append(number)
            yield submission(str(number))

    assert dealt(InOrder(endless()), "010") == ["0", "1", "2"]
    assert read == [0, 1, 2]


def test_a_group_stays_on_its_lane() -> None:
    waiting = in_groups("a1 b1 a2 b2 a3 b3 b4")
    assert dealt(waiting, "0101011") == ["b1", "a1", "b2", "a2", "b3", "a3", "b4"]
    assert dealt(waiting, "01") == ["-", "-"]


def test_a_lane_that_is_done_begins_another_group_before_it_shares_one() -> None:
    waiting = in_groups("a1 a2 a3 a4 b1 b2 c1")
    assert dealt(waiting, "011") == ["a1", "b1", "b2"]
    assert dealt(waiting, "1") == ["c1"]
    assert dealt(waiting, "1") == ["a2"], "nothing else is left, and no lane stays idle"
    assert dealt(waiting, "010") == ["a3", "a4", "-"]


def test_nobody_waits() -> None:
    assert dealt(InGroups([], {}), "0") == ["-"]
