"""Make the wheel of the running grader for the kit, without a network and the same byte for byte.

It holds what `pip wheel` puts into one from a clone (`tests/e2e/test_wheel.py` compares them), and
can be made where the grader is installed and there is no clone.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

import grader

from ..export.ci.package_files import files_below, zipped
from ..text.language import _
from .leaks import Leak, leaks
from .secrets import SecretLine

_SOURCES_OF_TRANSLATORS = ".po"
_TAGS = "Wheel-Version: 1.0\nGenerator: grader release\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_OF_ITS_INFO = ("METADATA", "entry_points.txt", "top_level.txt", "licenses/LICENSE")
_VERSION = re.compile(r"^Version: .*$", re.MULTILINE)
LEAST_SHARED = 3
MOST_SHARED = 0.2
"""A hidden file is in the engine if so many of its lines are, and so large a share of them."""


class NoWheelError(Exception):
    """A grader that runs without being installed, so that nobody knows what it needs."""

    def __str__(self) -> str:
        return _(
            "the grader is not installed here, and so no wheel can be made of it: install it, or "
            "add --no-wheel"
        )


def wheel_name() -> str:
    """Return the name of the wheel's file, which pip reads: it says name and version.

    Raises NoWheelError.
    """
    return f"{_in_file_names()}-{grader.__version__}-py3-none-any.whl"


def grader_wheel() -> bytes:
    """Return the wheel. Raises NoWheelError."""
    folder = Path(grader.__path__[0])
    files = {
        f"grader/{name}": data
        for name, data in files_below(folder, folder)
        if not name.endswith(_SOURCES_OF_TRANSLATORS)
    }
    info = f"{_in_file_names()}-{grader.__version__}.dist-info"
    files |= {f"{info}/{name}": data for name, data in _info().items()}
    record = f"{info}/RECORD"
    lines = [f"{name},{_digest(data)},{len(data)}" for name, data in sorted(files.items())]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    return zipped(files, ())


def leaks_in_wheel(files: Mapping[str, bytes], secrets: Iterable[SecretLine]) -> Iterator[Leak]:
    """Yield each line of a solution in a wheel, and what it holds of a hidden file.

    Single lines of hidden suites and mistakes stand in the engine too, as they do in any program:
    of these a file's lines are leaks if three are there, and more than a fifth of all.
    """
    known = tuple(secrets)
    every = Counter(map(_file_of, known))
    seen = tuple(leaks(files, known))
    shared = Counter(_file_of(leak.secret) for leak in seen)
    for leak in seen:
        file = _file_of(leak.secret)
        is_there = shared[file] >= max(LEAST_SHARED, MOST_SHARED * every[file])
        if is_there or file.count("/") == 1:
            yield leak


def _file_of(secret: SecretLine) -> str:
    return secret.place.rpartition(":")[0]


@functools.cache
def _distribution() -> str:
    """Return the name by which pip knows the grader. Raises NoWheelError."""
    known = metadata.packages_distributions().get(grader.__name__)
    if not known:
        raise NoWheelError
    return known[0]


def _in_file_names() -> str:
    return _distribution().replace("-", "_")


def _info() -> dict[str, bytes]:
    """Return the files that say what the package is and needs, from the one that is installed."""
    every = metadata.distributions(name=_distribution())
    # In a clone a build may have left a folder that says less than what pip has installed.
    installed = next((one for one in every if one.read_text("METADATA")), None)
    if installed is None:
        raise NoWheelError
    texts = {name: installed.read_text(name) for name in _OF_ITS_INFO}
    metadata_text = texts["METADATA"] or ""
    # A clone that was set up before the version changed still has the old one there.
    texts["METADATA"] = _VERSION.sub(f"Version: {grader.__version__}", metadata_text, count=1)
    return {"WHEEL": _TAGS.encode()} | {
        name: text.encode() for name, text in texts.items() if text is not None
    }


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
    return f"sha256={digest.rstrip('=')}"
