"""Read `reference/equal_edits.toml`: edits of the reference that are no mistakes, with reasons.

    [[edit]]
    definition = "a1_attention.stable_softmax"
    edit = "another axis: -1 -> 1"
    why = "the rows of every input have two axes"

`*` in `edit` stands for any text, so that one reason may hold for several edits.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from .misconceptions import MisconceptionError
from .paths import CoursePaths

_HEAD = re.compile(r"\s*\[\[\s*edit\s*\]\]")


@dataclass(frozen=True)
class EqualEdit:
    """Edits that no check has to notice, and why."""

    definition: str
    """The stem of an assignment, a dot, and the name of a definition in it."""
    edit: str
    why: str
    line: int

    def covers(self, definition: str, edit: str) -> bool:
        """Tell whether the reason is given for this edit of this definition."""
        pattern = ".*".join(map(re.escape, self.edit.split("*")))
        return definition == self.definition and re.fullmatch(pattern, edit, re.DOTALL) is not None


def load_equal_edits(paths: CoursePaths) -> tuple[EqualEdit, ...]:
    """Load the list of a course, in its order; it is empty if the course has none.

    Raises MisconceptionError for a file that is not valid.
    """
    path, shown = paths.equal_edits, paths.shown(paths.equal_edits)
    if not path.is_file():
        return ()
    text = path.read_text(encoding="utf-8")
    try:
        entries = tomllib.loads(text).get("edit", [])
    except tomllib.TOMLDecodeError as error:
        raise MisconceptionError(f"{shown}:1: not valid TOML: {error}") from None
    lines = [n for n, line in enumerate(text.splitlines(), 1) if _HEAD.match(line)]
    if not isinstance(entries, list) or len(entries) != len(lines):
        raise MisconceptionError(f"{shown}:1: write each edit below a line [[edit]]")
    return tuple(_entry(entry, line, shown) for entry, line in zip(entries, lines, strict=True))


def _entry(entry: dict[str, object], line: int, shown: str) -> EqualEdit:
    values = {name: entry.get(name) for name in ("definition", "edit", "why")}
    for name, value in values.items():
        if not isinstance(value, str) or not value.strip():
            raise MisconceptionError(f"{shown}:{line}: write `{name}`, a text that is not empty")
    unknown = sorted(entry.keys() - values.keys())
    if unknown:
        raise MisconceptionError(f"{shown}:{line}: there is no `{unknown[0]}` in an edit")
    return EqualEdit(str(values["definition"]), str(values["edit"]), str(values["why"]), line)
