"""Words for criteria whose checks are not in this copy of the course.

A student's copy has no hidden suites. What is missing there is no fault of anybody's, and it is
not known either: it is neither earned nor lost.
"""

from __future__ import annotations

from grader.language import _
from grader.report.points import shown
from grader.score import ExerciseGrade, Grade


def later(grade: ExerciseGrade) -> str:
    """The criteria of an exercise that are for later; empty if there are none."""
    waiting = [one for one in grade.criteria if one.elsewhere]
    if not waiting:
        return ""
    told = ", ".join(f"{one.criterion} {shown(one.max_points)}" for one in waiting)
    return _("checked after you hand in: {criteria}", criteria=told)


def later_in_all(grade: Grade) -> str:
    """The same for everything, in points."""
    return _("{points} points are checked after you hand in", points=shown(grade.later_points))
