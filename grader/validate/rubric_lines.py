"""Place gaps in rubric.yaml that show only once something was graded."""

from __future__ import annotations

from ..course.course import Course
from ..course.rubric_place import RUBRIC_FILE, place_of
from .gap import Gap


def rubric_gap(course: Course, trail: tuple[str | int, ...], message: str, next: str) -> Gap:
    """Return a gap at the place of the trail, or at the last step of it that is there."""
    text = (course.root / RUBRIC_FILE).read_text(encoding="utf-8")
    return Gap(RUBRIC_FILE, place_of(text, trail)[0], message, next)
