"""Collect what autograder packages have in common: the engine, a course, and what pip installs.

The same files give the same bytes: sorted names, one date, permissions that are given.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterator, Mapping
from importlib import metadata
from pathlib import Path

import grader
from grader.submission.collection import is_ignored_folder

_COURSE = ("rubric.yaml", "reference", "assignments", "tests/suites")
_LEFT_OUT = frozenset({"__pycache__", ".ipynb_checkpoints"})
_ENGINE_SUFFIXES = (".py", ".mo", ".j2", ".css", ".js", ".html", ".typed")
_ENGINE_FOLDERS = ("/templates/", "/gradescope/", "/prairielearn/")
_WHEN = (1980, 1, 1, 0, 0, 0)


def zipped(files: Mapping[str, bytes], scripts: Collection[str]) -> bytes:
    """Return an archive of these files, in which those named in `scripts` can be run."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that the permissions below are kept
            entry.external_attr = (0o100755 if name in scripts else 0o100644) << 16
            written.writestr(entry, content)
    return archive.getvalue()


def requirements() -> tuple[str, ...]:
    """Return what pip is to install for the grader, torch apart."""
    (name, *_others) = metadata.packages_distributions()[grader.__name__]
    every = metadata.requires(name) or ()
    return tuple(sorted(one for one in every if "extra ==" not in one))


def requirements_file() -> bytes:
    """Return the same as a file for pip."""
    return "".join(f"{one}\n" for one in requirements()).encode()


def engine_and_course(root: Path, folder: str = "") -> dict[str, bytes]:
    """Return the engine's files below `engine/`, and those of the course at `root` in `course/`."""
    return {
        **{f"{folder}engine/grader/{name}": data for name, data in _engine()},
        **{f"{folder}course/{name}": data for name, data in _course(root)},
    }


def _engine() -> Iterator[tuple[str, bytes]]:
    folder = Path(grader.__path__[0])
    for name, data in files_below(folder, folder):
        if name.endswith(_ENGINE_SUFFIXES) or any(one in name for one in _ENGINE_FOLDERS):
            yield name, data


def _course(root: Path) -> Iterator[tuple[str, bytes]]:
    for name in _COURSE:
        if (root / name).is_dir():
            yield from files_below(root / name, root)
        elif (root / name).is_file():
            yield name, (root / name).read_bytes()


def files_below(folder: Path, root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files below a folder; none through a link, and none that a program left there."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in _LEFT_OUT:
            continue
        if path.is_dir() and not is_ignored_folder(path.name):
            yield from files_below(path, root)
        elif path.is_file():
            yield path.relative_to(root).as_posix(), path.read_bytes()
