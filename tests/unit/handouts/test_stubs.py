"""From worked solutions to the files students start with."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.handouts.generation import render, write
from grader.handouts.stubs import BEGIN, END, StubError, solution_regions, stub_source

ROOT = Path(__file__).resolve().parents[3]
REFERENCES = sorted((ROOT / "reference").glob("a[0-9]*_*.py"))

MODULE = '''"""Hand-out: `# BEGIN SOLUTION` in a text is no fence."""


class Scale:
    def __init__(self, by: float) -> None:
        self.by = by
        # BEGIN SOLUTION
        secret = by * 2
        self.twice = secret
        # END SOLUTION

    def apply(self, x: float) -> float:
        # BEGIN SOLUTION
        if x:
            return x * self.by

        return 0.0
        # END SOLUTION


def untouched() -> int:
    return 1
'''

STUB = '''"""Hand-out: `# BEGIN SOLUTION` in a text is no fence."""


class Scale:
    def __init__(self, by: float) -> None:
        self.by = by
        raise NotImplementedError("Scale.__init__: replace this line with your solution")

    def apply(self, x: float) -> float:
        raise NotImplementedError("Scale.apply: replace this line with your solution")


def untouched() -> int:
    return 1
'''


def test_solutions_are_replaced_and_the_rest_stays() -> None:
    """Every fenced region becomes one line at its indentation; other lines do not change."""
    assert stub_source(MODULE, "m.py") == STUB


def test_regions_know_their_owner() -> None:
    """A region is named after the function or method that it is the solution of."""
    assert [region.owner for region in solution_regions(MODULE, "m.py")] == [
        "Scale.__init__",
        "Scale.apply",
    ]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f():\n    # BEGIN SOLUTION\n    return 1\n", "m.py:2: .* is never closed by"),
        ("def f():\n    return 1\n    # END SOLUTION\n", "m.py:3: .* without a '# BEGIN SOLUTION'"),
        (
            "def f():\n    # BEGIN SOLUTION\n    # BEGIN SOLUTION\n    return 1\n",
            "m.py:3: .* inside the one of line 2",
        ),
        ("def f():\n    # begin solution\n    return 1\n", "m.py:2: '# begin solution' is not a"),
        ("def f():\n    #END_SOLUTION\n    return 1\n", "m.py:2: '#END_SOLUTION' is not a fence"),
        ("def f():\n    return 1  # BEGIN SOLUTION\n", "m.py:2: .* alone on its line"),
        ("# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n", "m.py:1: .* must stand inside a function"),
        (
            "class A:\n    # BEGIN SOLUTION\n    x = 1\n    # END SOLUTION\n",
            "m.py:2: .* must stand inside a function",
        ),
        (
            "def f():\n    # BEGIN SOLUTION\n    # nothing\n    # END SOLUTION\n    return 1\n",
            "m.py:2: there is no code between",
        ),
        (
            "def f():\n    if 1:\n        # BEGIN SOLUTION\n        x = 1\n    # END SOLUTION\n",
            "m.py:5: .* indented differently from line 3",
        ),
        ("def f():\n    return 1\n", "m.py:1: no solution is fenced"),
        ("def f(:\n", "m.py:1: not valid Python"),
    ],
    ids=[
        "never-closed",
        "never-opened",
        "nested",
        "lower-case",
        "other-spelling",
        "after-code",
        "module-level",
        "class-level",
        "empty",
        "indented-differently",
        "no-fence",
        "broken-reference",
    ],
)
def test_a_bad_fence_is_told_with_its_line(source: str, message: str) -> None:
    """A reference from which no stub can be made is refused with file and line."""
    with pytest.raises(StubError, match=message):
        stub_source(source, "m.py")


def test_a_stub_that_would_not_parse_is_refused() -> None:
    """Fences that cut a statement in two are noticed."""
    lines = ["def f():", "    # BEGIN SOLUTION", "    if 1:", "    # END SOLUTION"]
    source = "\n".join([*lines, "        x = 1", "    return 1", ""])
    with pytest.raises(StubError, match=r"its stub.*not valid Python"):
        stub_source(source, "m.py")


def test_assignments_are_fresh() -> None:
    """`assignments/` holds exactly what `grader stubs` would write, and the files of data."""
    folder = ROOT / "assignments"
    paths = {path for path in folder.rglob("*") if path.is_file()}
    data = {*find_course(ROOT).data_files()}
    paths -= data
    assert {path.parent for path in data} == {folder / "data"}
    written = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
    assert written == render(ROOT)
    english = {f"{path.stem}{kind}" for path in REFERENCES for kind in (".py", ".ipynb")}
    english.add("answers.md")
    assert set(written) == english | {f"ko/{name}" for name in english}


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_no_line_of_a_solution_is_handed_out(path: Path) -> None:
    """No fenced line, and no fence, survives in the stub."""
    reference = path.read_text("utf-8")
    lines = reference.splitlines()
    secrets = {
        line.strip()
        for region in solution_regions(reference, path.name)
        for line in lines[region.begin : region.end - 1]
        if line.strip()
    }
    stub = stub_source(reference, path.name)
    handed_out = {line.strip() for line in stub.splitlines()}
    assert len(secrets) >= 5
    assert secrets & handed_out == set()
    assert BEGIN not in stub and END not in stub


def test_a_long_name_keeps_the_placeholder_within_the_line_length() -> None:
    """The line that is replaced is written as the formatter would."""
    name = "a_name_that_is_quite_long_as_names_of_functions_go"
    stub = stub_source(f"def {name}():\n    {BEGIN}\n    return 1\n    {END}\n", "m.py")
    assert stub.splitlines()[1:] == [
        "    raise NotImplementedError(",
        f'        "{name}: replace this line with your solution"',
        "    )",
    ]


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_a_stub_keeps_the_signatures_and_the_texts(path: Path) -> None:
    """Names, arguments and docstrings of the stub are the reference's."""
    reference = path.read_text("utf-8")
    assert _surface(reference) == _surface(stub_source(reference, path.name))


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_a_stub_can_be_imported(path: Path, tmp_path: Path) -> None:
    """Executing a stub defines what the reference defines, and raises nothing."""
    stub = tmp_path / path.name
    stub.write_text(stub_source(path.read_text("utf-8"), path.name), "utf-8")
    assert sorted(runpy.run_path(str(path))) == sorted(runpy.run_path(str(stub)))


