"""Apply a change of some lines, written as a diff writes it, to the text of a definition."""

from __future__ import annotations

from dataclasses import dataclass

_COMMENT = "  # "


@dataclass(frozen=True)
class Edit:
    """Lines of a diff: `-` goes, `+` comes, and a blank in front stands for a line that stays.

    The lines are written without the indentation that they all share, and without the comments at
    their ends, which are mostly shapes.
    """

    lines: tuple[str, ...]

    @property
    def old(self) -> str:
        """Return the lines that the edit looks for."""
        return "\n".join(_without(self.lines, "+"))

    def applied(self, text: str) -> tuple[str, ...]:
        """Return the text with the edit in it, once for each place where it fits.

        >>> edit = Edit(("-y = x * 2", "+y = x"))
        >>> edit.applied("def f(x):\\n    y = x * 2  # B T\\n    return y")
        ('def f(x):\\n    y = x\\n    return y',)
        """
        lines = text.split("\n")
        old, new = _without(self.lines, "+"), _without(self.lines, "-")
        result = []
        for start in range(len(lines) - len(old) + 1 if old else 0):
            end = start + len(old)
            indent = _indent(old, lines[start:end])
            if indent is not None:
                put = [indent + line if line else line for line in new]
                result.append("\n".join([*lines[:start], *put, *lines[end:]]))
        return tuple(result)


def _without(lines: tuple[str, ...], sign: str) -> list[str]:
    return [line[1:] for line in lines if line[:1] != sign]


def _indent(old: list[str], lines: list[str]) -> str | None:
    """Return what stands before each of the lines, or None if they are not the old ones."""
    first = next((n for n, line in enumerate(old) if line), None)
    if first is None or not lines[first].lstrip():
        return None
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    indent = indent[: len(indent) - (len(old[first]) - len(old[first].lstrip()))]
    pairs = zip(old, lines, strict=True)
    return indent if all(_is_same(indent + one if one else one, it) for one, it in pairs) else None


def _is_same(wanted: str, line: str) -> bool:
    return line == wanted or (_COMMENT not in wanted and line.split(_COMMENT)[0] == wanted)
