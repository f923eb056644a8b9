"""`grader explain`: why something is a mistake, and hints one at a time."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.commands.faults import in_words
from grader.course import find_course
from grader.explanations import STEPS, Explanation, ExplanationError, load_explanations
from grader.language import _, as_typed, marked, speak_of
from grader.misconceptions import MisconceptionError
from grader.report.cleaning import encodable, one_line, trimmed

_WIDTH_MAX = 100
_STEPS = (marked("a nudge"), marked("the idea"), marked("nearly the answer"))


def run(name: str, *, hint: int | None, course_folder: Path | None) -> int:
    """Prints what is known of a cause, an exercise or a check; returns 0."""
    with in_words():
        course = find_course(course_folder or Path.cwd())
        speak_of(course.root)
    try:
        found = load_explanations(course.root, course.rubric).of(name)
    except (ExplanationError, MisconceptionError) as error:
        raise click.ClickException(one_line(str(error))) from error
    render(found, hint, _again(name, course_folder), Console(highlight=False))
    return 0


def render(found: Explanation, hint: int | None, again: str, console: Console) -> None:
    """Prints the explanation, or one step of its hints, and how to see the next one."""
    width = min(console.width, _WIDTH_MAX)
    with console.capture() as capture:
        title = Text(found.name, style="bold")
        console.print(title.append(f"  {found.what}", style="not bold"), width=width)
        console.print()
        if hint is None:
            console.print(found.why, width=width, markup=False)
            if found.equation:
                console.print()
                equation = Text(found.equation, style="bold cyan")
                source = Text(found.source, style="bright_black")
                for line in (equation, source):
                    console.print(Padding(line, (0, 0, 0, 4)), width=width)
        else:
            console.print(Text(_hint(hint), "bright_black"))
            console.print(found.hints[hint - 1], width=width, markup=False)
        console.print()
        console.print(Text(_more(hint, again), style="bold cyan"), soft_wrap=True)
    console.file.write(encodable(trimmed(capture.get()), console.encoding))


def _more(hint: int | None, again: str) -> str:
    if hint is None:
        return _("for a hint: {command}", command=f"{again} --hint 1")
    if hint < STEPS:
        return _("for more: {command}", command=f"{again} --hint {hint + 1}")
    return _("for the reason: {command}", command=again)


def _hint(number: int) -> str:
    step = _(_STEPS[number - 1])
    return _("hint {number} of {count}, {step}", number=number, count=STEPS, step=step)


def _again(name: str, course_folder: Path | None) -> str:
    course = ["--course", str(course_folder)] if course_folder else []
    return shlex.join(["grader", "explain", name, *course, *as_typed()])
