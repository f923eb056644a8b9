"""Write an edit as an entry for the bank of known mistakes, its words left to the author."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...course.course import Course
from ...course.edit import Edit
from ...grade.counterexample import Counterexample
from ...text.language import _
from ..edits.generation import PRELUDE
from .candidates import CandidateEdit
from .search import GroupMatch
from .statement_lines import definitions

_COMMENT = "  # "
_BRACKETS = re.compile(r"(?<![\w\])])\(([A-Za-z_][\w.]*)\)")
"""Brackets around a name, as an edit puts them around all it writes."""


class NoProposal(Exception):
    """An edit that no entry can hold; the message says why."""


@dataclass(frozen=True)
class Proposal:
    """An entry, and the file of mistakes that it belongs to."""

    slug: str
    path: Path
    id: str
    text: str


def proposal(
    course: Course,
    match: GroupMatch,
    references: Mapping[str, str],
    taken: Collection[str],
    example: Counterexample | None = None,
) -> Proposal:
    """Return the entry for the first edit of a match.

    `taken`: ids that other entries have. Raises NoProposal.
    """
    edit = match.edits[0]
    if edit.lines == (0,):
        raise NoProposal(_("it is the known mistake {id}", id=edit.edits[0]))
    _require_plain(edit)
    slug = _owner(course, edit, match.group.slug)
    path = course.paths.exercise(slug).mistakes
    id = _id(path, slug, edit, taken)
    reference = _definition(references[edit.stem], edit.definition)
    diff = diff_of(reference, _plain(_definition(edit.source, edit.definition)))
    criteria = dict.fromkeys(
        check.split("/")[1]
        for check in sorted({*match.group.failed.numbers, *match.group.failed.others})
    )
    students = len(match.group.students)
    lines = [
        *_smallest(example),
        f"id: {id}",
        f"fails: {', '.join(criteria)}",
        f"cause: TODO({slug}): say what is wrong, to a student ({students} wrote it:"
        f" {' and '.join(edit.edits)})",
        f"@@ {edit.definition}",
        *diff,
    ]
    return Proposal(slug, path, id, "\n".join(lines) + "\n")


def _require_plain(edit: CandidateEdit) -> None:
    """Raise NoProposal for a student's text that needs more than an entry can hold."""
    if edit.unusual:
        raise NoProposal(
            _(
                "the students' own text has {name} in it, and an entry runs without a jail. "
                "Read the text and write the entry by hand",
                name=edit.unusual,
            )
        )
    if edit.helpers:
        names = ", ".join(edit.helpers)
        raise NoProposal(
            _("the students' own text uses {names}, which is no part of the reference", names=names)
        )


def diff_of(reference: str, changed: str) -> tuple[str, ...]:
    """Return the lines of a diff between two texts of a definition, as short as it fits once.

    >>> diff_of("y = x  # B", "y = -x")
    ('-y = x', '+y = -x')
    """
    old, new = _without_comments(reference), _without_comments(changed)
    new = [line if line in old else _BRACKETS.sub(r"\1", line) for line in new]
    blocks = [
        block
        for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if block[0] != "equal"
    ]
    if not blocks:
        raise NoProposal(_("it changes nothing but comments"))
    first, last = blocks[0], blocks[-1]
    for context in range(first[1] + 1):
        lines = _block(old[first[1] - context : last[2]], new[first[3] - context : last[4]])
        if len(Edit(lines).applied(reference)) == 1:
            return lines
    raise NoProposal(_("the lines around it stand there twice"))


def _block(old: list[str], new: list[str]) -> tuple[str, ...]:
    shared = textwrap.dedent("\n".join([*old, *new])).split("\n")
    before, after = shared[: len(old)], shared[len(old) :]
    lines: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            lines += [f" {line}" for line in before[i:j]]
        else:
            lines += [f"-{line}" for line in before[i:j]] + [f"+{line}" for line in after[k:m]]
    return tuple(lines)


def _without_comments(text: str) -> list[str]:
    return [
        line if line.lstrip().startswith("#") else line.split(_COMMENT)[0].rstrip()
        for line in text.split("\n")
    ]


def _definition(source: str, name: str) -> str:
    node = definitions(ast.parse(source)).get(name)
    if node is None:
        raise NoProposal(_("{name} is no function or class of the reference", name=name))
    return "\n".join(source.split("\n")[node.lineno - 1 : node.end_lineno])


def _plain(text: str) -> str:
    """Return the text with what the grammar of edits calls written out.

    Raises NoProposal if that cannot be: the value of a first call is kept outside of a definition.
    """
    while (call := _value_call(text)) is not None:
        text = text.replace(ast.get_source_segment(text, call) or "", _written_out(text, call), 1)
    helpers = {n.name for n in ast.parse(PRELUDE).body if isinstance(n, ast.FunctionDef)}
    used = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)} & helpers
    if used:
        raise NoProposal(
            _("it keeps a value of the first call, and a diff of one definition cannot")
        )
    return text


def _written_out(text: str, call: ast.Call) -> str:
    """Return `(value).detach()` for `_value(value, lambda t: t.detach())`."""
    value, change = call.args
    assert isinstance(change, ast.Lambda)
    body = ast.get_source_segment(text, change.body) or ""
    inner = ast.get_source_segment(text, value) or ""
    parameter = change.args.args[0].arg
    return re.sub(rf"\b{parameter}\b", lambda _match: f"({inner})", body)


def _value_call(text: str) -> ast.Call | None:
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return next((c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "_value"), None)


def _owner(course: Course, edit: CandidateEdit, slug: str) -> str:
    exercises = course.rubric.exercises.values()
    owners = (one.slug for one in exercises if edit.definition in one.targets)
    return next(owners, slug)


def _id(path: Path, slug: str, edit: CandidateEdit, taken: Collection[str]) -> str:
    known = [id for id in taken if path.is_file() and f"id: {id}\n" in path.read_text("utf-8")]
    prefix = known[0].partition(".")[0] if known else slug.rpartition(".")[2]
    names = (one.partition(":")[0].removeprefix(f"{prefix}.") for one in edit.edits)
    words = "_and_".join(names)
    base = f"{prefix}.{re.sub(r'[^A-Za-z0-9_]+', '_', words)}"
    free = [base, *(f"{base}_{number}" for number in range(2, len(taken) + 3))]
    return next(id for id in free if id not in taken)


def _smallest(example: Counterexample | None) -> list[str]:
    if example is None:
        return []
    inputs = [f"# {one.name} = {one.text}" for one in (*example.inputs, *example.weights)]
    yours = example.yours.text if example.yours is not None else example.instead
    return [
        f"# {example.call} shows it on the smallest input:",
        *inputs,
        f"# right: {example.expected.text}",
        f"# theirs: {yours}",
    ]
