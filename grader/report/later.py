"""Words for criteria whose checks are not in this copy of the course.

A student's copy has no hidden suites. Points for these are neither earned nor lost: nobody is at
fault, and nobody knows yet.
"""

from __future__ import annotations

from grader.grade.score import ExerciseGrade, Grade
from grader.text.language import _
from grader.text.points import shown


def later(grade: ExerciseGrade) -> str:
    """List the criteria of an exercise that are checked later; return "" if there are none."""
    waiting = [one for one in grade.criteria if one.elsewhere]
    if not waiting:
        return ""
    criteria = ", ".join(f"{one.criterion} {shown(one.max_points)}" for one in waiting)
    return _("checked after you hand in: {criteria}", criteria=criteria)


def later_in_all(grade: Grade) -> str:
    """Say how many points of the whole submission are checked later."""
    return _("{points} points are checked after you hand in", points=shown(grade.later_points))
