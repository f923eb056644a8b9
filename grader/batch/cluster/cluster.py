"""Send submissions to a Dask cluster, and take in results as they come.

What a worker had when it died is dealt to another one by the cluster's scheduler. No more is sent
than the cluster can soon begin, so that a class of any size needs the same memory.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grader.batch.cluster.course_files import files_of_course
from grader.course.course import Course
from grader.engine.engine import EngineError, Options
from grader.engine.result import Result
from grader.sealed.opening import key_of
from grader.store.conditions import conditions_of
from grader.submission.submission import Submission
from grader.text.language import _

if TYPE_CHECKING:
    from distributed import Client, Future

_ADDRESS = re.compile(r"dask(\+tls)?://([^/\s]+:[0-9]{1,5})")
CONNECT_S = 10.0
LOOK_S = 5.0
"""After so long without a result it is looked whether there is any worker left."""
NOBODY_S = 120.0
"""So long a cluster may be without any worker before the batch is given up."""
AHEAD = 2
"""So many submissions are sent for each one that can be graded at a time."""


@dataclass
class ClusterGrader:
    """The side of whoever has the class; made by `cluster_grader`."""

    client: Client
    name: str
    """The name under which workers keep the course."""
    task: Callable[[str, Submission], Result]

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Result]:
        """Yield a result for each submission, in the order in which they get finished.

        There is none for one over which workers died again and again.

        Raises EngineError if the cluster cannot go on.
        """
        waiting = iter(submissions)
        running: dict[Future[Any], Submission] = {}
        while True:
            with _in_words():
                room = AHEAD * max(1, sum(self.client.nthreads().values())) - len(running)
            for _place in range(room):
                submission = next(waiting, None)
                if submission is None:
                    break
                with _in_words():
                    sent = self.client.submit(self.task, self.name, submission, pure=False)
                running[sent] = submission
            if not running:
                return
            for future in self._await(running):
                yield from _result(future, running.pop(future))

    def _await(self, running: Iterable[Future[Any]]) -> list[Future[Any]]:
        """Return the futures that have ended, at least one. Raises EngineError."""
        from distributed import wait

        nobody_since: float | None = None
        while True:
            with _in_words(), suppress(TimeoutError), self.client.as_current():
                ended = wait(list(running), timeout=LOOK_S, return_when="FIRST_COMPLETED")
                return list(ended.done)
            with _in_words():
                workers = self.client.nthreads()
            if workers:
                nobody_since = None
                continue
            nobody_since = nobody_since or time.monotonic()
            if time.monotonic() - nobody_since > NOBODY_S:
                raise EngineError(
                    _(
                        "the cluster has had no worker for {count} seconds. Start some, and give "
                        "the same command again: what is graded is kept.",
                        count=int(NOBODY_S),
                    )
                )


@contextmanager
def cluster_grader(address: str, course: Course, options: Options) -> Iterator[ClusterGrader]:
    """Connect to the cluster at an address such as `dask://HOST:8786`, and send it the course.

    A course that its workers have already, by its content, is not sent again.

    Raises EngineError.
    """
    place = _place(address)
    if key_of(course.root):
        raise EngineError(
            _("a sealed course is opened on this machine only: grade without --cluster")
        )
    try:
        from distributed import Client

        from .worker_side import ClusterOrder, WarmJudges, grade_here
    except ImportError:
        raise EngineError(
            _(
                "--cluster needs the package distributed. Install it: {command}",
                command="pip install 'distributed>=2025.1'",
            )
        ) from None
    conditions = conditions_of(course, options.only, options.isolation or "")
    order = ClusterOrder(files_of_course(course), replace(options, workers=1), conditions)
    with ExitStack() as stack:
        with _in_words(address):
            client = stack.enter_context(Client(place, timeout=CONNECT_S, set_as_default=False))
            known = client.run_on_scheduler(_knows, name=order.name)
            if not known:
                client.register_plugin(WarmJudges(order), name=order.name)
        try:
            yield ClusterGrader(client, order.name, grade_here)
        finally:
            # Where nobody answers any more, there is nobody to forget it.
            with suppress(Exception):
                client.unregister_worker_plugin(order.name)


def _place(address: str) -> str:
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise EngineError(
            _(
                "--cluster {address}: expected the scheduler of a Dask cluster, such as {example}",
                address=address,
                example="dask://HOST:8786",
            )
        )
    return f"{'tls' if match[1] else 'tcp'}://{match[2]}"


def _knows(name: str, dask_scheduler: object = None) -> bool:
    """Tell in the scheduler whether its workers have a plugin of that name."""
    return name in getattr(dask_scheduler, "worker_plugins", {})


def _result(future: Future[Any], submission: Submission) -> Iterator[Result]:
    """Yield what became of a submission, if anything did. Raises EngineError."""
    from distributed.scheduler import KilledWorker

    with _in_words():
        try:
            result = future.result()
        except KilledWorker:
            return
        finally:
            future.release()
    yield replace(result, submission=submission)


@contextmanager
def _in_words(address: str = "") -> Iterator[None]:
    """Raise EngineError where the cluster cannot be reached, or fails in a way of its own."""
    try:
        yield
    except (EngineError, TimeoutError) as error:
        if address:
            raise EngineError(_unreachable(address, error)) from None
        raise
    except Exception as error:
        if address:
            raise EngineError(_unreachable(address, error)) from None
        raise EngineError(
            _(
                "the cluster failed: {why}. Give the same command again: what is graded is kept.",
                why=f"{type(error).__name__} {error}".strip(),
            )
        ) from error


def _unreachable(address: str, error: Exception) -> str:
    why = f"{type(error).__name__} {error}".strip()
    return _(
        "{address}: the cluster cannot be used ({why}). Look whether its scheduler runs, whether "
        "this machine reaches it, and whether the grader is installed there.",
        address=address,
        why=why,
    )
