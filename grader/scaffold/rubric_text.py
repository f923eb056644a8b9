"""Put a new exercise into the text of `rubric.yaml`; every other character stays as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from . import ScaffoldError

# The compiled parser, where there is one, as for whoever reads the rubric: it alone can read
# `{question: Why?}`.
_LOADER: type[yaml.SafeLoader] | type[yaml.CSafeLoader] = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)
_TEXT_LOADER: type[yaml.BaseLoader] | type[yaml.CBaseLoader] = getattr(
    yaml, "CBaseLoader", yaml.BaseLoader
)


def add_exercise(
    text: str, *, slug: str, entry: str, assignment: str | None = None, file: str = "rubric.yaml"
) -> str:
    """Return the rubric with one exercise more, after the last one of its assignment.

    `entry` is the exercise's block as at the left margin; `assignment` the stem of a slug prefix
    that the rubric does not have yet.

    >>> old = "assignments: {t1: t1_toy}\\nexercises:\\n  t1.one: {a: 1}  # first\\n\\n# the end\\n"
    >>> print(add_exercise(old, slug="t1.two", entry="t1.two: {a: 2}\\n"), end="")
    assignments: {t1: t1_toy}
    exercises:
      t1.one: {a: 1}  # first
    <BLANKLINE>
      t1.two: {a: 2}
    <BLANKLINE>
    # the end

    Raises ScaffoldError if the exercises are written in braces.
    """
    prefix = slug.partition(".")[0]
    lines = text.removesuffix("\n").split("\n")
    root = yaml.compose("\n".join(lines), Loader=_LOADER)
    assert isinstance(root, MappingNode)  # it was read as a rubric before
    parts = {key.value: (key, value) for key, value in root.value}
    # From the bottom up, so that the lines above keep their numbers.
    jobs = [("exercises", entry)]
    if assignment is not None:
        jobs.append(("assignments", f"{prefix}: {assignment}\n"))
    for name, block in sorted(jobs, key=lambda job: -parts[job[0]][0].start_mark.line):
        node = parts[name][1]
        if node.flow_style and name == "exercises":
            raise ScaffoldError(
                f"{file}:{node.start_mark.line + 1}: the exercises are written in braces. "
                "Next: give each exercise lines of its own, then run the same command"
            )
        if node.flow_style:
            _into_braces(lines, node, block.strip())
        else:
            _into_block(lines, node, block, f"{prefix}." if name == "exercises" else "")
    added = "\n".join(lines) + "\n"
    _require_only(text, added, slug, entry, assignment, file)
    return added


def _into_braces(lines: list[str], node: Node, item: str) -> None:
    line, column = node.end_mark.line, node.end_mark.column - 1
    before = lines[line][:column].rstrip()
    comma = "" if before.endswith((",", "{")) else ","
    space = "" if before.endswith("{") else " "
    lines[line] = f"{before}{comma}{space}{item}{lines[line][column:]}"


def _into_block(lines: list[str], node: MappingNode, block: str, prefix: str) -> None:
    keys = [(key, value) for key, value in node.value]
    own = [pair for pair in keys if prefix and str(pair[0].value).startswith(prefix)]
    key, value = (own or keys)[-1]
    indent = key.start_mark.column
    at = _last_line(value if value.end_mark.index > value.start_mark.index else key) + 1
    while at < len(lines) and _is_deeper_comment(lines[at], indent):
        at += 1
    apart = _stands_apart(lines, keys[-1][0].start_mark.line) if len(keys) > 1 else bool(prefix)
    new = [" " * indent + line if line else "" for line in block.rstrip("\n").split("\n")]
    lines[at:at] = [*([""] if apart else []), *new]


def _stands_apart(lines: list[str], at: int) -> bool:
    """Tell whether a blank line comes before a line and the comments above it."""
    while lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return not lines[at - 1].strip()


def _last_line(node: Node) -> int:
    """Return the last line of a value.

    A block's own end mark lies beyond the comments that follow it.
    """
    if isinstance(node, ScalarNode):
        return node.end_mark.line - (1 if node.style in ("|", ">") else 0)
    if not isinstance(node, CollectionNode) or node.flow_style or not node.value:
        return node.end_mark.line
    last = node.value[-1]
    return _last_line(last[1] if isinstance(last, tuple) else last)


def _is_deeper_comment(line: str, indent: int) -> bool:
    return line.lstrip().startswith("#") and len(line) - len(line.lstrip()) > indent


def _require_only(
    old: str, new: str, slug: str, entry: str, assignment: str | None, file: str
) -> None:
    """Raise ScaffoldError unless the new text says what the old one said, plus the exercise."""
    before, after = _parsed(old), _parsed(new)
    before["exercises"].update(_parsed(entry))
    if assignment is not None:
        before["assignments"][slug.partition(".")[0]] = assignment
    if before != after:
        raise ScaffoldError(
            f"{file}:1: its layout leaves no safe place for {slug}. "
            "Next: write the entries of `assignments` and `exercises` on lines of their own, "
            "then run the same command"
        )


def _parsed(text: str) -> dict[str, Any]:
    # As text: no number or date is rounded before it is compared.
    try:
        content = yaml.load(text, Loader=_TEXT_LOADER)
    except yaml.YAMLError:
        return {"assignments": {}, "exercises": {}}
    return dict(content) if isinstance(content, Mapping) else {}
