"""`grader check --watch`: grade what a save changed, and show one exercise at a time."""

from __future__ import annotations

import os
import select as selecting
import shutil
import sys
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.cli.commands.check.watch_request import WatchRequest
from grader.course.course import Course
from grader.course.explanations import ExplanationError, Explanations, load_explanations
from grader.course.misconceptions import MisconceptionError
from grader.course.prerequisites import with_prerequisites
from grader.course.scope import Scope
from grader.engine.engine import Engine, Options
from grader.engine.process_tree import ProcessTree
from grader.report.cleaning import refusal
from grader.report.content import Report, report_on
from grader.report.tries import known_by_now
from grader.submission.submission import Submission, SubmissionError, read_submission
from grader.text.language import _
from grader.text.news import News
from grader.watching.changes import Affected, affected
from grader.watching.keys import Keys
from grader.watching.progress import Progress, View
from grader.watching.saves import Saves, settled
from grader.watching.screen import CLEAR, Screen

EXIT_MISSING = 1
QUIET_S = 0.3
"""Work shorter than this is not announced: a line that comes and goes is in the way."""


def run(request: WatchRequest, options: Options, begun: ProcessTree | None = None) -> int:
    """Watch a submission until `q` is typed, and return the exit code of `check`.

    `begun` is the process tree, if its start is under way.
    """
    order = request.slugs or tuple(request.course.rubric.exercises)
    wake_out, wake_in = os.pipe()
    for fd in (wake_out, wake_in):
        os.set_blocking(fd, False)
    try:
        with (
            Engine(request.course, options, begun, lambda news: watch.hear(news)) as engine,
            Keys(sys.stdin.fileno(), lambda: _signal(wake_in, b"w")) as keys,
            Saves(request.path, wake_in),
        ):
            progress = Progress(order, about=request.remark)
            watch = _Watch(request, engine, keys, progress, _explanations(request.course))
            return watch.until_quit(wake_out)
    finally:
        os.close(wake_out)
        os.close(wake_in)


@dataclass
class _Watch:
    """The loop of `--watch` and its state."""

    request: WatchRequest
    engine: Engine
    keys: Keys
    progress: Progress
    explanations: Explanations | None
    _known: Submission | None = None
    _entries: dict[str, str] = field(default_factory=dict)
    _shown: str = ""
    _pending: deque[str] = field(default_factory=deque)
    """Exercises that a save may have changed and that are still to be graded again."""
    _news: str = ""
    _since: float = 0.0
    """`_news` is the work being done; `_since` is the time when grading began."""

    def until_quit(self, wake: int) -> int:
        self._say(_("Grading everything once ..."))
        self._grade_all()
        self._show()
        while True:
            fds = [wake, *([self.keys.fd] if self.keys.fd is not None else [])]
            ready = selecting.select(fds, [], [], 0 if self._pending else None)[0]
            if wake in ready:
                wakes = os.read(wake, 1 << 12)
                self._after_wake(wakes)
            if self.keys.fd is not None and self.keys.fd in ready and not self._after_keys():
                break
            if not ready and self._pending:
                self._grade_pending()
        complete = self.progress.done == len(self.progress.order)
        return 0 if complete else EXIT_MISSING

    # ---- events --------------------------------------------------------------------------

    def _after_wake(self, wakes: bytes) -> None:
        if b"s" in wakes:
            self._after_save()
        else:
            self._show(again=True)

    def _after_keys(self) -> bool:
        """Act on the keys that were typed; return False to quit."""
        typed = self.keys.read()
        if not typed or "q" in typed:
            return False
        for key in typed:
            if key == "m":
                self.progress = self.progress.more()
                continue
            self.progress = replace(self.progress, turned=0)
            if key == "n":
                self.progress = self.progress.next()
            elif key == "h":
                self.progress = self.progress.hinted()
            elif key == "c":
                self.progress = self.progress.with_causes()
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
            submission = self._read()
        except SubmissionError as error:
            self._known = None
            self._say(refusal(str(error)))
            return
        if self._known is not None and submission.files == self._known.files:
            return
        if self._known is None:
            self._known = submission
            self._grade_all()
            self._show()
            return
        changed = affected(
            self._known.files, submission.files, self._entries, self.request.course.rubric
        )
        self._known = submission
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
            return read_submission(self.request.path, self.request.path.name)
        return settled(self.request.path, self.request.path.name, self._known)

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
        """Grade these exercises again, with those prerequisites that are not known to be right."""
        if self._known is None:
            return
        requested = tuple(slugs)
        needed = with_prerequisites(self.request.course.rubric, requested)
        only = [slug for slug in needed if slug in requested or not self.progress.is_done(slug)]
        report = self._graded(self._known, only, requested)
        self.progress = self.progress.with_reports({s: _only(report, s) for s in requested})

    def _graded(
        self, submission: Submission, only: Iterable[str], requested: tuple[str, ...]
    ) -> Report:
        self._news = str(News()) if not self.engine.checks else _("grading ...")
        self._since = time.monotonic()
        result = next(iter(self.engine.grade([submission], {submission.id: Scope(tuple(only))})))
        self.progress = replace(self.progress, busy="")
        self._entries = {**self._entries, **result.entries}
        report = report_on(result, self.request.course.rubric, requested)
        has_hints = self.explanations is not None
        report = replace(report, typed=self.request.typed, has_hints=has_hints)
        feedback = self.request.course.rubric.feedback
        return known_by_now(report, feedback, on_request=self.request.causes)

    def hear(self, news: News | None) -> None:
        """Show the news of the work being done, once it has taken longer than QUIET_S."""
        self._news = str(news) if news is not None else self._news
        if self.progress.busy == self._news or not sys.stdout.isatty():
            return
        if time.monotonic() - self._since > QUIET_S:
            self.progress = replace(self.progress, busy=self._news)
            self._show()

    # ---- the screen ----------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self.progress = replace(self.progress, note=text)
        self._show()

    def _show(self, again: bool = False) -> None:
        """Draw the page, unless it is on the screen already."""
        is_terminal = sys.stdout.isatty()
        size = shutil.get_terminal_size((80, 24))
        screen = Screen(
            width=size.columns,
            rows=size.lines if is_terminal else None,
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
    """Return the report reduced to one exercise."""
    part = next(one for one in report.exercises if one.exercise.slug == slug)
    grade = replace(report.grade, exercises=(part.grade,))
    return replace(report, exercises=(part,), grade=grade, written=())


def _explanations(course: Course) -> Explanations | None:
    try:
        return load_explanations(course.root, course.rubric)
    except (ExplanationError, MisconceptionError):
        return None


def _signal(fd: int, word: bytes) -> None:
    with suppress(BlockingIOError):
        os.write(fd, word)
