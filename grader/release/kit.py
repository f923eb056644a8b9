"""Make the kit that students get: hand-outs, points, checks, the grader, and a workflow for CI."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import grader

from ..course.course import Course
from ..course.paths import ASSIGNMENTS, DATA
from ..course.rubric import Exercise, Visibility
from ..course.translations import handout_languages
from ..handouts.generation import render
from ..text.language import ENGLISH, _, language_in_use, use_language
from ..text.points import shown
from .first_cell import with_kit_cell
from .leaks import Leak, leaks
from .public_pack import pack_files
from .secrets import secret_lines
from .wheel import grader_wheel, leaks_in_wheel, wheel_name

WORKFLOW = ".github/workflows/grade.yml"
_TEMPLATE = Path(__file__).parent / "templates" / "github-workflow.yml"
WHEELS = "wheel"


class LeakError(Exception):
    """A kit that would hold what no student may get. Names each line and its file."""


@dataclass(frozen=True)
class KitParts:
    """The parts that a kit may have beside hand-outs, pages and the workflow."""

    record: Callable[[], bytes] | None = None
    """Returns answers of the reference, with which public checks run in the kit."""
    wheel: bool = False
    """A wheel of the grader, which the first cell of each notebook installs."""


def kit_files(
    course: Course, languages: Sequence[str], parts: KitParts = KitParts()
) -> dict[str, bytes]:
    """Return the files of the kit by their paths: the same for the same course.

    The hand-outs and pages of the first language have plain names. Answers are recorded, which
    takes minutes, once nothing else holds a secret line. Raises LeakError, StubError, NoWheelError,
    and UnsearchableError for a file in which nobody can look for leaks.
    """
    rendered = render(course.root)
    texts = {WORKFLOW: _TEMPLATE.read_text(encoding="utf-8")}
    for language in languages:
        own = "" if language == languages[0] else f"{language}/"
        with _speaking(language, course.root):
            for name, text in _in_language(rendered, language, handout_languages(course.root)):
                texts[f"{ASSIGNMENTS}/{own}{name}"] = _of_kit(name, text) if parts.wheel else text
            page = "README.md" if language == languages[0] else f"{ASSIGNMENTS}/{own}README.md"
            texts[page] = "\n".join(_page(course, f"{ASSIGNMENTS}/{own}", parts)) + "\n"
    files = {name: text.encode() for name, text in sorted(texts.items())}
    for path in course.data_files():
        files[f"{ASSIGNMENTS}/{DATA}/{path.name}"] = path.read_bytes()
    if parts.wheel:
        files[f"{WHEELS}/{wheel_name()}"] = grader_wheel()
    require_no_leak(course, files)
    if parts.record is not None:
        pack = pack_files(course, parts.record())
        require_no_leak(course, pack)
        files |= pack
    return files


def require_no_leak(course: Course, files: dict[str, bytes]) -> None:
    """Raise LeakError if a line that no student may get is in these files."""
    secrets = secret_lines(course)
    wheels = {name: data for name, data in files.items() if name.startswith(f"{WHEELS}/")}
    others = {name: data for name, data in files.items() if name not in wheels}
    result: list[Leak] = [*leaks(others, secrets), *leaks_in_wheel(wheels, secrets)]
    if result:
        raise LeakError("\n".join(map(str, result)))


def _of_kit(name: str, text: str) -> str:
    if not name.endswith(".ipynb"):
        return text
    return with_kit_cell(text, wheel_name(), grader.__version__)


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


@contextmanager
def _speaking(language: str, root: Path) -> Iterator[None]:
    spoken = language_in_use()
    use_language(language, root)
    try:
        yield
    finally:
        use_language(spoken)


def _page(course: Course, folder: str, parts: KitParts) -> Iterator[str]:
    stems = course.rubric.assignments.values()
    yield f"# {course.rubric.course}"
    yield ""
    yield _("Each assignment is here twice: work on one of the two and hand that one in.")
    yield ""
    yield from (f"- `{folder}{stem}.py`, `{folder}{stem}.ipynb`" for stem in stems)
    if course.rubric.written:
        words = _("for answers in words, if you work in `.py` files: hand it in with them")
        yield f"- `{folder}answers.md` {words}"
    yield ""
    if parts.wheel:
        yield from _installing()
    yield "## " + _("What is checked where")
    yield ""
    yield from _checks_here(course, folder) if parts.record is not None else _no_checks(folder)
    yield ""
    yield "- " + _(
        "On GitHub: if the staff have set it up for your repository, {file} runs the checks that "
        "are public on every push and shows a report. That is feedback and not a mark.",
        file=f"`{WORKFLOW}`",
    )
    yield "- " + _("After the deadline the staff grade what you handed in, with all checks.")
    yield from _points(course)


def _installing() -> Iterator[str]:
    """Yield how to get the grader that is in the kit."""
    yield "## " + _("Install the grader, once")
    yield ""
    yield "- " + _("In Jupyter: open a notebook of this kit. Its first cell does it.")
    yield "- " + _(
        "In Colab: open a notebook of this kit, upload the kit as `kit.zip` (the folder sign on "
        "the left), run `!unzip -q kit.zip` in a new cell, and then the notebook's first cell."
    )
    yield "- " + _("On the command line, with Python 3.11 or newer, in an environment of your own:")
    yield ""
    yield "```"
    yield "pip install 'torch>=2.6,<3' --index-url https://download.pytorch.org/whl/cpu"
    yield f"pip install {WHEELS}/{wheel_name()}"
    yield "```"
    yield ""


def _checks_here(course: Course, folder: str) -> Iterator[str]:
    yield _(
        "The checks that are public run in this folder, without a network: type `grader check "
        "{folder}`. They know the answers to their own questions and nothing more; what they "
        "cannot decide is checked after you hand in.",
        folder=folder,
    )
    slug = next(iter(course.rubric.exercises))
    one = f"`grader check {folder} --only {slug}`"
    yield ""
    yield "- " + _("One exercise alone: {command}", command=one)
    yield "- " + _("Whenever you save: {command}", command=f"`grader check --watch {folder}`")
    yield "- " + _("In a notebook: {command}", command=f'`grader.check("{slug}")`')
    yield "- " + _("If something does not run: {command}", command="`grader doctor`")


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
    yield ""
    yield _(
        "A name with points in the table is a criterion, a group of checks. The criterion "
        "`policy` asks that your code calls nothing that the exercise forbids."
    )


def _criteria(exercise: Exercise) -> str:
    return ", ".join(
        f"{name} {shown(one.points)}"
        for name, one in exercise.criteria.items()
        if one.visibility is Visibility.PUBLIC
    )


def _public(exercise: Exercise) -> Fraction:
    rows = exercise.criteria.values()
    return sum((one.points for one in rows if one.visibility is Visibility.PUBLIC), Fraction(0))
