"""Write what GitHub Actions reads: workflow commands, and the files between steps.

Reference: GitHub's documentation of workflow commands; `docs/decisions/0139` has what is limited.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from grader.export.ci.annotations import Annotation, limited
from grader.files.writing import write_file
from grader.report.cleaning import without_commands
from grader.report.markdown import LIMIT_BYTES

LIMIT_ANNOTATIONS = 10
"""The most errors that a step shows, and the most warnings, and the most notices."""
SUMMARY = "GITHUB_STEP_SUMMARY"
OUTPUT = "GITHUB_OUTPUT"
WORKSPACE = "GITHUB_WORKSPACE"
_FILES = (SUMMARY, OUTPUT, "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_ESCAPES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def commands(annotations: Iterable[Annotation]) -> Iterator[str]:
    """Yield a workflow command for each annotation that is shown, a line each."""
    for one in limited(annotations, LIMIT_ANNOTATIONS):
        place = {"file": one.file, "line": "" if one.line is None else str(one.line)}
        yield command(one.level, one.message, {**place, "title": one.title})


def command(name: str, message: str, properties: Mapping[str, str]) -> str:
    """Return a workflow command; empty properties are left out.

    >>> command("error", "50 %\\nof it", {"file": "a,b.py", "line": "", "title": "a: b"})
    '::error file=a%2Cb.py,title=a%3A b::50 %25%0Aof it'
    """
    given = {key: value for key, value in properties.items() if value}
    pairs = ",".join(f"{key}={_escaped(value, _PROPERTY_ESCAPES)}" for key, value in given.items())
    return f"::{name}{' ' if pairs else ''}{pairs}::{_escaped(message, _ESCAPES)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in without_commands(text))


@contextlib.contextmanager
def files_kept(environment: Mapping[str, str]) -> Iterator[None]:
    """Undo what is done meanwhile to the files through which a step talks to the runner.

    Student code runs meanwhile, and in a weak tier it may reach them: a line in one of them sets a
    variable or an output of the job.
    """
    paths = [Path(environment[name]) for name in _FILES if environment.get(name)]
    before = {path: path.read_bytes() for path in paths if path.is_file()}
    try:
        yield
    finally:
        for path, content in before.items():
            if path.is_symlink() or not path.is_file() or path.read_bytes() != content:
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
                write_file(path, content)


@contextlib.contextmanager
def silenced(token: str) -> Iterator[None]:
    """Let the runner carry out no command in what is printed meanwhile.

    Nothing ends the silence but `token`, which nobody can know before it is printed again.
    """
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        print(f"\n::{token}::", flush=True)


def append(environment: Mapping[str, str], name: str, text: str) -> bool:
    """Append a text to one of the runner's files; return False if it would become too long."""
    path = environment.get(name)
    if not path:
        return True
    file = Path(path)
    size = file.stat().st_size if file.exists() else 0
    if name == SUMMARY and size + len(text.encode()) >= LIMIT_BYTES:
        return False
    with file.open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return True
