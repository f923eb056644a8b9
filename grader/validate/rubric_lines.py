"""Where something stands in rubric.yaml, for gaps that show only in what was graded."""

from __future__ import annotations

import yaml

from ..course import RUBRIC_FILE, Course
from .gap import Gap


def rubric_gap(course: Course, trail: tuple[str, ...], message: str, next: str) -> Gap:
    """A gap at the place of the trail, or at the last step of it that is there."""
    text = (course.root / RUBRIC_FILE).read_text(encoding="utf-8")
    return Gap(RUBRIC_FILE, line_of(text, trail), message, next)


def line_of(text: str, trail: tuple[str, ...]) -> int:
    """
    >>> line_of("exercises:\\n  a1.sdpa:\\n    banned: []\\n", ("exercises", "a1.sdpa", "points"))
    2
    """
    node, line = yaml.compose(text, Loader=yaml.SafeLoader), 1
    for step in trail:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((key, value) for key, value in pairs if key.value == step), None)
        if found is None:
            return line
        line, node = found[0].start_mark.line + 1, found[1]
    return line
