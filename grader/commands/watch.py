"""`grader check --watch`: grade what a save changed, and show one exercise at a time."""

from __future__ import annotations

import os
import select as selecting
import shutil
import sys
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.begin import Begun
from grader.course import Course
from grader.engine import Engine, Options
from grader.explanations import ExplanationError, Explanations, load_explanations
from grader.language import _
from grader.misconceptions import MisconceptionError
from grader.prerequisites import with_prerequisites
from grader.report.cleaning import refusal
from grader.report.content import Report, report_on
from grader.scope import Scope
from grader.submission import Submission, SubmissionError, read_submission
from grader.watching.changes import Affected, affected
from grader.watching.keys import Keys
from grader.watching.progress import Progress, View
from grader.watching.saves import Saves, settled
from grader.watching.screen import CLEAR, Screen

EXIT_MISSING = 1


def run(
    course: Course,
    place: Path,
    slugs: tuple[str, ...],
    options: Options,
    begun: Begun | None = None,
) -> int:
    """Watches the submission at `place` until `q`. Returns the exit code of `check`.

    `slugs`: the exercises to look at; none for all. `begun`: the process tree, if it is under way.
    """
    order = slugs or tuple(course.rubric.exercises)
    wake_out, wake_in = os.pipe()
    for fd in (wake_out, wake_in):
        os.set_blocking(fd, False)
    try:
        with (
            Engine(course, options, begun) as engine,
            Keys(sys.stdin.fileno(), lambda: _tell(wake_in, b"w")) as keys,
            Saves(place, wake_in),
        ):
            watch = _Watch(course, engine, place, keys, Progress(order), _explanations(course))
            return watch.until_quit(wake_out)
    finally:
        os.close(wake_out)
        os.close(wake_in)


@dataclass
class _Watch:
    """The loop, and what it knows."""

    course: Course
    engine: Engine
    place: Path
    keys: Keys
    progress: Progress
    explanations: Explanations | None
    _known: Submission | None = None
    _entries: dict[str, str] = field(default_factory=dict)
    _shown: str = ""
    _pending: deque[str] = field(default_factory=deque)
    """Exercises that a save may have changed and that are still to be graded again."""

    def until_quit(self, wake: int) -> int:
        self._say(_("Grading everything once ..."))
        self._grade_all()
        self._show()
        while True:
            fds = [wake, *([self.keys.fd] if self.keys.fd is not None else [])]
            ready = selecting.select(fds, [], [], 0 if self._pending else None)[0]
            if wake in ready:
                told = os.read(wake, 1 << 12)
                self._after_wake(told)
            if self.keys.fd is not None and self.keys.fd in ready and not self._after_keys():
                break
            if not ready and self._pending:
                self._grade_pending()
        complete = self.progress.done == len(self.progress.order)
        return 0 if complete else EXIT_MISSING

    # ---- events --------------------------------------------------------------------------

    def _after_wake(self, told: bytes) -> None:
        if b"s" in told:
            self._after_save()
        else:
            self._show(again=True)

    def _after_keys(self) -> bool:
        """Whether to go on."""
        typed = self.keys.read()
        if not typed or "q" in typed:
            return False
        for key in typed:
            if key == "n":
                self.progress = self.progress.next()
            elif key == "h":
                self.progress = self.progress.hinted()
            elif key == "l":
                self.progress = self.progress.listed()
            elif key == "a":
                self._pending.clear()
                self._grade_all()
                self.progress = replace(self.progress, view=View.ALL)
            elif self.progress.view is not View.EXERCISE:
                self.progress = replace(self.progress, view=View.EXERCISE)
        self._show()
        return True

    def _after_save(self) -> None:
        try:
            found = self._read()
        except SubmissionError as error:
            self._known = None
            self._say(refusal(str(error)))
            return
        if self._known is not None and found.files == self._known.files:
            return
        if self._known is None:
            self._known = found
            self._grade_all()
            self._show()
            return
        changed = affected(self._known.files, found.files, self._entries, self.course.rubric)
        self._known = found
        self._after_change(changed)

    def _after_change(self, changed: Affected) -> None:
        first = [slug for slug in changed.changed if slug in self.progress.order]
        rest = [slug for slug in changed.reached if slug in self.progress.order]
        rest += [slug for slug in self._pending if slug not in {*first, *rest}]
        front = self.progress.after(first, rest)
        if front in {*first, *rest}:
            self._grade([front])
        self.progress = self.progress.in_front(front)
        self._pending = deque(slug for slug in (*first, *rest) if slug != front)
        self._show()

    # ---- grading -------------------------------------------------------------------------

    def _read(self) -> Submission:
        if self._known is None:
            return read_submission(self.place, self.place.name)
        return settled(self.place, self.place.name, self._known)

    def _grade_all(self) -> None:
        try:
            self._known = self._read()
        except SubmissionError as error:
            self._known = None
            self.progress = replace(self.progress, note=refusal(str(error)))
            return
        order = self.progress.order
        report = self._graded(self._known, order, order)
        reports = {slug: _only(report, slug) for slug in order}
        progress = replace(self.progress.with_reports(reports), whole=report)
        self.progress = progress if progress.current else progress.next()

    def _grade_pending(self) -> None:
        before = self.progress.done
        self._grade([self._pending.popleft()])
        if self.keys.fd is not None or (not self._pending and before != self.progress.done):
            self._show()

    def _grade(self, slugs: Iterable[str]) -> None:
        """Grade these again, with what they need and is not known to be right."""
        if self._known is None:
            return
        wanted = tuple(slugs)
        needed = with_prerequisites(self.course.rubric, wanted)
        only = [slug for slug in needed if slug in wanted or not self.progress.is_done(slug)]
        report = self._graded(self._known, only, wanted)
        self.progress = self.progress.with_reports({s: _only(report, s) for s in wanted})

    def _graded(
        self, submission: Submission, only: Iterable[str], wanted: tuple[str, ...]
    ) -> Report:
        result = next(iter(self.engine.grade([submission], {submission.id: Scope(tuple(only))})))
        self._entries = {**self._entries, **result.entries}
        return report_on(result, self.course.rubric, wanted)

    # ---- the screen ----------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self.progress = replace(self.progress, note=text)
        self._show()

    def _show(self, again: bool = False) -> None:
        """Draws what there is to see, unless that stands there already."""
        is_terminal = sys.stdout.isatty()
        screen = Screen(
            width=shutil.get_terminal_size((80, 24)).columns,
            encoding=sys.stdout.encoding or "utf-8",
            colour=is_terminal and "NO_COLOR" not in os.environ,
            has_keys=self.keys.fd is not None,
            cwd=Path.cwd(),
            explanations=self.explanations,
        )
        page = screen.page(self.progress)
        if page != self._shown or (is_terminal and again):
            sys.stdout.write(f"{CLEAR}{page}" if is_terminal else f"{page}\n")
            sys.stdout.flush()
        self._shown = page


def _only(report: Report, slug: str) -> Report:
    """The same report, of one exercise."""
    part = next(one for one in report.exercises if one.exercise.slug == slug)
    grade = replace(report.grade, exercises=(part.grade,))
    return replace(report, exercises=(part,), grade=grade, written=())


def _explanations(course: Course) -> Explanations | None:
    try:
        return load_explanations(course.root, course.rubric)
    except (ExplanationError, MisconceptionError):
        return None


def _tell(fd: int, word: bytes) -> None:
    with suppress(BlockingIOError):
        os.write(fd, word)
