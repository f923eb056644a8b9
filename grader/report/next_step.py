"""The one thing to do next, for the last line of a report."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from grader.evidence import Observation, Outcome, Where
from grader.language import _, joined
from grader.report.content import LOST, ExerciseReport, Report
from grader.report.sources import sources
from grader.written.ask import ANSWERS_FILE


def next_step(report: Report, cwd: Path) -> str:
    """What to open, as a path from `cwd` with its line, and why."""
    if report.grade.complete:
        return _answer_in_words(report, cwd) or _("nothing to do here: every check passed.")
    return (
        _mend_loading(report, cwd)
        or _mend_first_failure(report, cwd)
        or _start_first_untouched(report, cwd)
        or _name_prerequisite(report)
        or _wait(report)
        or _("grader doctor (some checks could not run; that is not your mistake)")
    )


def explainable(report: Report) -> str | None:
    """The cause of the first failure that has one, by the name that `grader explain` knows."""
    for exercise in report.exercises:
        for seen in exercise.with_outcome(*LOST):
            if seen.cause is not None:
                return seen.cause.id
    return None


def located(report: Report, where: Where, cwd: Path) -> Where:
    """`where` with its file as a path from `cwd`."""
    submission = Path(report.submission.path)
    path = submission if submission.name == where.file else submission / where.file
    return replace(where, file=from_here(path, cwd))


def from_here(path: Path, cwd: Path) -> str:
    """`path` as it is written from `cwd`, if it lies below."""
    path = path if path.is_absolute() else cwd / path
    return (path.relative_to(cwd) if path.is_relative_to(cwd) else path).as_posix()


def _answer_in_words(report: Report, cwd: Path) -> str | None:
    empty = next((answer.item for answer in report.written if not answer.text), None)
    if empty is None:
        return None
    file = report.entries.get(empty.assignment, "")
    if file.lower().endswith(".ipynb"):
        place = str(located(report, Where(file), cwd))
    else:
        folder = Path(report.submission.path)
        is_file = folder.suffix.lower() in (".py", ".ipynb")
        place = from_here((folder.parent if is_file else folder) / ANSWERS_FILE, cwd)
    return _(
        "open {place} ({exercise}, in your words); every check passed.",
        place=place,
        exercise=empty.slug,
    )


def _mend_loading(report: Report, cwd: Path) -> str | None:
    for note in report.notes:
        if note.kind == "problem" and note.where is not None and note.where.line is not None:
            return _("open {place} (the problem above)", place=located(report, note.where, cwd))
    return None


def _mend_first_failure(report: Report, cwd: Path) -> str | None:
    for exercise in report.exercises:
        for seen in exercise.with_outcome(*LOST):
            place = seen.where or _target(report, exercise)
            if place is None:
                return _("mend {what}", what=_about(exercise, seen))
            return _open(located(report, place, cwd), _about(exercise, seen))
    return None


def _about(exercise: ExerciseReport, seen: Observation) -> str:
    return f"{exercise.exercise.slug}, {seen.criterion}"


def _open(place: Where, why: str) -> str:
    return _("open {place} ({why})", place=place, why=why)


def _start_first_untouched(report: Report, cwd: Path) -> str | None:
    for exercise in report.exercises:
        if exercise.with_outcome(Outcome.NOT_ATTEMPTED):
            place = _target(report, exercise)
            if place is None:
                folder = from_here(Path(report.submission.path), cwd)
                text = _("add {file} ({exercise} is in it)")
                if folder != ".":
                    text = _("add {file} to {folder} ({exercise} is in it)")
                name = f"{exercise.exercise.assignment}.py"
                return text.format(file=name, folder=folder, exercise=exercise.exercise.slug)
            return _open(located(report, place, cwd), exercise.exercise.slug)
    return None


def _name_prerequisite(report: Report) -> str | None:
    for exercise in report.exercises:
        for seen in exercise.with_outcome(Outcome.BLOCKED):
            slug, others = exercise.exercise.slug, joined(seen.needs)
            return _("{one} needs {others} to pass first", one=slug, others=others)
    return None


def _wait(report: Report) -> str | None:
    if not report.grade.complete_here:
        return None
    return _("hand it in: every check that is here passed.")


def _target(report: Report, exercise: ExerciseReport) -> Where | None:
    """Where the exercise's first target is defined, or the top of its file."""
    file = report.entries.get(exercise.exercise.assignment)
    if file is None:
        return None
    for target in exercise.exercise.targets:
        # The file is the student's, so it is searched and not parsed: this cannot be made slow.
        pattern = re.compile(rf"^(?:def|class) {re.escape(target)}\b", re.MULTILINE)
        for cell, source in sources(file, report.submission.files[file]):
            found = pattern.search(source)
            if found:
                return Where(file, source.count("\n", 0, found.start()) + 1, cell)
    return Where(file) if file.lower().endswith(".ipynb") else Where(file, 1)
