"""Write the output of `grader lens`, as text and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...grade.counterexample import Counterexample
from ...text.language import _
from ...text.text_width import wrapped
from .search import GroupMatch

FORMAT = "grader lens 1"
Examples = Mapping[str, Counterexample]


def lens_text(matches: Sequence[GroupMatch], examples: Examples) -> str:
    """Return a paragraph for each group, for a terminal."""
    if not matches:
        return _("no two students have the same wrong numbers without a name for it")
    parts = ["\n".join(_paragraph(match, examples)) for match in matches]
    matched = sum(bool(match.edits) for match in matches)
    parts.append(_("{matched} of {groups} groups explained", matched=matched, groups=len(matches)))
    return "\n\n".join(parts)


def _paragraph(match: GroupMatch, examples: Examples) -> list[str]:
    group = match.group
    failed = len(group.failed.numbers)
    head = _(
        "{slug}: {count} students compute the same wrong numbers, such as {first}",
        slug=group.slug,
        count=len(group.students),
        first=group.students[0],
    )
    lines = [head, *wrapped(_("seen: {observed}", observed=group.observed), "  ")]
    for number, edit in enumerate(match.edits):
        if number:
            lines += wrapped(_("or the same: {edit}", edit=edit.id), "  ")
        else:
            lines += wrapped(_("they wrote: {edit}", edit=edit.id), "  ")
    if match.edits:
        example = examples.get(match.edits[0].id)
        if example is not None:
            lines += wrapped(_("smallest input: {call}", call=_call(example)), "  ")
        return lines
    none = _("none of {tried} edits computes the same", tried=match.tried)
    lines += wrapped(none, "  ")
    if match.nearest is not None:
        nearest = _(
            "in {agrees} of {failed} failed checks this one does: {edit}",
            agrees=match.agrees_in,
            failed=failed,
            edit=match.nearest.id,
        )
        lines += wrapped(nearest, "  ")
    return lines


def _call(example: Counterexample) -> str:
    arrays = ", ".join(f"{one.name} = {one.text}" for one in example.inputs)
    return f"{example.call}, {arrays}"


def lens_json(matches: Sequence[GroupMatch], examples: Examples) -> dict[str, Any]:
    """Return the same as data."""
    return {
        "format": FORMAT,
        "groups": [
            {
                "exercise": match.group.slug,
                "students": list(match.group.students),
                "failed": dict(match.group.failed.numbers),
                "edits": [one.id for one in match.edits],
                "tried": match.tried,
                "nearest": match.nearest.id if match.nearest is not None else None,
                "agrees_in": match.agrees_in,
                "smallest_input": _call(examples[match.edits[0].id])
                if match.edits and match.edits[0].id in examples
                else None,
            }
            for match in matches
        ],
    }
