"""Say whether a course can be read here: a folder, or a sealed file with its key."""

from __future__ import annotations

from pathlib import Path

from grader.cli.commands.doctor.machine import Requirement
from grader.course.course import CourseError, find_course
from grader.course.rubric import RubricError
from grader.report.cleaning import one_line
from grader.sealed.memory_path import opened_file


def course(place: Path) -> Requirement:
    """Open the course at a place, as grading would."""
    try:
        course = find_course(place)
    except (CourseError, RubricError) as error:
        return Requirement("course", "cannot be read", one_line(str(error)))
    count = f"{len(course.rubric.exercises)} exercises"
    opened = opened_file(course.root)
    if opened is None:
        return Requirement("course", f"{count} in the folder {course.root}")
    until = opened.course.expires.isoformat()
    return Requirement("course", f"{count}, sealed, to be used until {until} (UTC): {opened.place}")
