"""Words for the lines of a wrong program that are right, which all formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from grader.grade.evidence import Observation, Where
from grader.grade.right_lines import Likeness, RightAnswer, RightKind, RightLines, RightValue
from grader.report.cleaning import one_line
from grader.text.language import _, marked

EARLIER = 4
"""The most right lines before the last one that are listed."""

_LIKENESS = {
    Likeness.TRANSPOSED: marked("transposed"),
    Likeness.RESHAPED: marked("with axes merged or split"),
    Likeness.REORDERED: marked("in another order along one axis"),
    Likeness.SCALED: marked("but for a factor"),
}


def right_so_far(observations: Iterable[Observation]) -> RightLines | None:
    """Return the right lines among the observations of an exercise, if any are known."""
    return next((seen.right_lines for seen in observations if seen.right_lines), None)


def heading() -> str:
    """Return the heading above the right lines."""
    return _("Right up to here")


def right_sentences(lines: RightLines, place: Callable[[Where], object] = str) -> list[str]:
    """Return what is right, a sentence each; never what is wrong. `place` says where a line is."""
    last = lines.values[-1]
    sentences = [_right(last, one_line(str(place(last.where))))]
    if lines.right_answer is not None:
        sentences.insert(0, _right_answer(lines.right_answer))
    if lines.nothing_from is not None:
        sentences.append(_("From line {line} on nothing matches.", line=lines.nothing_from.line))
    known = {(last.where, last.text)}
    earlier = [one for one in lines.values[:-1] if one.kind is RightKind.NAMED]
    earlier = [one for one in earlier if (one.where, one.text) not in known][-EARLIER:]
    if earlier:
        listed = ", ".join(_in_short(one, last.where) for one in earlier)
        sentences.append(_("Also right: {places}.", places=listed))
    return sentences


def _right_answer(answer: RightAnswer) -> str:
    call, inputs = one_line(answer.call), one_line(", ".join(answer.inputs))
    if not inputs:
        return _("The answer of `{call}` is right.", call=call)
    return _(
        "With random numbers the answer of `{call}` is right: {inputs}.", call=call, inputs=inputs
    )


def _right(value: RightValue, place: str) -> str:
    how = ", ".join(_(_LIKENESS[one]) for one in value.likeness)
    text = one_line(value.text)
    if value.kind is RightKind.RETURNED:
        what = _("{place}, what is returned", place=place)
    elif text:
        what = _("{place}, `{code}`", place=place, code=text)
    else:
        what = _("{place}, a value in this line", place=place)
    if how:
        return _("{what}: right ({how}).", what=what, how=how)
    return _("{what}: right.", what=what)


def _in_short(value: RightValue, last: Where) -> str:
    """Return the line and the name of a value; the file too, if it is another one."""
    where, name = value.where, one_line(value.text)
    if (where.file, where.cell) != (last.file, last.cell):
        return f"`{name}` ({one_line(str(where))})"
    return _("line {line} `{name}`", line=where.line, name=name)
