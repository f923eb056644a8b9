"""An entry of rubric.yaml is found wherever the file could be read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from grader.course.rubric_place import place_of, rubric_problem

compiled = pytest.mark.skipif(
    not hasattr(yaml, "CSafeLoader"), reason="without the compiled parser the file is refused"
)


@compiled
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("exercises:\n  a: {question: Why?}\n  b: 1\n", (3, 3)),
        ("exercises:\n  a: [What?, {c: How?}]\n  b: 1\n", (3, 3)),
        ("exercises:\n  {question: Why?}: 1\n  b: 2\n", (3, 3)),
        ("? {question: Why?}\n: 1\nexercises: {a: Why?, b: 2}\n", (3, 22)),
    ],
    ids=["value", "in a list", "key", "key at the top"],
)
def test_a_question_mark_before_a_bracket_hides_no_entry(text: str, place: tuple[int, int]) -> None:
    assert place_of(text, ("exercises", "b")) == place


@compiled
def test_a_problem_beside_a_question_has_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rubric.yaml").write_text("a: {question: Why?}\nb:\n  c: 1\n", encoding="utf-8")

    problem = rubric_problem(tmp_path, ("b", "c"), "no such name")

    assert str(problem) == "rubric.yaml:3:3  b.c: no such name"


def test_what_is_not_there_at_all_is_missed_at_the_top() -> None:
    assert place_of("# first\n\nexercises:\n  a: 1\n", ("criteria", "a")) == (1, 1)


@pytest.mark.parametrize(
    ("trail", "place"),
    [
        (("a", "banned", 0), (2, 12)),
        (("a", "banned", 1), (2, 20)),
        (("a", "banned", 2), (2, 3)),
        (("a", "banned", "x.f"), (2, 3)),
        (("a", "needs", 0), (3, 3)),
    ],
)
def test_an_element_is_found_where_it_stands(trail: tuple[str | int, ...], place: object) -> None:
    assert place_of("a:\n  banned: [x.f,    y.g]\n  needs: one\n", trail) == place
