"""A large class is made from a seed alone; whatever is malformed in it is read or refused."""

from __future__ import annotations

import stat
from collections import Counter
from pathlib import Path

import pytest

from grader.batch.discovery import Entry, discover
from grader.submission.submission import SubmissionError
from tools.class_making import KINDS_OF_STUDENT, make_class
from tools.large_class import Graded, Memory, faults, marks, with_threads
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
        (Graded(1, 1.0, 1.0, Memory(), "", {}), ["one (right): no row"]),
        (
            Graded(1, 1.0, 1.0, Memory(), "", {"one": {"total": "", "problem": ""}}),
            ["one (right): neither points nor a reason"],
        ),
    ],
    ids=["nothing", "exit code", "traceback", "no row", "no outcome"],
)
def test_what_must_never_be_is_listed(run: Graded, words: list[str]) -> None:
    assert list(faults(run, {"one": "right"})) == words


def test_growth_is_counted_from_a_quarter_on() -> None:
    flat = Memory(parent=[10.0] * 10 + [50.0] * 30)
    rising = Memory(parent=[float(n) for n in range(40)])
    assert flat.grown() == 0
    assert rising.grown() == pytest.approx(27)


def test_a_copy_computes_on_other_threads(tmp_path: Path) -> None:
    copy = with_threads(tmp_path, 2)
    nursery = (copy / "grader" / "processes" / "nursery.py").read_text("utf-8")
    assert "set_num_threads(2)" in nursery
    assert "set_num_threads(1)" not in nursery


def test_marks_are_points_or_a_reason() -> None:
    record = {"exercises": [{"slug": "a1.sdpa", "criteria": [{"name": "shapes", "points": "1"}]}]}
    assert marks(record) == {"a1.sdpa/shapes": "1"}
    assert marks({"problem": "damaged"}) == {"problem": "could not be read"}
