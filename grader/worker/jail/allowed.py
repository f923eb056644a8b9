"""The files that a worker may read: an allow-list by name, of what Python and torch load late.

The grader itself may lie in `site-packages`, beside torch, and site-packages beneath the standard
library. So folders are never allowed as a whole where something of another owner may be in them.
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
    """What exists for a worker, by paths that hold outside and inside the jail alike."""

    entries: tuple[str, ...]
    """Files and folders, complete with all that is in them."""
    libraries: tuple[str, ...]
    """Folders of system libraries, without what other Pythons keep there."""
    links: tuple[str, ...]
    """Links on the way to the libraries: the loader's cache names them."""


def allowed(stack: Iterable[str]) -> Allowed:
    """For this interpreter and the folders of packages in `stack`."""
    own = (*_standard_library(), *_own_libraries(), *_present(_SETTINGS))
    packages = tuple(path for folder in stack for path in stack_entries(folder))
    libraries, links = library_folders()
    return Allowed((*own, *packages), libraries, links)


def stack_entries(folder: str) -> tuple[str, ...]:
    return tuple(_present(os.path.join(folder, name) for name in STACK))


def _present(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if os.path.exists(path)]


def _standard_library() -> Iterator[str]:
    """Entry by entry: what else lies there (site-packages, test) is not the library."""
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
    """What an interpreter of its own prefix keeps beside its standard library."""
    folder = os.path.join(sys.base_prefix, "lib")
    if sys.base_prefix in ("/", "/usr") or not os.path.isdir(folder):
        return []
    names = sorted(name for name in os.listdir(folder) if name.startswith("lib") and ".so" in name)
    return [os.path.join(folder, name) for name in names]


def library_folders(root: str = "/") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders that hold a C library or its loader, and the links that lead to such folders."""
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
    """What must be hidden in a folder of libraries: packages for an interpreter."""
    names = sorted(name for name in os.listdir(folder) if name.startswith(_OTHER_PYTHONS))
    return [os.path.join(folder, name) for name in names]


def library_entries(folder: str) -> list[str]:
    """A folder of libraries as single entries, where it can't be allowed as a whole."""
    hidden = set(other_pythons(folder))
    entries = (os.path.join(folder, name) for name in sorted(os.listdir(folder)))
    return [path for path in entries if path not in hidden]


def readable_by_us(paths: Sequence[str]) -> str | None:
    """The first of `paths` that this process, as whom it acts, may not read; None if it may all."""
    for path in paths:
        mode = os.R_OK | (os.X_OK if os.path.isdir(path) else 0)
        if not os.access(path, mode, effective_ids=True):
            return path
    return None