def test_nothing_is_written_when_one_reference_is_bad(tmp_path: Path) -> None:
    """A mistake in one reference leaves every stub as it was."""
    _begin_course(tmp_path, "a1_good", "a2_bad")
    (tmp_path / "reference" / "a1_good.py").write_text(MODULE)
    (tmp_path / "reference" / "a2_bad.py").write_text("def f():\n    # BEGIN SOLUTION\n    pass\n")
    with pytest.raises(StubError, match=r"reference/a2_bad\.py:2"):
        write(tmp_path)
    assert not (tmp_path / "assignments").exists()


def test_what_is_written_does_not_depend_on_the_place(tmp_path: Path) -> None:
    """The same references give the same bytes in any folder."""
    for name in ("one", "two"):
        _begin_course(tmp_path / name, "a1_good")
        (tmp_path / name / "reference" / "a1_good.py").write_text(MODULE)
    first, second = (write(tmp_path / name)[0].read_bytes() for name in ("one", "two"))
    assert first == second == STUB.encode()


def test_a_course_without_references_is_refused(tmp_path: Path) -> None:
    """An assignment without a reference is a mistake, not an empty result."""
    _begin_course(tmp_path, "a1_good")
    with pytest.raises(StubError, match=r"reference/a1_good\.py:1: no such file"):
        write(tmp_path)


def _begin_course(root: Path, *stems: str) -> None:
    """A rubric that names these assignments, and an empty reference folder."""
    (root / "reference").mkdir(parents=True)
    assignments = ", ".join(f"{stem[:2]}: {stem}" for stem in stems)
    criteria = "criteria: {all: {points: 1, visibility: public}}"
    exercises = "".join(f"  {stem[:2]}.one: {{targets: [one], {criteria}}}\n" for stem in stems)
    (root / "rubric.yaml").write_text(
        f"course: toy\nseed: toy\nassignments: {{{assignments}}}\nexercises:\n{exercises}"
    )


def _surface(source: str) -> list[tuple[str, str, str | None]]:
    return [
        (node.name, ast.dump(node.args) if isinstance(node, ast.FunctionDef) else "", doc)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for doc in [ast.get_docstring(node)]
    ]
