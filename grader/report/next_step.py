"""Find the one thing to do next, for the last line of a report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from grader.course.question_text import ANSWERS_FILE
from grader.grade.evidence import Observation, Outcome, Where
from grader.report.content import LOST, ExerciseReport, Report
from grader.report.findings import findings
from grader.report.sources import sources
from grader.submission.file_choice import candidates
from grader.text.language import _, joined

# How a line about a file that was skipped begins.
_NAME = re.compile(r".+?\.(?:py|ipynb)\b", re.IGNORECASE)


def next_step(report: Report, cwd: Path) -> str:
    """Return the file to open, as a path from `cwd` with its line, and the reason."""
    if report.grade.complete:
        return _answer_in_words(report, cwd) or _("nothing to do here: every check passed.")
    return (
        _mend_loading(report, cwd)
        or _first_open(report, cwd)
        or _name_prerequisite(report)
        or _wait(report)
        or _(
            "{command} (some checks could not run; that is not your mistake)",
            command=report.typed.command("doctor"),
        )
    )


def explainable(report: Report) -> str | None:
    """Return the name by which `grader explain` knows the first failure shown in full.

    It is that of its cause; without one, that of its criterion: the cause of another failure would
    be read as the cause of this one. None if this copy of the course explains nothing.
    """
    if not report.has_hints:
        return None
    for exercise in report.exercises:
        first = findings(exercise).first
        if first is not None and first.outcome in LOST:
            if first.cause is not None and not first.cause.is_kept_back:
                return first.cause.id
            return f"{first.exercise}/{first.criterion}"
    return None


def located(report: Report, where: Where, cwd: Path) -> Where:
    """Return `where` with its file as a path from `cwd`."""
    submission = Path(report.submission.path)
    path = submission if submission.name == where.file else submission / where.file
    return replace(where, file=from_here(path, cwd))


def from_here(path: Path, cwd: Path) -> str:
    """Return `path` relative to `cwd` if it lies below, else absolute."""
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
            return _open(located(report, note.where, cwd), _("the problem above"))
    return None


def _first_open(report: Report, cwd: Path) -> str | None:
    """Return the step for the first exercise with something wrong or undone in it; None if none.

    If anything is wrong, exercises without a file come last: a student who hands in one assignment
    has not begun the others.
    """
    is_begun = any(exercise.with_outcome(*LOST) for exercise in report.exercises)
    exercises = sorted(
        report.exercises, key=lambda one: is_begun and _handed_in(report, one) is None
    )
    for exercise in exercises:
        wrong, undone = exercise.with_outcome(*LOST), exercise.with_outcome(Outcome.NOT_ATTEMPTED)
        if not wrong and not undone:
            continue
        return (
            _mend_reading(report, exercise, (*wrong, *undone)[0], cwd)
            or (_mend(report, exercise, _shown_in_full(exercise, wrong), cwd) if wrong else None)
            or _write(report, exercise, undone[0], cwd)
        )
    return None


def _mend_reading(
    report: Report, exercise: ExerciseReport, seen: Observation, cwd: Path
) -> str | None:
    """Return the step for a file that could not be read, whose problem the report states above.

    Returns None for any other file.
    """
    file = _handed_in(report, exercise)
    if file is None:
        return None
    is_read = exercise.exercise.assignment in report.entries
    is_noted = (note.where == Where(file) and note.text in seen.observed for note in report.notes)
    if is_read and not any(is_noted):
        return None
    return _open(located(report, Where(file), cwd), _("the problem above"))


def _shown_in_full(exercise: ExerciseReport, wrong: tuple[Observation, ...]) -> Observation:
    first = findings(exercise).first
    return first if first is not None and first.outcome in LOST else wrong[0]


def _handed_in(report: Report, exercise: ExerciseReport) -> str | None:
    """Return the file of an exercise, graded or unreadable; None if none was handed in."""
    stem = exercise.exercise.assignment
    if stem in report.entries:
        return report.entries[stem]
    names = (_NAME.match(line) for line in report.submission.skipped)
    return next((match[0] for match in names if match and candidates([match[0]], [stem])), None)


def _mend(report: Report, exercise: ExerciseReport, seen: Observation, cwd: Path) -> str:
    about = f"{exercise.exercise.slug}, {seen.criterion}"
    place = seen.where or _top(report, exercise)
    if place is None:
        return _("mend {what}", what=about)
    return _open(located(report, place, cwd), about)


def _write(report: Report, exercise: ExerciseReport, seen: Observation, cwd: Path) -> str:
    slug, file = exercise.exercise.slug, report.entries.get(exercise.exercise.assignment)
    if file is None:
        folder = from_here(Path(report.submission.path), cwd)
        name = f"{exercise.exercise.assignment}.py"
        if folder == ".":
            return _("add {file} ({exercise} is in it)", file=name, exercise=slug)
        return _(
            "add {file} to {folder} ({exercise} is in it)",
            file=name,
            folder=folder,
            exercise=slug,
        )
    there = dict(_definitions(report, exercise, file))
    missing = [name for name in exercise.exercise.targets if name not in there]
    if missing and there and seen.where is None:
        at = located(report, Where(file), cwd)
        return _("add {name} to {file} ({exercise})", name=missing[0], file=at, exercise=slug)
    place = _around(there.values(), seen.where) if not exercise.is_untouched else None
    return _open(located(report, place or _top(report, exercise) or Where(file), cwd), slug)


def _open(place: Where, why: str) -> str:
    return _("open {place} ({why})", place=place, why=why)


def _around(definitions: Iterable[Where], place: Where | None) -> Where | None:
    """Return where the definition around `place` begins; `place` itself if that is unknown."""
    if place is None or place.line is None:
        return place
    above = [
        one
        for one in definitions
        if (one.file, one.cell) == (place.file, place.cell) and (one.line or 0) <= place.line
    ]
    return max(above, key=lambda one: one.line or 0, default=place)


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


def _top(report: Report, exercise: ExerciseReport) -> Where | None:
    """Return the place where the exercise's first target is defined, or the top of its file."""
    file = report.entries.get(exercise.exercise.assignment)
    if file is None:
        return None
    for _name, place in _definitions(report, exercise, file):
        return place
    return Where(file) if file.lower().endswith(".ipynb") else Where(file, 1)


def _definitions(
    report: Report, exercise: ExerciseReport, file: str
) -> Iterator[tuple[str, Where]]:
    """Yield each target that the file defines, with the place of its definition."""
    # A report that was made again from a record may be without the files.
    data = report.submission.files.get(file, b"")
    for target in exercise.exercise.targets:
        # The file is the student's, so it is searched and not parsed: this cannot be made slow.
        pattern = re.compile(rf"^(?:def|class) {re.escape(target)}\b", re.MULTILINE)
        for cell, source in sources(file, data):
            match = pattern.search(source)
            if match:
                yield target, Where(file, source.count("\n", 0, match.start()) + 1, cell)
                break
