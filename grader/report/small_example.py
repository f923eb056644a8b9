"""Words and lines for a smallest counterexample that all formats share."""

from __future__ import annotations

from collections.abc import Iterable

from grader.grade.counterexample import Counterexample, SmallArray
from grader.grade.evidence import Observation
from grader.report.cleaning import one_line, printable
from grader.text.language import _

LIMIT_SNIPPET = 4000


def example_of(observations: Iterable[Observation]) -> Counterexample | None:
    """Return the smallest counterexample among the observations of an exercise, if there is one."""
    return next((seen.counterexample for seen in observations if seen.counterexample), None)


def why_none(observations: Iterable[Observation]) -> str:
    """Return a sentence if one was looked for in vain; "" otherwise."""
    if not any(seen.nothing_small for seen in observations):
        return ""
    return _("no input of up to 8 numbers was found that shows this clearly")


def title() -> str:
    """Return the heading of a counterexample."""
    return _("The smallest input that shows it")


def label() -> str:
    """Return the label of a counterexample in a list of facts."""
    return _("small input")


def arithmetic(example: Counterexample) -> list[str]:
    """Return the arithmetic of the wrong entry, a sentence each; say what came instead of it."""
    sentences = [one_line(sentence) for sentence in example.words]
    if example.instead:
        sentences.append(_("yours: {instead}", instead=one_line(example.instead)))
    return sentences


def code(example: Counterexample) -> list[str]:
    """Return the lines to paste into a notebook."""
    return printable(example.snippet, LIMIT_SNIPPET).strip("\n").split("\n")


def pasted_as() -> str:
    """Say what to do with the code."""
    return _("paste this below your own definitions:")


def array_title(array: SmallArray) -> str:
    """Return the name of an array with what its axes are: `weights: query by key`."""
    axes = [axis for axis in array.axes if axis]
    by = _(" by ").join(axes)
    name = one_line(array.name)
    return f"{name}: {by}" if by else name
