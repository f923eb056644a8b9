"""Make the kit that students get: hand-outs, points, a first page, and a workflow for CI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from ..course.course import Course
from ..course.rubric import Exercise, Visibility
from ..course.translations import handout_languages
from ..handouts.generation import render
from ..text.language import ENGLISH, _, language_in_use, use_language
from ..text.points import shown
from .leaks import Leak, leaks
from .public_pack import pack_files
from .secrets import secret_lines

WORKFLOW = ".github/workflows/grade.yml"
_TEMPLATE = Path(__file__).parent / "templates" / "github-workflow.yml"
_ASSIGNMENTS = "assignments"


class LeakError(Exception):
    """A kit that would hold what no student may get. Names each line and its file."""


def kit_files(
    course: Course, languages: Sequence[str], recording: bytes | None = None
) -> dict[str, bytes]:
    """Return the files of the kit by their paths: the same for the same course.

    `recording`: answers of the reference, with which public checks run in the kit; None for a kit
    without checks. The hand-outs and pages of the first language have plain names. Raises
    LeakError, StubError, and UnsearchableError for a file in which nobody can look for leaks.
    """
    rendered = render(course.root)
    texts = {WORKFLOW: _TEMPLATE.read_text(encoding="utf-8")}
    for language in languages:
        own = "" if language == languages[0] else f"{language}/"
        for name, text in _in_language(rendered, language, handout_languages(course.root)):
            texts[f"{_ASSIGNMENTS}/{own}{name}"] = text
        page = "README.md" if language == languages[0] else f"{_ASSIGNMENTS}/{own}README.md"
        checked = recording is not None
        texts[page] = _page(course, language, f"{_ASSIGNMENTS}/{own}", checked=checked)
    files = {name: text.encode() for name, text in sorted(texts.items())}
    if recording is not None:
        files |= pack_files(course, recording)
    require_no_leak(course, files)
    return files


def require_no_leak(course: Course, files: dict[str, bytes]) -> None:
    """Raise LeakError if a line that no student may get is in these files."""
    result: list[Leak] = list(leaks(files, secret_lines(course)))
    if result:
        raise LeakError("\n".join(map(str, result)))


def _in_language(
    rendered: dict[str, str], language: str, others: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the hand-outs of a language, without the folder that stands for it."""
    for name, text in rendered.items():
        folder, slash, rest = name.partition("/")
        if slash and folder in others:
            if folder == language:
                yield rest, text
        elif language == ENGLISH:
            yield name, text


def _page(course: Course, language: str, folder: str, *, checked: bool) -> str:
    spoken = language_in_use()
    use_language(language, course.root)
    try:
        return "\n".join([*_readme(course, folder, checked=checked), *_points(course)]) + "\n"
    finally:
        use_language(spoken)


def _readme(course: Course, folder: str, *, checked: bool) -> Iterator[str]:
    stems = course.rubric.assignments.values()
    yield f"# {course.rubric.course}"
    yield ""
    yield _("Each assignment is here twice: work on one of the two and hand that one in.")
    yield ""
    yield from (f"- `{folder}{stem}.py`, `{folder}{stem}.ipynb`" for stem in stems)
    yield ""
    yield "## " + _("What is checked where")
    yield ""
    yield from _checks_here(folder) if checked else _no_checks(folder)
    yield ""
    yield "- " + _(
        "On GitHub: if the staff have set it up for your repository, {file} runs the checks that "
        "are public on every push and shows a report. That is feedback and not a mark.",
        file=f"`{WORKFLOW}`",
    )
    yield "- " + _("After the deadline the staff grade what you handed in, with all checks.")


def _checks_here(folder: str) -> Iterator[str]:
    yield _(
        "The checks that are public run in this folder, without a network: type `grader check "
        "{folder}`. They know the answers to their own questions and nothing more; what they "
        "cannot decide is checked after you hand in.",
        folder=folder,
    )


def _no_checks(folder: str) -> Iterator[str]:
    yield _(
        "There are no checks in this kit, and so `grader check` cannot run in it alone: the "
        "checks stay with the staff."
    )
    yield ""
    yield "- " + _(
        "With a copy of the course that the staff give you: `grader check {folder} --course "
        "FOLDER` runs the same checks on your computer.",
        folder=folder,
    )


def _points(course: Course) -> Iterator[str]:
    yield ""
    yield "## " + _("Points")
    yield ""
    heads = (_("exercise"), _("you define"), _("public checks"), _("checks after the deadline"))
    yield f"| {' | '.join(heads)} |"
    yield "|---|---|---|---|"
    for slug, exercise in course.rubric.exercises.items():
        targets = ", ".join(f"`{name}`" for name in exercise.targets)
        rest = exercise.points - _public(exercise)
        yield f"| {slug} | {targets} | {_criteria(exercise)} | {shown(rest) if rest else ''} |"
    in_words = _("an answer in words")
    for slug, item in course.rubric.written.items():
        yield f"| {slug} | {in_words} | | {shown(item.points)} |"
    written = sum((item.points for item in course.rubric.written.values()), Fraction(0))
    total = course.rubric.points + written
    yield ""
    yield _("{points} points in all.", points=shown(total))


def _criteria(exercise: Exercise) -> str:
    return ", ".join(
        f"{name} {shown(one.points)}"
        for name, one in exercise.criteria.items()
        if one.visibility is Visibility.PUBLIC
    )


def _public(exercise: Exercise) -> Fraction:
    rows = exercise.criteria.values()
    return sum((one.points for one in rows if one.visibility is Visibility.PUBLIC), Fraction(0))
