"""Follows a guide as a reader would: runs its commands, writes its files, compares what is shown.

A `console` block holds commands after `$ ` and what they print; a line `...` stands for any lines.
`<!-- file: PATH -->` before a block says that the block is the whole file, `<!-- edit: PATH -->`
that it is a change of it, with lines to take out (-), to put in (+) and to find (two spaces).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUBRIC = """\
course: filters
seed: toy-course-seed
assignments: {f1: f1_filters}
exercises:
  f1.sobel:
    targets: [sobel]
    criteria:
      shapes: {points: 1, visibility: public}
      outputs: {points: 3, visibility: public}
      directions: {points: 2, visibility: hidden, scoring: all_or_nothing}
written:
  f1.why:
    points: 2
    question: Why are there two filters?
"""
"""The rubric of a small course on which the guide for teaching assistants is followed."""
_BLOCK = re.compile(
    r"^(?:<!-- (?P<what>file|edit): (?P<path>\S+) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Astray(Exception):
    """The guide says something else than what happens; says where."""


@dataclass(frozen=True)
class Block:
    """Something between fences."""

    line: int
    kind: str
    what: str
    """`file`, `edit` or nothing."""
    path: str
    text: str


_FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_IN_CODE = re.compile(r"`([^`]+)`")


def commands_in_sentences(text: str) -> Iterator[str]:
    """Yield the commands with words behind `grader` that stand in backticks, not in blocks."""
    for found in _IN_CODE.finditer(_FENCED.sub("", text)):
        command = " ".join(found[1].split())
        if re.match(r"(?:\S*/)?grader \S", command):
            yield command


def blocks(guide: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(guide):
        line = guide.count("\n", 0, found.start()) + 1
        what, path = found["what"] or "", found["path"] or ""
        yield Block(line, found["kind"], what, path, found["text"])


@dataclass
class Reader:
    """Somebody with a terminal, who begins in a folder."""

    folder: Path
    commands: list[str] = field(default_factory=list)
    """What was run."""

    def follow(self, guide: str) -> None:
        """Does what the guide says. Raises Astray at the first thing that is not as it says."""
        bin = self.folder / ".bin"
        bin.mkdir()
        # A link, so that the grader knows itself in what is found on the PATH.
        (bin / "grader").symlink_to(Path(sys.executable).with_name("grader"))
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
        environment["PATH"] = f"{bin}{os.pathsep}{environment['PATH']}"
        for block in blocks(guide):
            if block.kind == "console":
                self._run(block, environment)
            elif block.what == "file":
                (self.folder / block.path).write_text(block.text, encoding="utf-8")
            elif block.what == "edit":
                self._edit(block)

    def _run(self, block: Block, environment: dict[str, str]) -> None:
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            self.commands.append(command)
            if command.startswith("cd "):
                self.folder = self.folder / command.removeprefix("cd ")
                continue
            done = subprocess.run(
                command,
                shell=True,
                cwd=self.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
            )
            if not matches(shown, done.stdout):
                raise Astray(
                    f"line {block.line}: {command}\nprints\n{done.stdout}\nand not\n{shown}"
                )

    def _edit(self, block: Block) -> None:
        lines = block.text.splitlines(keepends=True)
        old = "".join(line[2:] or "\n" for line in lines if not line.startswith("+"))
        new = "".join(line[2:] or "\n" for line in lines if not line.startswith("-"))
        path = self.folder / block.path
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise Astray(
                f"line {block.line}: {block.path} holds this {text.count(old)} times:\n{old}"
            )
        path.write_text(text.replace(old, new), encoding="utf-8")


def matches(shown: str, printed: str) -> bool:
    """Whether this was printed, where a line `...` may stand for any lines.

    >>> matches("a\\n...\\nd\\n", "a\\nb\\nc\\nd\\n"), matches("a\\nd\\n", "a\\nb\\nd\\n")
    (True, False)
    """
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown.rstrip() + "\n", flags=re.M)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed.rstrip() + "\n") is not None
