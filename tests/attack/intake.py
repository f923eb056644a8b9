"""Attacks on how files are read: the folder a student hands in, made on disk and read as such."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.attack.attack import STEM

WORK = "def work(x):\n    return x\n"
CODE = f"{STEM}.py"


@dataclass(frozen=True)
class Folder:
    """A folder handed in. `make` fills it; it is told where a secret file lies."""

    id: str
    aim: str
    make: Callable[[Path, Path], None]
    steals: bool = False
    """Whether a reader that follows whatever it is given reads the secret: the control."""


def _link(folder: Path, secret: Path) -> None:
    (folder / CODE).symlink_to(secret)


def _link_to_folder(folder: Path, secret: Path) -> None:
    (folder / "more").symlink_to(secret.parent)
    (folder / CODE).write_text(WORK)


def _link_chain(folder: Path, secret: Path) -> None:
    (folder / "a.py").symlink_to(secret)
    (folder / CODE).symlink_to("a.py")


def _link_to_itself(folder: Path, secret: Path) -> None:
    (folder / CODE).symlink_to(CODE)
    (folder / "deep").symlink_to(".")


def _link_to_process(folder: Path, secret: Path) -> None:
    (folder / CODE).symlink_to("/proc/self/environ")


def _link_to_endless(folder: Path, secret: Path) -> None:
    (folder / CODE).symlink_to("/dev/zero")


def _fifo(folder: Path, secret: Path) -> None:
    os.mkfifo(folder / CODE)


def _socket(folder: Path, secret: Path) -> None:
    os.mknod(folder / CODE, 0o140600)


def _sparse(folder: Path, secret: Path) -> None:
    with (folder / CODE).open("wb") as file:
        file.truncate(1 << 40)


def _many_files(folder: Path, secret: Path) -> None:
    for number in range(400):
        (folder / f"a{number}.py").write_text(WORK)


def _many_entries(folder: Path, secret: Path) -> None:
    (folder / CODE).write_text(WORK)
    for number in range(21_000):
        (folder / str(number)).touch()


def _deep(folder: Path, secret: Path) -> None:
    place = folder / "/".join("d" * 60)
    place.mkdir(parents=True)
    (place / CODE).write_text(WORK)


def _names(folder: Path, secret: Path) -> None:
    (folder / CODE).write_text(WORK)
    odd = (
        "\u202egnp.py",
        "a\nb.py",
        "\x1b[2J.py",
        "..\\x.py",
        "a" * 240 + ".py",
        "\u200b.py",
        "=1+1.py",
    )
    for name in (*odd, "con.py", "<b>.py", "`x`.py", "::error::.py"):
        (folder / name).write_text(WORK)
    (folder / os.fsdecode(b"\xff\xfe.py")).write_text(WORK)


def _same_name(folder: Path, secret: Path) -> None:
    (folder / CODE).write_text(WORK)
    (folder / f"{STEM.upper()}.py").write_text(WORK)
    for name in ("\u00e9.py", "e\u0301.py"):
        (folder / name).write_text(WORK)


def _notebook(text: str) -> Callable[[Path, Path], None]:
    def make(folder: Path, secret: Path) -> None:
        (folder / f"{STEM}.ipynb").write_text(text)

    return make


def _cells(*sources: str) -> str:
    cells = [{"cell_type": "code", "source": s, "metadata": {}, "outputs": []} for s in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _plugins(folder: Path, secret: Path) -> None:
    (folder / CODE).write_text(WORK)
    passing = "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "pytest_plugin.py"):
        (folder / name).write_text(passing)
    (folder / "x.pth").write_text("import os; os._exit(0)\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / f"{STEM}.cpython-311.pyc").write_bytes(b"\0" * 64)


FOLDERS = (
    Folder("link", "a link to a secret", _link, steals=True),
    Folder("link-to-folder", "a link to a folder of secrets", _link_to_folder),
    Folder("link-chain", "a link to a link to a secret", _link_chain, steals=True),
    Folder("link-to-itself", "links that lead in circles", _link_to_itself),
    Folder("link-to-process", "a link to the reader's environment", _link_to_process, steals=True),
    Folder("link-to-endless", "a link to a file without an end", _link_to_endless),
    Folder("fifo", "a pipe that nobody writes to", _fifo),
    Folder("socket", "a socket", _socket),
    Folder("sparse", "a file of a tebibyte", _sparse),
    Folder("many-files", "400 files", _many_files),
    Folder("many-entries", "21,000 entries", _many_entries),
    Folder("deep", "folders 60 deep", _deep),
    Folder("names", "names that are commands, markup or invisible", _names),
    Folder("same-name", "one name in several spellings", _same_name),
    Folder("plugins", "files that Python and pytest would run by themselves", _plugins),
    Folder("notebook-deep", "JSON 200,000 deep", _notebook("[" * 200_000 + "]" * 200_000)),
    Folder("notebook-cut", "half a notebook", _notebook(_cells(WORK)[:-9])),
    Folder("notebook-list", "JSON that is no notebook", _notebook("[1, 2, 3]")),
    Folder(
        "notebook-types", "cells of other types", _notebook('{"cells": [1, {"source": 7}, null]}')
    ),
    Folder(
        "notebook-number", "a number of 9,000 digits", _notebook('{"cells": ' + "9" * 9000 + "}")
    ),
    Folder(
        "notebook-magics",
        "cells that are shell commands",
        _notebook(_cells("!cat @SECRET@", "%%bash\ncat @SECRET@", "%run @SECRET@", WORK)),
    ),
)
