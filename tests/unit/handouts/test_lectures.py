"""What a notebook tells beside its hand-out is read with the place of each mistake in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.paths import CoursePaths
from grader.handouts.lectures import (
    MOST_BYTES,
    Lecture,
    Telling,
    read_equations,
    read_lecture,
    require_places,
)
from grader.handouts.stubs import StubError

TEXT = """<!-- goal -->
![A goal](pictures/goal.png)

<!-- before: a1.one -->

Before.

```python demo
print(1)
```

Then.
"""


def course(root: Path, text: str = "", equations: str = "") -> Path:
    folder = CoursePaths(root).lectures
    folder.mkdir(parents=True)
    (root / "pictures").mkdir()
    (root / "pictures" / "goal.png").write_bytes(b"ABC")
    (root / "pictures" / "large.png").write_bytes(b"A" * (MOST_BYTES + 1))
    (root.parent / "outside.png").write_bytes(b"ABC")
    if text:
        (folder / "a1.md").write_text(text, encoding="utf-8")
    if equations:
        (folder / "equations.toml").write_text(equations, encoding="utf-8")
    return root


def test_a_section_is_cut_into_texts_demos_and_pictures(tmp_path: Path) -> None:
    assert read_lecture(course(tmp_path / "course", TEXT), "a1") == Lecture(
        {
            "goal": (Telling("![A goal](attachment:goal.png)", pictures={"goal.png": "QUJD"}),),
            "before: a1.one": (
                Telling("Before."),
                Telling("print(1)", is_code=True),
                Telling("Then."),
            ),
        }
    )


def test_a_course_without_lectures_has_none(tmp_path: Path) -> None:
    assert read_lecture(tmp_path, "a1") == Lecture()


def test_spaces_in_an_equation_do_not_matter(tmp_path: Path) -> None:
    equations = "[[equation]]\nplain = '''\n  y  = x\n  z = y   (always)'''\nlatex = ' z '\n"

    assert read_equations(course(tmp_path / "course", equations=equations)) == {
        "y = x\nz = y (always)": "z"
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("Text.", r"a1.md:1: a text before the first section", id="no section"),
        pytest.param(
            "<!-- goal -->\nA.\n<!-- middle -->\nB.", r"a1.md:3: no place 'middle'", id="no place"
        ),
        pytest.param(
            "<!-- goal -->\nA.\n<!-- goal -->\nB.", r"a1.md:3: a second section 'goal'", id="twice"
        ),
        pytest.param(
            "<!-- end -->\n![x](pictures/none.png)", r"a1.md:1: no picture pictures/none", id="gone"
        ),
        pytest.param(
            "<!-- end -->\n![x](../outside.png)", r"a1.md:1: no picture ../outside", id="outside"
        ),
        pytest.param(
            "<!-- end -->\n![x](pictures/large.png)", r"300,001 bytes, more than", id="too large"
        ),
        pytest.param(
            "<!-- end -->\n```python demo\ndef\n```", r"a1.md:1: not valid Python", id="no python"
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(StubError, match=message):
        read_lecture(course(tmp_path / "course", text), "a1")


@pytest.mark.parametrize(
    "equations",
    ["x = ", "[[equation]]\nplain = 'y'\n", "equation = 3\n", "[[equation]]\nplain = 1\nlatex = 2"],
    ids=["no toml", "no latex", "no list", "no text"],
)
def test_a_mistake_in_the_equations_is_told_too(equations: str, tmp_path: Path) -> None:
    with pytest.raises(StubError, match=r"lectures/equations\.toml:1: not a list"):
        read_equations(course(tmp_path / "course", equations=equations))


def test_a_section_about_nothing_is_refused() -> None:
    lecture = Lecture({"before: a1.two": (), "goal": (), "after: f": ()})

    require_places(lecture, "a1", frozenset({"a1.two", "f"}))
    with pytest.raises(StubError, match=r"'before: a1\.two' is about nothing in a1"):
        require_places(lecture, "a1", frozenset({"f"}))
