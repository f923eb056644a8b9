"""Say in plain words, for authors, why a text is not valid YAML."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml
from yaml.error import MarkedYAMLError

from grader.text.language import _, marked

Position = tuple[int, int]
"""Line and column, both counted from 1."""


@dataclass(frozen=True)
class _Rewording:
    """A complaint of the parser, and ours in its place."""

    complaint: re.Pattern[str]
    """Its named groups fill places of `message`, as do `line` and `column` of the parser's place.
    """
    message: str
    blames_context: bool = False
    """True to point at where the parser's context began, and not at where it gave up."""


_SYNTAX = (
    _Rewording(
        re.compile("mapping values are not allowed"),
        marked("a ':' is not expected here - check the indentation, or quote text that holds ': '"),
    ),
    _Rewording(
        re.compile("could not find expected ':'"),
        marked("expected ':' after this key"),
        blames_context=True,
    ),
    _Rewording(
        re.compile("expected ',' or '(?P<bracket>[]}])'"),
        marked("this bracket is not closed: no '{bracket}' before line {line}, column {column}"),
        blames_context=True,
    ),
    _Rewording(
        re.compile("found unexpected end of stream"),
        marked("this quote is never closed"),
        blames_context=True,
    ),
    _Rewording(
        re.compile("expected <block end>"),
        marked(
            "this line does not fit the ones above - "
            "check the indentation and for a missing ':' or '-'"
        ),
    ),
    _Rewording(
        re.compile("found character '(?P<character>.)' that cannot start"),
        marked("a value cannot begin with '{character}' - quote it"),
    ),
)


def syntax_problem(text: str, error: MarkedYAMLError) -> tuple[Position, str]:
    """Return the place and the words for a text at which the YAML parser gave up with `error`."""
    error = _in_stable_words(text, error)
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    complaint = error.problem or "cannot be parsed"
    for known in _SYNTAX:
        if result := known.complaint.search(complaint):
            message = _(known.message, line=line, column=column, **result.groupdict())
            if known.blames_context and (begun := error.context_mark):
                line, column = begun.line + 1, begun.column + 1
            return (line, column), message
    return (line, column), _("not valid YAML: {complaint}", complaint=complaint)


def _in_stable_words(text: str, error: MarkedYAMLError) -> MarkedYAMLError:
    """Return the pure parser's account of the error: the compiled one words it differently."""
    try:
        for _event in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except MarkedYAMLError as stable:
        return stable
    return error
