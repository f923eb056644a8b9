"""What a notebook shows at its end, and what lets it run to there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.course.paths import CoursePaths
from grader.handouts.demos import SHARED, read_demos, scenes
from grader.handouts.handout import notebook_handout, python_handout
from grader.handouts.stubs import StubError, solution_regions

ROOT = Path(__file__).resolve().parents[3]
REFERENCES = sorted((ROOT / "reference").glob("a[0-9]*_*.py"))
STUB = '"""Title."""\n\nimport math\n\n\ndef f():\n    raise NotImplementedError("f: replace")\n'
DEMOS = '''"""## Three

A text.
"""

import three

three.draw()

"""**Think.** Why?"""

"""## Four"""
'''


def course(root: Path, **demos: str) -> Path:
    (CoursePaths(root).demos).mkdir(parents=True)
    for name, text in demos.items():
        (CoursePaths(root).demos / f"{name}.py").write_text(text, encoding="utf-8")
    return root


def test_texts_and_the_code_under_them_become_cells_with_the_heading_as_their_name() -> None:
    assert [(scene.title, scene.text, scene.code) for scene in scenes(DEMOS)] == [
        ("Three", "## Three\n\nA text.", "# demo\nimport three\n\nthree.draw()"),
        ("Three", "**Think.** Why?", ""),
        ("Four", "## Four", ""),
    ]


def test_they_stand_at_the_end_of_the_notebook_and_not_in_the_file() -> None:
    cells = read_cells(notebook_handout(STUB, DEMOS))

    assert [(cell["id"], cell["cell_type"]) for cell in cells[-4:]] == [
        ("about-see-three", "markdown"),
        ("see-three", "code"),
        ("about-see-three-2", "markdown"),
        ("about-see-four", "markdown"),
    ]
    assert cells[-3]["metadata"] == {"tags": ["demo"]}
    assert "three" not in python_handout(STUB)


def read_cells(notebook: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(notebook)["cells"]
    return cells


def test_what_the_demos_need_stands_before_the_first_code() -> None:
    ids = [cell["id"] for cell in read_cells(notebook_handout(STUB))]

    assert ids[:3] == ["title", "first", "setup"]


class TestReading:
    def test_the_shared_part_comes_first(self, tmp_path: Path) -> None:
        root = course(tmp_path, a1="'''own'''\n", shared="'''shared'''\n")

        assert [scene.text for scene in scenes(read_demos(root, "a1"))] == ["shared", "own"]

    def test_an_assignment_without_demos_has_none(self, tmp_path: Path) -> None:
        assert read_demos(course(tmp_path, shared="'''shared'''\n"), "a1") == ""

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            pytest.param("'''x'''\ndef\n", "reference/demos/a1.py:2: not valid", id="no python"),
            pytest.param("x = 1\n", "reference/demos/a1.py:1: no text at the top", id="no text"),
            pytest.param("", "reference/demos/a1.py:1: no text at the top", id="empty"),
        ],
    )
    def test_a_mistake_in_them_is_told_with_its_place(
        self, text: str, message: str, tmp_path: Path
    ) -> None:
        with pytest.raises(StubError, match=message):
            read_demos(course(tmp_path, a1=text), "a1")


def fenced_lines() -> set[str]:
    """The lines of all solutions that say enough to be told from any other code."""
    found = set()
    for path in REFERENCES:
        lines = path.read_text("utf-8").split("\n")
        for region in solution_regions("\n".join(lines), path.name):
            found |= {line.split("  #")[0].strip() for line in lines[region.begin : region.end - 1]}
    return {line for line in found if len(line) > 30}


def leaked(text: str) -> list[str]:
    return sorted(line for line in fenced_lines() if line in text)


def test_no_demo_holds_a_line_of_a_solution() -> None:
    solved = REFERENCES[0].read_text("utf-8")

    assert len(leaked(solved)) > 10
    for path in (CoursePaths(ROOT).demos).glob("*.py"):
        assert leaked(path.read_text("utf-8")) == [], path.name


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_every_picture_has_a_question_under_it(path: Path) -> None:
    shown = scenes((CoursePaths(ROOT).demos / path.name).read_text("utf-8"))

    assert len([scene for scene in shown if "plt.subplots" in scene.code]) >= 2
    for scene, below in zip(shown, shown[1:] + shown[-1:], strict=True):
        if scene.code:
            assert below.text.startswith("**Think.**") and "?" in below.text, scene.title


def test_demos_of_this_course_belong_to_an_assignment() -> None:
    names = {path.name for path in (CoursePaths(ROOT).demos).glob("*.py")}

    assert names == {SHARED, *(path.name for path in REFERENCES)}
