"""Classes of course notebooks with their mistakes, in every selection: `notebook_classes.yaml`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import yaml

from grader.course.course import Course

TABLE = Path(__file__).resolve().parents[1] / "notebook_classes.yaml"
_MARK = re.compile(r"  # (?P<side>wrong|right): (?P<mistake>.*)$")


@dataclass(frozen=True)
class NotebookClass:
    """One class, with lines that make each of its mistakes and lines that mend it."""

    name: str
    exercise: str
    about: str
    code: str
    named: dict[str, list[str]]
    """The ids of the causes that a report names, by the mistakes that are left in."""

    @property
    def mistakes(self) -> tuple[str, ...]:
        marks = (_MARK.search(line) for line in self.code.splitlines())
        return tuple(dict.fromkeys(mark["mistake"] for mark in marks if mark))

    @property
    def as_it_stands(self) -> str:
        return " + ".join(self.mistakes)

    def selections(self) -> Iterator[str]:
        """Yield every selection of the mistakes, the class as it stands first."""
        for count in range(len(self.mistakes), 0, -1):
            yield from (" + ".join(chosen) for chosen in combinations(self.mistakes, count))

    def written(self, selection: str) -> str:
        """Return the class with these mistakes in it and all others mended."""
        left_in = selection.split(" + ")
        lines = []
        for line in self.code.splitlines():
            mark = _MARK.search(line)
            if mark is None or (mark["side"] == "wrong") == (mark["mistake"] in left_in):
                lines.append(line[: mark.start()] if mark else line)
        return "\n".join(lines) + "\n"


def notebook_classes() -> list[NotebookClass]:
    return [NotebookClass(**entry) for entry in yaml.safe_load(TABLE.read_text(encoding="utf-8"))]


def solved_beside(code: str, exercise: str, course: Course) -> dict[str, str]:
    """Return whole solutions by file name: the references, with this code in place of its own."""
    stems = course.rubric.assignments
    assignment = exercise.partition(".")[0]
    files = {}
    for name in [name for name in stems if name <= assignment]:
        text = course.paths.solution(stems[name]).read_text(encoding="utf-8")
        files[f"{stems[name]}.py"] = in_place(code, text) if name == assignment else text
    return files


def in_place(code: str, solution: str) -> str:
    """Return a solution whose definitions of the same names are replaced by this code."""
    own = {getattr(node, "name", "") for node in ast.parse(code).body} - {""}
    nodes = [node for node in ast.parse(solution).body if getattr(node, "name", "") in own]
    lines = solution.splitlines()
    for node in reversed(nodes):
        del lines[node.lineno - 1 : node.end_lineno]
    lines[nodes[0].lineno - 1 : nodes[0].lineno - 1] = code.splitlines()
    return "\n".join(lines) + "\n"
