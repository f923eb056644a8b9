"""Choose what to teach again, for one page that a lecture can show: it names no student."""

from __future__ import annotations

from dataclasses import dataclass

from grader.class_report.data.class_data import ClassData
from grader.class_report.data.mistakes import mistakes_of
from grader.class_report.sections.misconceptions import CARDS, Lesson, of_class, sentence


@dataclass(frozen=True)
class TaughtAgain:
    """A mistake that several students made, and what to say about it."""

    sentence: str
    students: int
    share: float
    """Of the students with a result, from 0 to 1."""
    why: str
    """A sentence on why it is wrong; empty if the course has none."""
    equation: str


@dataclass(frozen=True)
class LecturePage:
    """The page for a lecture."""

    course: str
    students: int
    """The number of students with a result."""
    points: tuple[TaughtAgain, ...]


def lecture_of(data: ClassData, lesson: Lesson) -> LecturePage:
    """Return the mistakes that more than one student made, the most frequent first."""
    frequent = [one for one in mistakes_of(data).known if len(one.rows) > 1] if data.graded else []
    points = []
    for one in frequent[:CARDS]:
        why, equation = lesson(one.cause)
        share = of_class(data, one).share or 0.0
        words = sentence(data, one.cause)
        points.append(TaughtAgain(words, len(one.rows), share, why, equation))
    return LecturePage(data.course, len(data.graded), tuple(points))
