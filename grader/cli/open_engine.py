"""The type of what opens an engine for a command: the engine itself, or a test's own."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from grader.course.course import Course
from grader.engine.engine import Options, Tell
from grader.report.content import Grader

OpenEngine = Callable[[Course, Options], AbstractContextManager[Grader]]
Opener = Callable[[Tell | None], OpenEngine]
"""Takes what shows news of grading, and returns what opens an engine that tells them."""
