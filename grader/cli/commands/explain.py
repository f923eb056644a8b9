"""`grader explain`: say why something is a mistake, and give hints one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.cli import options
from grader.cli.completion import explained
from grader.cli.faults import in_words
from grader.course.course import find_course
from grader.course.explanations import STEPS, Explanation, ExplanationError, load_explanations
from grader.course.misconceptions import MisconceptionError
from grader.report.cleaning import encodable, one_line, trimmed
from grader.text.language import _, marked, speak_of
from grader.text.typed import here

_WIDTH_MAX = 100
_STEPS = (marked("a nudge"), marked("the idea"), marked("nearly the answer"))


@click.command("explain")
@click.argument("name", metavar="CAUSE|EXERCISE|CHECK", shell_complete=explained)
@click.option("--hint", type=click.IntRange(1, 3), metavar="1|2|3", help="One step of the hints.")
@options.language()
@options.course
def command(**given: Any) -> int:
    """Say why something is a mistake, or how to look for one, in steps.

    NAME is what a report calls a cause (sdpa.unscaled), an exercise (a1.sdpa), or a check or
    criterion of one (a1.sdpa/masking).
    """
    return run(**given)


def run(name: str, *, hint: int | None, course_folder: Path | None) -> int:
    """Print the explanation of a cause, an exercise or a check; return 0."""
    with in_words():
        course = find_course(course_folder or Path.cwd())
        speak_of(course.root)
    try:
        explanation = load_explanations(course.root, course.rubric).of(name)
    except (ExplanationError, MisconceptionError) as error:
        raise click.ClickException(one_line(str(error))) from error
    again = here(course_folder).command("explain", name)
    render(explanation, hint, again, Console(highlight=False))
    return 0


def render(explanation: Explanation, hint: int | None, again: str, console: Console) -> None:
    """Print the explanation, or one step of its hints, and how to see the next one."""
    width = min(console.width, _WIDTH_MAX)
    with console.capture() as capture:
        title = Text(explanation.name, style="bold")
        console.print(title.append(f"  {explanation.what}", style="not bold"), width=width)
        console.print()
        if hint is None:
            console.print(explanation.why, width=width, markup=False)
            if explanation.equation:
                console.print()
                equation = Text(explanation.equation, style="bold cyan")
                source = Text(explanation.source, style="bright_black")
                for line in filter(None, (equation, source)):
                    console.print(Padding(line, (0, 0, 0, 4)), width=width)
        else:
            console.print(Text(_hint(hint), "bright_black"))
            console.print(explanation.hints[hint - 1], width=width, markup=False)
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
