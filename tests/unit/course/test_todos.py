"""TODOs of an exercise are found where they stand."""

from __future__ import annotations

from grader.course.todos import Todo, todos_in

TEXTS = {
    "rubric.yaml": "exercises:\n  a1.sums:  # TODO(a1.sums): points\n  a1.sums2: {}\n",
    "reference/a1.py": '"""TODO(a1.sums): a title."""\n# TODO(a1.means): no\n# TODO: nor this\n',
}


def test_they_have_file_line_and_text() -> None:
    assert list(todos_in(TEXTS, "a1.sums")) == [
        Todo("rubric.yaml", 2, "points"),
        Todo("reference/a1.py", 1, "a title."),
    ]


def test_a_dot_in_a_slug_is_a_dot() -> None:
    assert list(todos_in({"a.py": "# TODO(a1xsums): other"}, "a1.sums")) == []
