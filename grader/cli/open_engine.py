"""The type of what opens an engine for a command: the engine itself, or a test's own."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from grader.course.course import Course
from grader.engine.engine import Options
from grader.report.content import Grader

OpenEngine = Callable[[Course, Options], AbstractContextManager[Grader]]
