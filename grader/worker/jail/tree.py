"""Build a root folder that holds the allowed files and nothing else, and move into it.

Runs in a child of its own: the real place of the torch stack is looked up here, and must not
stay in the memory of any process that a worker is forked from.
"""

from __future__ import annotations

import os

from .allowed import DEVICES, Allowed, allowed, other_pythons
from .kernel import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    detach,
    mount,
    named,
)

SCRATCH = "/box"
_BASES = ("/mnt", "/media", "/srv", "/opt", "/home", "/tmp", "/var", "/usr/share")
_KEPT_FLAGS = MS_NOSUID | MS_NODEV | MS_NOEXEC
"""Mount options that an ordinary user may not lift where they are already set."""


def build_and_enter(stack: dict[str, str]) -> None:
    """Build the tree and make it the root of every process in this mount namespace. Raises OSError.

    `stack` maps the folders of packages, as `sys.path` names them, to where they really are.
    """
    os.umask(0o022)
    mount("", "/", flags=MS_REC | MS_PRIVATE)
    files = allowed(stack)
    real = {path: _real(path, stack) for path in (*files.entries, *files.libraries, *DEVICES)}
    base = _base(list(real.values()))
    mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, "size=2m,mode=0755")
    _fill(base, files, real)
    os.mkdir(base + SCRATCH, 0o755)
    os.chdir(base)
    named("pivot_root", b".", b".")
    detach(".")
    os.chdir("/")
    mount("", "/", flags=MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def _real(path: str, stack: dict[str, str]) -> str:
    """Return the real place of a path, if it lies in one of the stack's folders.

    The stack's folders are named by descriptor. Nothing can be bind-mounted through one: it belongs
    to the namespace this process came from.
    """
    for folder, place in stack.items():
        if path.startswith(f"{folder}/"):
            return place + path[len(folder) :]
    return path


def _base(sources: list[str]) -> str:
    """Choose a folder to build the tree on; meanwhile, what lies below it can't be reached."""
    for folder in _BASES:
        beneath = f"{folder}/"
        if os.path.isdir(folder) and not any(path.startswith(beneath) for path in sources):
            return folder
    raise OSError(f"none of {', '.join(_BASES)} is free to build the jail's files on")


def _fill(base: str, files: Allowed, real: dict[str, str]) -> None:
    for link in files.links:
        os.makedirs(os.path.dirname(base + link), exist_ok=True)
        os.symlink(os.readlink(link), base + link)
    for folder in files.libraries:
        hidden = other_pythons(folder)
        _bind(real[folder], base + folder)
        for path in hidden:
            if os.path.isdir(path):
                mount("tmpfs", base + path, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755")
    for path in (*files.entries, *DEVICES):
        _bind(real[path], base + path)
    for folder in files.libraries:
        for path in other_pythons(base + folder):
            if os.path.ismount(path):
                _make_read_only(path)


def _bind(source: str, target: str) -> None:
    if os.path.exists(target):
        return  # it is in a folder that was bound as a whole
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        os.mkdir(target)
    else:
        with open(target, "wb"):
            pass
    mount(source, target, flags=MS_BIND)
    _make_read_only(target)


def _make_read_only(target: str) -> None:
    kept = os.statvfs(target).f_flag & _KEPT_FLAGS
    mount("", target, flags=MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | kept)
