"""Find the line of an entry in rubric.yaml, for problems that show once the course is read.

Reads the file again: that costs nothing as long as nothing is wrong.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from grader.course.yaml_source import LOADER, displayed
from grader.text.problem import Problem, Trail, dotted

RUBRIC_FILE = "rubric.yaml"


def rubric_problem(root: Path, trail: Trail, message: str) -> Problem:
    """Return a problem at the place of the trail, or at the last step of it that is there."""
    path = root / RUBRIC_FILE
    line, column = place_of(path.read_text(encoding="utf-8-sig"), trail)
    return Problem(displayed(path), line, column, dotted(trail), message)


def place_of(text: str, trail: Trail) -> tuple[int, int]:
    """Return line and column of a key or an element, counted from 1.

    >>> rubric = "exercises:\\n  a1.sdpa:\\n    banned: [torch.bmm]\\n"
    >>> place_of(rubric, ("exercises", "a1.sdpa", "banned", 0))
    (3, 14)
    >>> place_of(rubric, ("exercises", "a1.sdpa", "points"))
    (2, 3)
    """
    # By the parser that has read the file already: the other one refuses `{question: Why?}`.
    node, place = yaml.compose(text, Loader=LOADER), (1, 1)
    for step in trail:
        result = _step(node, step)
        if result is None:
            return place
        named, node = result
        place = named.start_mark.line + 1, named.start_mark.column + 1
    return place


def _step(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node that names the entry (a key, or the element itself), and its value."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None
