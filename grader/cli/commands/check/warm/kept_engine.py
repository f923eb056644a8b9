"""Keep one engine open between checks, as long as neither the course nor its isolation changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grader.cli.open_engine import OpenEngine
from grader.course.course import Course
from grader.course.paths import CoursePaths
from grader.course.rubric_place import RUBRIC_FILE
from grader.course.scope import Scope
from grader.engine.engine import Engine, Options, Tell
from grader.engine.process_tree import ProcessTree
from grader.engine.result import Result
from grader.files.state import state_of
from grader.submission.submission import Submission
from grader.text.news import News

Key = tuple[Path, bool, str | None, str]


class ClientGone(BaseException):
    """Nobody waits for the answer any more."""


@dataclass
class KeptEngine:
    """An engine that outlives the check that opened it."""

    begun: ProcessTree | None
    """A process tree for the first engine."""
    _engine: Engine | None = None
    _key: Key | None = None

    def opener(self, tell: Tell) -> OpenEngine:
        """Return what lends the engine to one check, whose news go to `tell`."""
        return partial(self._opened, tell)

    def close(self) -> None:
        """End the engine, or the process tree that no engine has taken."""
        if self._engine is not None:
            self._engine.__exit__(None, None, None)
        elif self.begun is not None:
            self.begun.close()
        self._engine = self.begun = self._key = None

    @contextmanager
    def _opened(self, tell: Tell, course: Course, options: Options) -> Iterator[_Lent]:
        key = (course.root, options.spawn, options.isolation, _state(course))
        if key != self._key and self._engine is not None:
            self.close()
        try:
            if self._engine is None:
                self._engine = _open(course, options, self.begun)
                self._key = key
            self._engine.tell = tell
            yield _Lent(self._engine, Scope(options.only))
        except BaseException:
            self.close()
            raise
        if not course.root.is_dir():  # a sealed course is open no longer than it has to be
            self.close()


@dataclass(frozen=True)
class _Lent:
    """The kept engine, as an engine of the exercises that one check asks for."""

    engine: Engine
    scope: Scope

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Result]:
        """Yield one result per submission."""
        some = list(submissions)
        return self.engine.grade(some, {one.id: self.scope for one in some})


def _open(course: Course, options: Options, begun: ProcessTree | None) -> Engine:
    """Open an engine for all exercises: the next check may ask for others."""

    def nothing(_news: News | None) -> None: ...

    options = replace(options, only=(), untouched=frozenset())
    return Engine(course, options, begun, nothing).__enter__()


def _state(course: Course) -> str:
    paths = CoursePaths(course.root)
    return state_of(paths.root / RUBRIC_FILE, paths.reference, paths.suites)
