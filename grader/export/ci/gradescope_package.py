"""Pack a course and the grader as an autograder of Gradescope, in one file to be uploaded.

The layout is Gradescope's: `setup.sh` and `run_autograder` at the root of the archive, which is
unpacked to `/autograder/source`. The same course gives the same bytes.
"""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

import grader
from grader.export.ci.outputs import not_checked
from grader.export.ci.systems import System
from grader.export.gradescope import RESULTS_FILE
from grader.submission.collection import is_ignored_folder
from grader.text.language import language_in_use

_TEMPLATES = Path(__file__).parent / "gradescope"
_SCRIPTS = ("setup.sh", "run_autograder")
_COURSE = ("rubric.yaml", "reference", "assignments", "tests/suites")
_LEFT_OUT = frozenset({"__pycache__", ".ipynb_checkpoints"})
_ENGINE_SUFFIXES = (".py", ".mo", ".j2", ".css", ".js", ".html", ".typed")
_WHEN = (1980, 1, 1, 0, 0, 0)


def packed(root: Path, only: Iterable[str]) -> bytes:
    """Return the archive for the course at `root`, which grades what `only` names, or all of it."""
    files = dict(sorted(contents(root, only).items()))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that the permissions below are kept
            entry.external_attr = (0o100755 if name in _SCRIPTS else 0o100644) << 16
            written.writestr(entry, content)
    return archive.getvalue()


def contents(root: Path, only: Iterable[str]) -> Mapping[str, bytes]:
    """Return every file of the archive by its name in it."""
    words = ("--lang", language_in_use(), *(word for name in only for word in ("--only", name)))
    arguments = shlex.join(words)
    scripts = {
        name: (_TEMPLATES / name)
        .read_text(encoding="utf-8")
        .replace("@ARGUMENTS@", arguments)
        .encode()
        for name in _SCRIPTS
    }
    return {
        **scripts,
        "requirements.txt": "".join(f"{one}\n" for one in requirements()).encode(),
        "could_not_check.json": not_checked(System.GRADESCOPE)[RESULTS_FILE].encode(),
        **{f"engine/grader/{name}": data for name, data in _engine()},
        **{f"course/{name}": data for name, data in _course(root)},
    }


def requirements() -> tuple[str, ...]:
    """Return what pip is to install for the grader, torch apart."""
    (name, *_others) = metadata.packages_distributions()[grader.__name__]
    every = metadata.requires(name) or ()
    return tuple(sorted(one for one in every if "extra ==" not in one))


def _engine() -> Iterator[tuple[str, bytes]]:
    folder = Path(grader.__path__[0])
    for name, data in _files(folder, folder):
        if name.endswith(_ENGINE_SUFFIXES) or "/templates/" in name or "/gradescope/" in name:
            yield name, data


def _course(root: Path) -> Iterator[tuple[str, bytes]]:
    for name in _COURSE:
        if (root / name).is_dir():
            yield from _files(root / name, root)
        elif (root / name).is_file():
            yield name, (root / name).read_bytes()


def _files(folder: Path, root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files below a folder; none through a link, and none that a program left there."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in _LEFT_OUT:
            continue
        if path.is_dir() and not is_ignored_folder(path.name):
            yield from _files(path, root)
        elif path.is_file():
            yield path.relative_to(root).as_posix(), path.read_bytes()
