"""Write our own commands so that they can be pasted into the terminal of the running command."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from .language import as_typed

PROGRAM = "grader"
_WITHOUT_COURSE = frozenset({"doctor"})
_WITH_LANGUAGE = frozenset({"check", "explain", "start"})


@dataclass(frozen=True)
class Typed:
    """The beginning of the next command, and the options that it keeps from this one."""

    program: tuple[str, ...] = (PROGRAM,)
    course: Path | None = None
    """The value of `--course`."""
    only: tuple[str, ...] = ()
    """The values of `--only`."""

    def command(self, name: str, *words: str) -> str:
        """Return a command with the options that were typed, if the command knows them.

        >>> Typed(course=Path("my course"), only=("a1",)).command("check", "work")
        "grader check work --only a1 --course 'my course'"
        """
        only = [word for slug in self.only for word in ("--only", slug)] if name == "check" else []
        course: list[str] = []
        if self.course is not None and name not in _WITHOUT_COURSE:
            course = ["--course", str(self.course)]
        language = as_typed() if name in _WITH_LANGUAGE else []
        return shlex.join([*self.program, name, *words, *only, *course, *language])

    def ending(self, text: str, *more: str) -> str:
        """Return a text that ends with one of our commands, as it is typed here, with `more` words.

        >>> Typed(program=(".venv/bin/grader",)).ending("accept it: grader validate --write")
        'accept it: .venv/bin/grader validate --write'
        >>> Typed().ending("put the exercise back")
        'put the exercise back'
        """
        before, colon, words = f": {text}".rpartition(f": {PROGRAM} ")
        if not colon:
            return text
        return f"{before}: {self.command(*shlex.split(words), *more)}".removeprefix(": ")


PLAIN = Typed()
"""The command to show if nobody knows how the grader was started."""


def here(course: Path | None = None, only: tuple[str, ...] = ()) -> Typed:
    """Return the way in which this process was started, with the options that were typed."""
    script = sys.argv[0] if sys.argv else ""
    return Typed(program(script, sys.executable, os.environ.get("PATH"), Path.cwd()), course, only)


def program(script: str, python: str, search: str | None, cwd: Path) -> tuple[str, ...]:
    """Return the words that start the grader again.

    The name `grader`, if it is found on the path `search` and is this one; else its file, as it was
    typed or beside this Python; else this Python with `-m grader`.

    `script` is the file that was run, as it was typed; `python` is the interpreter that runs it.
    """
    beside = Path(python).with_name(PROGRAM)
    own = Path(script) if Path(script).name == PROGRAM else beside
    if not (cwd / own).is_file():
        return (_from(cwd, Path(python)), "-m", PROGRAM)
    installed = shutil.which(PROGRAM, path=search)
    if installed is not None and (cwd / installed).samefile(cwd / own):
        return (PROGRAM,)
    return (_from(cwd, own),)


def _from(cwd: Path, path: Path) -> str:
    """Return a path as it is typed from `cwd`, with a slash so that a shell takes it for a path."""
    short = path.relative_to(cwd) if path.is_relative_to(cwd) else path
    return f"./{short}" if short.name == str(short) else str(short)
