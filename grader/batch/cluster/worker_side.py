"""Keep a course and warm judges in a worker of a Dask cluster, and grade what is sent there.

A worker is the parent of a process tree of its own, as the command line is on one machine.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from threading import Lock

from distributed import Worker, WorkerPlugin, get_worker

from grader.batch.cluster.course_files import CourseFiles
from grader.course.course import find_course
from grader.engine.engine import Engine, EngineError, Options
from grader.engine.result import Result
from grader.store.conditions import Conditions, conditions_of
from grader.submission.submission import Submission
from grader.text.language import _, use_language


@dataclass(frozen=True)
class ClusterOrder:
    """All that a worker knows before the first submission."""

    files: CourseFiles
    options: Options
    conditions: Conditions
    """Those under which whoever sends submissions keeps the results."""

    @property
    def name(self) -> str:
        """Return a name that is the same for the same course, graded in the same way."""
        return f"grader-{self.files.digest[:32]}-{self.conditions.digest[:16]}"


class WarmJudges(WorkerPlugin):
    """The engines of one worker: as many as it grades at a time, each with a judge."""

    idempotent = True

    def __init__(self, order: ClusterOrder) -> None:
        self.name = order.name
        self._order = order
        self._lock: Lock | None = None

    def setup(self, worker: Worker) -> None:
        """Write the course down, and look whether results from here can be taken for the same."""
        order = self._order
        self._lock, self._idle, self._open = Lock(), list[Engine](), list[Engine]()
        self._folder = Path(tempfile.mkdtemp(prefix="course-", dir=worker.local_directory))
        # The object may stay as long as the worker: the files are on disk from here on.
        self._order = replace(order, files=CourseFiles({}))
        order.files.unpack(self._folder)
        use_language(order.conditions.language)
        self._course = find_course(self._folder)
        exercises = order.conditions.exercises.split()
        here = conditions_of(self._course, exercises, order.conditions.isolation)
        self._problem = _difference(order.conditions, here)

    def teardown(self, worker: Worker) -> None:
        """End the engines, and take the course from the disk."""
        del worker
        for engine in self._open:
            engine.__exit__(None, None, None)
        shutil.rmtree(self._folder, ignore_errors=True)

    def grade(self, submission: Submission) -> Result:
        """Return the result of a submission, without its files. Raises EngineError."""
        if self._problem:
            raise EngineError(self._problem)
        with self._engine() as engine:
            results = tuple(engine.grade([submission]))
        if not results:
            raise EngineError(_("grading ended without a result"))
        bare = Submission(submission.id, {}, submission.digest, submission.path)
        return replace(results[-1], submission=bare)

    @contextmanager
    def _engine(self) -> Iterator[Engine]:
        """Lend an engine to one thread; one in which something went wrong is ended."""
        assert self._lock is not None
        with self._lock:
            engine = self._idle.pop() if self._idle else None
        if engine is None:
            engine = Engine(self._course, self._order.options)
            engine.__enter__()
            with self._lock:
                self._open.append(engine)
        try:
            yield engine
        except BaseException:
            with self._lock:
                self._open.remove(engine)
            engine.__exit__(None, None, None)
            raise
        with self._lock:
            self._idle.append(engine)

    def __getstate__(self) -> dict[str, object]:
        return {"name": self.name, "_order": self._order, "_lock": None}


def grade_here(name: str, submission: Submission) -> Result:
    """Grade a submission in this worker, as the plugin of that name is to. Raises EngineError."""
    worker = get_worker()
    plugin = worker.plugins.get(name)
    if not isinstance(plugin, WarmJudges):
        raise EngineError(
            _("{worker} does not have the course any more", worker=str(worker.address))
        )
    try:
        return plugin.grade(submission)
    except EngineError as error:
        raise EngineError(f"{worker.address}: {error}") from None


def _difference(wanted: Conditions, here: Conditions) -> str:
    """Return a sentence if results from here would count as others, else nothing."""
    for field in fields(Conditions):
        one, other = getattr(wanted, field.name), getattr(here, field.name)
        if one != other:
            return _(
                "this worker has another {what} ({other}, and not {one}), so that its results "
                "would not be the same. Install the same versions there.",
                what=field.name,
                one=one,
                other=other,
            )
    return ""
