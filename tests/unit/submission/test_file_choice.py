"""The right file is found however its name was mangled, and the choice is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.grade.evidence import Note, Where
from grader.submission.file_choice import (
    CLOCK_S,
    Choice,
    candidates,
    choice_notes,
    misnamed,
    seem_untouched,
)

ROOT = Path(__file__).resolve().parents[3]
STEMS = ("a1_attention", "a2_masking")
PY, NOTEBOOK = "a1_attention.py", "a1_attention.ipynb"


def told(chosen: str, paths: list[str], states: dict[str, str] | None = None) -> list[str]:
    """The notes on a choice, as kind and text."""
    notes = choice_notes("a1_attention", Choice(chosen, states or {}), paths)
    assert all(note.where == Where(chosen) for note in notes)
    return [f"{note.kind}: {note.text}" for note in notes]


@pytest.mark.parametrize("kind", [".py", ".ipynb"])
def test_exact_names_are_taken_without_a_word(kind: str) -> None:
    names = [f"a2_masking{kind}", f"a1_attention{kind}", f"notes{kind}"]

    assert candidates(names, STEMS) == {
        "a1_attention": (f"a1_attention{kind}",),
        "a2_masking": (f"a2_masking{kind}",),
    }
    assert told(f"a1_attention{kind}", [f"a1_attention{kind}"]) == []


@pytest.mark.parametrize("kind", [".py", ".ipynb"])
@pytest.mark.parametrize(
    "name",
    [
        "a1_attention (1)",
        "A1_Attention",
        "a1-attention",
        "a1 attention",
        "student-001_a1_attention",
        "Copy of a1_attention",
        "week1/a1_attention_final_v2",
        "12345_67890_a1_attention-3",
        "과제_a1_attention_최종",
    ],
)
def test_a_mangled_name_is_taken_with_a_note(name: str, kind: str) -> None:
    path = name + kind

    assert candidates([path, f"helper{kind}"], STEMS) == {"a1_attention": (path,)}
    assert told(path, [path]) == [f"note: Taken as a1_attention{kind}. Best rename it."]


def test_a_suffix_in_capitals_is_the_same_suffix() -> None:
    assert candidates(["a1_attention.PY"], STEMS) == {"a1_attention": ("a1_attention.PY",)}


@pytest.mark.parametrize(
    "name",
    [
        "test_a1_attention.py",
        "a1_attention_test.ipynb",
        "a1_attentions.py",
        "attention.ipynb",
        "ba1_attention.py",
        "a1_attention.txt",
    ],
)
def test_other_names_are_not_taken(name: str) -> None:
    assert candidates([name], STEMS) == {}


@pytest.mark.parametrize(
    "ranked",
    [
        pytest.param(("a1_attention.py", "a1_attention (1).py"), id="exact"),
        pytest.param(("a1_attention.py", "old/a1_attention.py"), id="higher"),
        pytest.param(("a1_attention (10).py", "a1_attention (2).py"), id="numbers"),
        pytest.param(("v2/a1_attention.ipynb", "v1/a1_attention.ipynb"), id="versions"),
        pytest.param((PY, NOTEBOOK), id="py before notebook"),
        pytest.param((PY, "a1_attention (1).ipynb", "a1_attention (1).py"), id="best of each kind"),
    ],
)
def test_the_more_likely_file_comes_first(ranked: tuple[str, ...]) -> None:
    for order in (ranked, ranked[::-1]):
        assert candidates(order, STEMS) == {"a1_attention": ranked}


@pytest.mark.parametrize(
    ("times", "first"),
    [
        pytest.param({PY: 10.0, NOTEBOOK: 20.0}, NOTEBOOK, id="notebook newer"),
        pytest.param({PY: 20.0, NOTEBOOK: 10.0}, PY, id="py newer"),
        pytest.param({PY: 10.0, NOTEBOOK: 10.0 + CLOCK_S}, PY, id="checked out together"),
        pytest.param({NOTEBOOK: 20.0}, PY, id="one time unknown"),
        pytest.param({}, PY, id="times unknown"),
    ],
)
def test_of_two_kinds_the_newer_comes_first(times: dict[str, float], first: str) -> None:
    assert candidates([NOTEBOOK, PY], STEMS, times)["a1_attention"][0] == first


COPY = "a1_attention (1).py"


@pytest.mark.parametrize(
    ("times", "first"),
    [
        pytest.param({PY: 10.0, COPY: 20.0}, COPY, id="copy newer"),
        pytest.param({PY: 20.0, COPY: 10.0}, PY, id="copy older"),
        pytest.param({PY: 10.0, COPY: 10.0 + CLOCK_S}, PY, id="unpacked together"),
        pytest.param({}, PY, id="times unknown"),
    ],
)
def test_a_newer_copy_comes_before_the_right_name(times: dict[str, float], first: str) -> None:
    for order in ([PY, COPY], [COPY, PY]):
        assert candidates(order, STEMS, times)["a1_attention"][0] == first


def test_a_deeper_copy_stays_behind_however_new() -> None:
    deep = "old/a1_attention.py"

    assert candidates([PY, deep], STEMS, {PY: 10.0, deep: 90.0})["a1_attention"][0] == PY


def test_a_newer_copy_that_was_graded_is_told_with_the_reason() -> None:
    choice = Choice(COPY, {PY: "edited", COPY: "edited"})

    [note] = choice_notes("a1_attention", choice, [COPY, PY], {PY: 10.0, COPY: 90.0})

    assert note == Note(
        "problem",
        f"2 files could be a1_attention: graded {COPY}, not {PY}, because it was changed last. "
        "Keep only the one that counts.",
        Where(COPY),
    )


def test_an_older_copy_is_passed_over_in_silence() -> None:
    choice = Choice(PY, {PY: "edited", COPY: "edited"})

    assert choice_notes("a1_attention", choice, [PY, COPY], {PY: 90.0, COPY: 10.0}) == ()


TARGETS = {"a1_attention": ("dot_product_loop", "attention_scores"), "a2_masking": ("causal_mask",)}
SCORES = b"import torch\n\ndef attention_scores(query, key):\n    return query @ key.mT\n"


def told_of(files: dict[str, bytes]) -> list[str]:
    found = candidates(files, TARGETS)
    return [f"{note.kind} at {note.where}: {note.text}" for note in misnamed(files, found, TARGETS)]


@pytest.mark.parametrize(
    ("name", "data", "wanted"),
    [
        pytest.param("hw1_final.py", SCORES, "a1_attention.py", id="py"),
        pytest.param("과제.py", SCORES, "a1_attention.py", id="korean"),
        pytest.param(
            "Untitled.ipynb",
            b'{"cells": [{"source": "import torch\\ndef attention_scores(q, k):\\n    pass"}]}',
            "a1_attention.ipynb",
            id="notebook",
        ),
        pytest.param("m.py", b"class causal_mask:\n    pass\n", "a2_masking.py", id="class"),
    ],
)
def test_a_name_that_says_nothing_is_told_with_the_right_one(
    name: str, data: bytes, wanted: str
) -> None:
    defined = "causal_mask" if wanted.startswith("a2") else "attention_scores"

    assert told_of({name: data, "helper.py": b"x = 1\n"}) == [
        f"problem at {Where(name)}: this file defines {defined}: rename it to {wanted}"
    ]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"hw1.py": b"attention_scores = 1\n"}, id="not defined"),
        pytest.param({"hw1.py": b"class A:\n    def causal_mask(self): ...\n"}, id="a method"),
        pytest.param({"hw1.py": b"def causal_mask_2(): ...\n"}, id="a longer name"),
        pytest.param({PY: SCORES, "old.py": SCORES}, id="the right one is there"),
        pytest.param(
            {"a2_masking.py": b"", "utils.py": SCORES}, id="a helper beside another assignment"
        ),
    ],
)
def test_nobody_is_told_to_rename_what_is_no_hand_in(files: dict[str, bytes]) -> None:
    many = {**TARGETS, "a1_attention": ("a", "b", "attention_scores")}

    assert list(misnamed(files, candidates(files, many), many)) == []


@pytest.mark.parametrize(
    ("chosen", "other"),
    [
        pytest.param("a1_attention (10).py", "a1_attention (2).py", id="numbers"),
        pytest.param("v2/a1_attention.ipynb", "v1/a1_attention.ipynb", id="versions"),
    ],
)
def test_several_edited_files_are_a_problem_that_names_them(chosen: str, other: str) -> None:
    assert told(chosen, [chosen, other], {chosen: "edited", other: "edited"}) == [
        f"problem: 2 files could be a1_attention: graded {chosen}, not {other}. "
        "Keep only the one that counts."
    ]


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        pytest.param({PY: 90.0, NOTEBOOK: 10.0}, "it was changed last", id="newer"),
        pytest.param({}, "their times do not tell which was changed last", id="unknown"),
    ],
)
def test_two_edited_kinds_are_both_reported_with_the_reason(
    times: dict[str, float], reason: str
) -> None:
    choice = Choice(PY, {PY: "edited", NOTEBOOK: "edited"})

    assert choice_notes("a1_attention", choice, [PY, NOTEBOOK], times) == (
        Note(
            "problem",
            f"2 files could be a1_attention: graded {PY}, not {NOTEBOOK}, because {reason}. "
            "Keep only the one that counts.",
            Where(PY),
        ),
    )


@pytest.mark.parametrize(
    ("state", "said"),
    [
        pytest.param("untouched", [], id="untouched hand-out"),
        pytest.param(
            "unreadable",
            [f"problem: Graded {PY}, because {NOTEBOOK} cannot be read. Delete one of them."],
            id="unreadable",
        ),
    ],
)
def test_a_file_that_could_not_win_is_told_apart(state: str, said: list[str]) -> None:
    assert told(PY, [PY, NOTEBOOK], {PY: "edited", NOTEBOOK: state}) == said


def test_the_order_of_the_files_does_not_matter() -> None:
    files = ["b/a1_attention.py", "a1_attention (3).py", "a/a1_attention.ipynb", "A2_masking.py"]

    assert candidates(files, STEMS) == candidates(files[::-1], STEMS[::-1])


def test_a_name_with_two_stems_belongs_to_the_longer_one() -> None:
    stems = ("a1_attention", "a1_attention_extra")

    assert candidates(["my_a1_attention_extra.py"], stems) == {
        "a1_attention_extra": ("my_a1_attention_extra.py",)
    }


def test_what_seems_untouched_is_what_still_holds_the_lines_for_solutions() -> None:
    course = find_course(ROOT)
    stubs = {
        path.name: path.read_bytes()
        for path in (ROOT / "assignments").iterdir()
        if path.suffix in (".py", ".ipynb")
    }
    assert set(seem_untouched(stubs, course.rubric)) == set(course.rubric.exercises)
    line = b'raise NotImplementedError("causal_mask: replace this line with your solution")'
    assert stubs["a2_masking.py"].count(line) == 1
    solved = stubs | {"a2_masking.py": stubs["a2_masking.py"].replace(line, b"return None")}
    touched = set(course.rubric.exercises) - set(seem_untouched(solved, course.rubric))
    assert touched == {"a2.causal_mask"}


def test_an_assignment_that_was_not_handed_in_seems_untouched() -> None:
    course = find_course(ROOT)
    assert set(seem_untouched({}, course.rubric)) == set(course.rubric.exercises)
