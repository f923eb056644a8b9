"""Read `rubric.yaml`, the only place with points, exactly; or refuse it with all its errors.

Imports no torch; the only I/O is reading the one file.
"""

from __future__ import annotations

import re
from pathlib import Path

from grader.course.rubric import Rubric
from grader.course.rubric_form import rubric_form
from grader.course.rubric_rules import rubric_problems
from grader.course.yaml_source import read_source
from grader.text.language import _
from grader.text.problem import Problem

_SEED = re.compile(
    rb"^[\"']?seed[\"']?[ \t]*:((?:[ \t][^\r\n]*)?(?:\r?\n(?:[ \t]+[^\r\n]*|(?=[\r\n])))*)",
    re.MULTILINE,
)
"""The seed's value: the rest of its line, and what stands further in below it."""


class RubricError(Exception):
    """A rubric that cannot be used: one problem a line, in the order of the file."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def load_rubric(path: Path, *, with_seed: bool = True) -> Rubric:
    """Return the rubric in the file.

    Without `with_seed`, the seed is overwritten with `x` where it was read, and no copy of it stays
    in memory.

    Raises:
        RubricError: with every problem of the file, if there is any.
    """
    source = read_source(path, None if with_seed else _SEED)
    if source.root is not None:
        rubric = rubric_form()(source.root)
        if not with_seed and rubric.seed.strip("x \n"):
            place = source.places["seed",]
            place.key_problem(_("cannot be kept from student code - begin a line with 'seed: '"))
        for trail, message in rubric_problems(rubric):
            source.places[trail].key_problem(message)
        if not source.problems:
            return rubric
    raise RubricError(tuple(sorted(source.problems, key=lambda p: (p.line, p.column))))
