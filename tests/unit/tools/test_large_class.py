"""A large class is made from a seed alone; whatever is malformed in it is read or refused."""

from __future__ import annotations

import os
import stat
from collections import Counter
from pathlib import Path

import pytest

from grader.batch.discovery import Entry, discover
from grader.store.conditions import Conditions
from grader.store.store import STORE_FILE, open_store
from grader.submission.submission import SubmissionError
from tools.class_making import KINDS_OF_STUDENT, make_class
from tools.class_memory import Memory, Sample, mib_of, results_in
from tools.large_class import Graded, Part, faults, marks, parts_with, speed, with_threads
from tools.malformed import KINDS, make_malformed

STEMS = ("a1_attention",)
ROUNDS = 12
"""So many of each kind of malformed input."""
RUN = Graded(1, 1.0, 1.0, Memory(), "", {"one": {"total": "3", "problem": ""}})


def content(folder: Path) -> dict[str, bytes]:
    """Every file and what stands where a file should."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        if stat.S_ISREG(path.lstat().st_mode)
        else str(path.lstat().st_mode).encode()
        for path in sorted(folder.rglob("*"))
    }


def test_a_seed_says_all(tmp_path: Path) -> None:
    kinds = make_class(tmp_path / "one", 40, 7)

    assert make_class(tmp_path / "two", 40, 7) == kinds
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert make_class(tmp_path / "three", 40, 8) != kinds
    assert set(kinds.values()) <= set(KINDS_OF_STUDENT)
    assert len(discover(tmp_path / "one", tmp_path / "out", STEMS).entries) == 40


def test_a_class_hands_in_what_is_graded(tmp_path: Path) -> None:
    kinds = make_class(tmp_path / "class", 60, 7, only=["a1"])
    with_work = [student for student, kind in kinds.items() if kind != "broken"]
    entries = discover(tmp_path / "class", tmp_path / "out", STEMS).entries
    graded = [
        entry.id
        for entry in entries
        if entry.id in with_work and any("a1_attention" in name.casefold() for name in names(entry))
    ]
    assert graded == with_work


def names(entry: Entry) -> list[str]:
    return [*entry.read().files]


def test_whatever_is_malformed_is_read_or_refused_in_words(tmp_path: Path) -> None:
    kinds = make_malformed(tmp_path / "class", ROUNDS * len(KINDS), 3)
    outcomes = Counter[str]()
    entries = discover(tmp_path / "class", tmp_path / "out", STEMS).entries
    for entry in entries:
        try:
            entry.read()
        except SubmissionError as error:
            outcomes["refused"] += 1
            assert str(error).startswith(str(tmp_path)), kinds[entry.id]
        else:
            outcomes["read"] += 1

    assert {entry.id for entry in entries} == set(kinds)
    assert min(outcomes["refused"], outcomes["read"]) > 50


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (RUN, []),
        (Graded(2, 1.0, 1.0, Memory(), "", RUN.rows), ["exit code 2"]),
        (Graded(1, 1.0, 1.0, Memory(), "Traceback (most", RUN.rows), ["a traceback"]),
        (Graded(130, 1.0, 1.0, Memory(), "", {}), []),
        (Graded(130, 1.0, 1.0, Memory(), "Traceback (most", {}), ["a traceback"]),
        (Graded(1, 1.0, 1.0, Memory(), "", {}), ["one (right): no row"]),
        (
            Graded(1, 1.0, 1.0, Memory(), "", {"one": {"total": "", "problem": ""}}),
            ["one (right): neither points nor a reason"],
        ),
    ],
    ids=[
        "nothing",
        "exit code",
        "traceback",
        "a part",
        "traceback of a part",
        "no row",
        "no outcome",
    ],
)
def test_what_must_never_be_is_listed(run: Graded, words: list[str]) -> None:
    assert list(faults(run, {"one": "right"})) == words


def sample(done: int, mib: float, pid: int = 1) -> Sample:
    return Sample(done, "zygote", pid, own=1.0, anonymous=mib)


@pytest.mark.parametrize(
    ("most", "at", "percent"),
    [(2000, 1000, 10), (2000, 100, 0), (100, 60, 10), (100, 10, 0)],
    ids=["of a class", "while it warms up", "of a small class", "while that warms up"],
)
def test_growth_is_counted_when_a_class_is_warm(most: int, at: int, percent: float) -> None:
    warm = [sample(done, 110.0 if done > at else 100.0) for done in range(0, most + 1, 5)]
    [growth] = Memory(warm).growths()
    assert growth.kind == "zygote"
    assert growth.percent == pytest.approx(percent)


def test_growth_of_a_part_is_counted_from_where_it_began() -> None:
    part = [sample(done, 110.0 if done > 1300 else 100.0) for done in range(600, 2001, 5)]
    [growth] = Memory(part).growths()
    assert growth.percent == pytest.approx(10)


def test_parts_add_up_and_one_without_a_result_is_none(tmp_path: Path) -> None:
    assert parts_with(tmp_path, "class", Part(40, 20.0, 30.0)) == [Part(40, 20.0, 30.0)]
    assert parts_with(tmp_path, "class", Part(0, 5.0, 1.0)) == [Part(40, 20.0, 30.0)]
    parts = parts_with(tmp_path, "class", Part(60, 30.0, 40.0))

    words = "100 results in 50 s: 2.00 a second; 70 s of processor time, 0.70 s for each"
    assert speed(parts)[0] == words
    assert speed(parts)[1] == pytest.approx(0.7)
    assert speed([]) == ("no result is new", 0.0)


def test_a_small_process_of_a_kind_hides_no_growth() -> None:
    outer = [sample(done, 1.0, pid=2) for done in range(0, 2001, 2)]
    inner = [sample(done, 100.0 + done / 20) for done in range(0, 2001, 5)]
    [growth] = Memory([*outer, *inner]).growths()
    assert growth.early == pytest.approx(115, abs=1)
    assert growth.late == pytest.approx(195, abs=1)


def test_the_memory_of_a_process_that_is_gone_is_not_counted(tmp_path: Path) -> None:
    memory = Memory()
    memory.look(os.getpid(), tmp_path)
    [parent] = [one for one in memory.samples if one.pid == os.getpid()]
    assert (parent.done, parent.kind) == (0, "parent")
    assert parent.own > 0
    assert mib_of(2**22 + 1) == (0.0, 0.0)


def test_results_are_counted_in_the_store(tmp_path: Path) -> None:
    with open_store(tmp_path / STORE_FILE) as store:
        store.keep("student-001", "inputs", Conditions(*"abcdefgh"), {}, final=True)
        assert results_in(tmp_path / STORE_FILE) == 1
    assert results_in(tmp_path / "none") == 0


def test_a_copy_computes_on_other_threads(tmp_path: Path) -> None:
    copy = with_threads(tmp_path, 2)
    nursery = (copy / "grader" / "processes" / "nursery.py").read_text("utf-8")
    assert "set_num_threads(2)" in nursery
    assert "set_num_threads(1)" not in nursery


def test_marks_are_points_or_a_reason() -> None:
    record = {"exercises": [{"slug": "a1.sdpa", "criteria": [{"name": "shapes", "points": "1"}]}]}
    assert marks(record) == {"a1.sdpa/shapes": "1"}
    assert marks({"problem": "damaged"}) == {"problem": "could not be read"}
