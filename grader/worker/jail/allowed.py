"""The files that a worker may read: an allow-list by name, of what Python and torch load late.

The grader itself may lie in `site-packages`, beside torch, and site-packages beneath the standard
library. So a folder is never allowed as a whole if anything else may lie in it.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_STACK = """
    torch torchgen functorch numpy numpy.libs einops typing_extensions.py sympy mpmath networkx
    jinja2 markupsafe filelock fsspec nvidia triton
"""
STACK = tuple(_STACK.split())
"""torch and what it imports, by the names of their entries in a folder of packages."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")
_BESIDES_MODULES = ("__pycache__", "lib-dynload")
_LOADERS = ("libc.so", "libc.musl", "ld-linux", "ld-musl")
_OTHER_PYTHONS = "python"


@dataclass(frozen=True)
class Allowed:
    """The files that a worker can see, by paths that are the same outside and inside the jail."""

    entries: tuple[str, ...]
    """Files, and folders with all that is in them."""
    libraries: tuple[str, ...]
    """Folders of system libraries; packages that other Pythons keep there are excluded."""
    links: tuple[str, ...]
    """Symbolic links on the way to the libraries, which the loader's cache names."""


def allowed(stack: Iterable[str]) -> Allowed:
    """List the files for this interpreter and the folders of packages in `stack`."""
    own = (*_standard_library(), *_own_libraries(), *_present(_SETTINGS))
    packages = tuple(path for folder in stack for path in stack_entries(folder))
    libraries, links = library_folders()
    return Allowed((*own, *packages), libraries, links)


def stack_entries(folder: str) -> tuple[str, ...]:
    return tuple(_present(os.path.join(folder, name) for name in STACK))


def _present(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if os.path.exists(path)]


def _standard_library() -> Iterator[str]:
    """Yield the standard library entry by entry.

    The folder is not allowed as a whole, because site-packages and tests lie in it too.
    """
    folder = sysconfig.get_path("stdlib")
    for name in sorted(os.listdir(folder)):
        module = name.partition(".")[0]
        if (
            module in sys.stdlib_module_names
            or name in _BESIDES_MODULES
            or name.startswith("_sysconfigdata")
        ):
            yield os.path.join(folder, name)


def _own_libraries() -> list[str]:
    """List the shared libraries in `lib` of an interpreter that has a prefix of its own."""
    folder = os.path.join(sys.base_prefix, "lib")
    if sys.base_prefix in ("/", "/usr") or not os.path.isdir(folder):
        return []
    names = sorted(name for name in os.listdir(folder) if name.startswith("lib") and ".so" in name)
    return [os.path.join(folder, name) for name in names]


def library_folders(root: str = "/") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find the folders that hold a C library or its loader, and links in place of such folders."""
    triplet = sysconfig.get_config_var("MULTIARCH") or "none"
    names = [f"{base}/{name}" for base in ("usr", "") for name in ("lib", "lib64")]
    names += [f"usr/lib/{triplet}", f"lib/{triplet}"]
    folders, links = [], []
    for path in (os.path.join(root, name.lstrip("/")) for name in names):
        if os.path.islink(path):
            links.append(path)
        elif os.path.isdir(path) and os.path.realpath(path) == path and _holds_loader(path):
            folders.append(path)
    return tuple(folders), tuple(links)


def _holds_loader(folder: str) -> bool:
    return any(name.startswith(_LOADERS) for name in os.listdir(folder))


def other_pythons(folder: str) -> list[str]:
    """List what must be hidden in a folder of libraries: other interpreters' packages."""
    names = sorted(name for name in os.listdir(folder) if name.startswith(_OTHER_PYTHONS))
    return [os.path.join(folder, name) for name in names]


def library_entries(folder: str) -> list[str]:
    """List the entries of a folder of libraries, if the folder can't be allowed as a whole."""
    hidden = set(other_pythons(folder))
    entries = (os.path.join(folder, name) for name in sorted(os.listdir(folder)))
    return [path for path in entries if path not in hidden]


def readable_by_us(paths: Sequence[str]) -> str | None:
    """Return the first of `paths` that the effective user may not read; None if all may be read."""
    for path in paths:
        mode = os.R_OK | (os.X_OK if os.path.isdir(path) else 0)
        if not os.access(path, mode, effective_ids=True):
            return path
    return None
