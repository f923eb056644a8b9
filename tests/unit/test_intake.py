"""The right file is found however its name was mangled, and the choice is told."""

from __future__ import annotations

import pytest

from grader.evidence import Note, Where
from grader.intake import choose_entries

STEMS = ("a1_attention", "a2_masking")


def test_exact_names_are_taken_without_a_word() -> None:
    assert choose_entries(["a2_masking.py", "a1_attention.py", "notes.py"], STEMS) == (
        {"a1_attention": "a1_attention.py", "a2_masking": "a2_masking.py"},
        (),
    )


@pytest.mark.parametrize(
    "name",
    [
        "a1_attention (1).py",
        "A1_Attention.py",
        "a1-attention.py",
        "a1 attention.py",
        "a1_attention.PY",
        "student-001_a1_attention.py",
        "Copy of a1_attention.py",
        "week1/a1_attention_final_v2.py",
        "12345_67890_a1_attention-3.py",
        "과제_a1_attention_최종.py",
    ],
)
def test_a_mangled_name_is_taken_with_a_note(name: str) -> None:
    assert choose_entries([name, "helper.py"], STEMS) == (
        {"a1_attention": name},
        (Note("note", "Taken as a1_attention.py. Best rename it.", Where(name)),),
    )


@pytest.mark.parametrize(
    "name",
    [
        "test_a1_attention.py",
        "a1_attention_test.py",
        "a1_attentions.py",
        "attention.py",
        "ba1_attention.py",
        "a1_attention.txt",
    ],
)
def test_other_names_are_not_taken(name: str) -> None:
    assert choose_entries([name], STEMS) == ({}, ())


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        pytest.param(["a1_attention (1).py", "a1_attention.py"], "a1_attention.py", id="exact"),
        pytest.param(["old/a1_attention.py", "a1_attention.py"], "a1_attention.py", id="higher"),
    ],
)
def test_the_exact_name_higher_up_is_preferred(files: list[str], chosen: str) -> None:
    assert choose_entries(files, STEMS)[0] == {"a1_attention": chosen}


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        pytest.param(
            ["a1_attention (2).py", "a1_attention (10).py"], "a1_attention (10).py", id="numbers"
        ),
        pytest.param(
            ["v1/a1_attention.py", "v2/a1_attention.py"], "v2/a1_attention.py", id="versions"
        ),
    ],
)
def test_several_candidates_are_a_problem_that_names_them(files: list[str], chosen: str) -> None:
    entries, notes = choose_entries(files, STEMS)

    (other,) = set(files) - {chosen}
    assert entries == {"a1_attention": chosen}
    assert notes == (
        Note(
            "problem",
            f"2 files could be a1_attention.py: graded {chosen}, not {other}. "
            "Keep only the one that counts.",
            Where(chosen),
        ),
    )


def test_the_choice_does_not_depend_on_the_order_of_the_files() -> None:
    files = ["b/a1_attention.py", "a1_attention (3).py", "a/a1_attention.py", "A2_masking.py"]

    assert choose_entries(files, STEMS) == choose_entries(files[::-1], STEMS[::-1])


def test_a_name_with_two_stems_belongs_to_the_longer_one() -> None:
    stems = ("a1_attention", "a1_attention_extra")

    assert choose_entries(["my_a1_attention_extra.py"], stems)[0] == {
        "a1_attention_extra": "my_a1_attention_extra.py"
    }


def test_a_lone_notebook_is_a_problem_with_a_remedy() -> None:
    assert choose_entries(["a1_attention.ipynb"], STEMS) == (
        {},
        (
            Note(
                "problem",
                "A notebook, and notebooks are not graded yet. Export it as a1_attention.py: "
                "jupyter nbconvert --to script",
                Where("a1_attention.ipynb"),
            ),
        ),
    )
