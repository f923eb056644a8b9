"""Grade one submission and report to the system around: the work of `grader ci`."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath

import click

from grader.cli.faults import in_words
from grader.cli.one_submission import exit_code, slugs_in
from grader.cli.open_engine import OpenEngine
from grader.cli.report_files import clear, write
from grader.course.course import course_here, select
from grader.engine.engine import Engine, Options
from grader.engine.lanes import cores
from grader.engine.process_tree import TorchMissing, begin
from grader.export.ci import github
from grader.export.ci.annotations import to_mend
from grader.export.ci.outputs import (
    HOLDS_THE_MARK,
    SUMMARY,
    Surroundings,
    is_known,
    names,
    not_checked,
    of_report,
    unreadable,
)
from grader.export.ci.systems import FOLDERS, System, recognised
from grader.export.ci.verdict import EXIT_NOT_GRADED, verdict
from grader.report.cleaning import refusal
from grader.report.content import Report, report_on
from grader.report.formats import renderer
from grader.report.fragments import block
from grader.submission.archive import is_archive
from grader.submission.file_choice import seem_untouched
from grader.submission.submission import SubmissionError, read_submission
from grader.text.language import _, speak_of
from grader.text.points import decimal
from grader.text.typed import here


@dataclass(frozen=True)
class CiRequest:
    """The command line of `grader ci`, and the surroundings that it finds."""

    path: Path | None = None
    system: str | None = None
    out: Path | None = None
    only: tuple[str, ...] = ()
    spawn: bool = False
    isolation: str | None = None
    course_folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    open_engine: OpenEngine | None = None

    @property
    def target(self) -> System:
        """Return the system that is named, or that is recognised."""
        return System(self.system) if self.system else recognised(self.environment)

    @property
    def submission(self) -> Path:
        return self.path or FOLDERS[self.target].submission

    @property
    def reports(self) -> Path:
        return self.out or FOLDERS[self.target].reports


@dataclass(frozen=True)
class CiEnding:
    """The way in which grading ended: with a report, or with a reason why there is none."""

    code: int
    report: Report | None = None
    reason: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def run(request: CiRequest) -> int:
    """Grade, write the reports, say what came of it, and return the exit code."""
    system = request.target
    with _silence(request):
        clear((request.reports / name for name in names(system)), _folder(request.submission))
        # The first thing there is: whatever ends this process, the file says the truth.
        _write(request, not_checked(system))
        ending = _graded(request)
        if ending.report is not None:
            click.echo(renderer("text")(ending.report).encode(), nl=False)
        else:
            click.echo(ending.reason, err=True)
        _write(request, ending.files)
    if system is System.GITHUB:
        _tell_github(request, ending)
    return _code(system, ending)


@contextlib.contextmanager
def _silence(request: CiRequest) -> Iterator[None]:
    """Keep what is printed, and what student code does, from the runner of GitHub Actions."""
    if request.target not in (System.GITHUB, System.CLASSROOM50):
        yield
        return
    with github.files_kept(request.environment), github.silenced(secrets.token_hex(32)):
        yield


def _graded(request: CiRequest) -> CiEnding:
    """Return how grading ended; a mistake in the submission or the course is no exception."""
    try:
        with in_words():
            return _report(request)
    except click.ClickException as error:
        return CiEnding(EXIT_NOT_GRADED, reason=error.message, files=_refused(request, error))


def _refused(request: CiRequest, error: click.ClickException) -> Mapping[str, str]:
    """Return the files for a submission that cannot be read, if that is its own fault."""
    cause = error.__cause__
    ours = not isinstance(cause, SubmissionError) or isinstance(cause.__cause__, OSError)
    return {} if ours else unreadable(request.target, refusal(str(cause)))


def _report(request: CiRequest) -> CiEnding:
    course = course_here(request.course_folder, _folder(request.submission))
    speak_of(course.root)
    slugs = select(course.rubric, request.only)
    place = request.submission.absolute()
    target = place if place.is_symlink() else place.resolve()
    submission = read_submission(target, target.name)
    slugs = slugs or slugs_in(submission, target, course)
    options = Options(
        spawn=request.spawn,
        only=slugs,
        isolation=request.isolation,
        untouched=frozenset(seem_untouched(submission.files, course.rubric)),
        counterexamples=True,
        hurry=cores() > 1,
    )
    with (request.open_engine or _engine(request.spawn))(course, options) as grader:
        graded = next(iter(grader.grade([submission])))
    report = replace(report_on(graded, course.rubric, slugs), typed=here(request.course_folder))
    around = Surroundings(
        request.target, datetime.now(UTC), request.environment, _in_repository(request, target)
    )
    return CiEnding(exit_code(report), report, files=of_report(report, around))


def _engine(spawn: bool) -> OpenEngine:
    try:
        return partial(Engine, begun=begin(spawn=spawn))
    except TorchMissing as error:
        raise click.ClickException(str(error)) from None


def _folder(path: Path) -> Path | None:
    """Return the folder that a submission lies in; None for an archive, or if nothing is there."""
    if is_archive(path.name):
        return None
    return path if path.is_dir() else path.parent if path.exists() else None


def _in_repository(request: CiRequest, target: Path) -> PurePosixPath | None:
    """Return the submission's folder as a path from the root of the repository that it is in."""
    folder = _folder(target)
    if folder is None:
        return None
    root = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    named = request.environment.get(github.WORKSPACE) or request.environment.get("CI_PROJECT_DIR")
    root = root or Path(named or Path.cwd()).resolve()
    return PurePosixPath(folder.relative_to(root)) if folder.is_relative_to(root) else None


def _write(request: CiRequest, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        write(request.reports / name, text)


def _tell_github(request: CiRequest, ending: CiEnding) -> None:
    first = verdict(ending.code, ending.report, ending.reason)
    report, environment = ending.report, request.environment
    every = () if report is None else to_mend(report, _in_repository(request, _target(request)))
    for line in github.commands((first, *every)):
        click.echo(line)
    text = ending.files.get(SUMMARY) or f"{block([f'{first.title}: {first.message}'])}\n"
    if not github.append(environment, github.SUMMARY, text):
        short = _("The report is too long to be shown here: it is in {file}.", file=SUMMARY)
        github.append(environment, github.SUMMARY, f"{first.title}. {short}\n")
    lines = {"code": str(ending.code)}
    if report is not None:
        lines |= {
            "points": decimal(report.points),
            "max_points": decimal(report.grade.max_points),
        }
    pairs = "".join(f"{name}={value}\n" for name, value in lines.items())
    github.append(environment, github.OUTPUT, pairs)


def _target(request: CiRequest) -> Path:
    return request.submission.resolve()


def _code(system: System, ending: CiEnding) -> int:
    """Return 0 where a file holds the mark, whatever it is: else the system reports a failure."""
    holds = ending.report is not None and is_known(ending.report)
    refused = ending.report is None and bool(ending.files)
    return 0 if system in HOLDS_THE_MARK and (holds or refused) else ending.code
