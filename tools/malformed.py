"""Makes files that nobody should have handed in: cut off, too deep, too long, oddly named, random.

Every kind draws from the `random.Random` that it is given, so that a seed says all.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

STEM = "a1_attention"
ODD_NAMES = (
    "a1_attention\n.py", "a1_attention\t(1).py", "\u202eyp.noitnetta_1a.py", "a1_attention.py\x7f",
    "-rf.py", "con.py", "a1_attention.PY", "a" * 200 + ".py", " .py", "....py", "a1\\attention.py",
    "=1+1.py", "'; drop table results; --.py", "<script>.py", "%00.py", "a1_attention.py.txt",
    "과제1.py", "\u1100\u1161\u110c\u1166.py", "\U0001f600.py",
    os.fsdecode(b"a1_\xff\xfe.py"),
)  # fmt: skip
ODD_VALUES: tuple[object, ...] = (
    None,
    True,
    -1,
    10**400,
    1e308,
    "",
    "x" * 100_000,
    [],
    {},
    [[]],
    "\ud800",
    "\0",
)


def _bytes(chance: random.Random, most: int = 3000) -> bytes:
    return chance.randbytes(chance.randrange(most))


def _notebook(chance: random.Random, source: object = "x = 1\n") -> bytes:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell] * 3}
    return json.dumps(book).encode()


def packed(files: Mapping[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive, the same each time."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = how
            archive.writestr(entry, content)
    return data.getvalue()


def _zip(chance: random.Random, inside: bytes | None = None) -> bytes:
    how = chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    code = inside or b"def softmax(scores):\n    return scores\n" * 20
    return packed({f"{STEM}.py": code, "notes.txt": _bytes(chance)}, how)


def _cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(1, len(data))]


def _flipped(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 20)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _one(
    name: str, make: Callable[[random.Random], bytes]
) -> Callable[[Path, random.Random], Path]:
    """Return what writes one file into a folder of its own, or instead of the folder."""

    def write(place: Path, chance: random.Random) -> Path:
        suffix = name.partition(".")[2]
        alone = suffix not in ("py", "ipynb") or chance.random() < 0.2
        path = place.with_name(f"{place.name}.{suffix}") if alone else place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make(chance))
        return path

    return write


def _tar(chance: random.Random) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        content = _bytes(chance)
        entry = tarfile.TarInfo(chance.choice([f"{STEM}.py", "../out.py", "/etc/a.py", "a/b/c.py"]))
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    pack: tuple[Callable[[bytes], bytes], ...] = (
        bytes,
        lambda data: gzip.compress(data, mtime=0),
        lzma.compress,
    )
    return chance.choice(pack)(data.getvalue())


def _deep(chance: random.Random) -> bytes:
    depth = chance.choice([100, 5_000, 200_000])
    begin, end = chance.choice([(b"[", b"]"), (b'{"cells":', b"}")])
    return begin * depth + (b"1" + end * depth if chance.random() < 0.5 else b"")


def _wrong_values(chance: random.Random) -> bytes:
    book = json.loads(_notebook(chance))
    for _ in range(chance.randrange(1, 4)):
        part = chance.choice([book, book["cells"][0] if _has_cells(book) else book])
        part[chance.choice(sorted(part))] = chance.choice(ODD_VALUES)
    return json.dumps(book).encode("utf-8", "surrogatepass")


def _has_cells(book: Mapping[str, object]) -> bool:
    cells = book.get("cells")
    return isinstance(cells, list) and bool(cells) and isinstance(cells[0], dict)


def _code(chance: random.Random) -> bytes:
    """Return text that is hard to read as Python."""
    number = chance.choice([90, 300, 3_000])
    return chance.choice([
        b"x = " + b"(" * number + b")" * number, b"x = " + b"-" * number + b"1",
        b"if 1:\n" + b"".join(b" " * n + b"if 1:\n" for n in range(1, 120)),
        b"x = " + b"9" * 20_000, b"x = '" + b"y" * 300_000, b"\0" * 50 + b"x = 1\n",
        "def softmax(\ud800): pass".encode("utf-8", "surrogatepass"), "값 = 1\n".encode("cp949"),
        "x = 1\n".encode("utf-16"), b"\xef\xbb\xbf" * 2 + b"x = 1\n", b"# coding: nonsense\nx",
        b"<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> mine\n", b"\x0c\r\x1a", b"",
    ])  # fmt: skip


def _odd_name(place: Path, chance: random.Random) -> Path:
    place.mkdir(parents=True)
    for name in chance.sample(ODD_NAMES, chance.randrange(1, 5)):
        (place / name).write_bytes(b"def softmax(scores):\n    return scores\n")
    return place


def _no_file(place: Path, chance: random.Random) -> Path:
    """What stands where a file should: nothing, a link, a pipe, a folder of its name."""
    place.mkdir(parents=True)
    inside = place / f"{STEM}.py"
    kind = chance.randrange(5)
    if kind == 1:
        inside.symlink_to(chance.choice(["/etc/passwd", "..", inside.name, "/dev/zero"]))
    elif kind == 2:
        os.mkfifo(inside)
    elif kind == 3:
        (inside / "deeper" / f"{STEM}.py").mkdir(parents=True)
    elif kind == 4:
        (place / ("deep/" * chance.choice([5, 60]))).mkdir(parents=True)
    return place


KINDS: Mapping[str, Callable[[Path, random.Random], Path]] = {
    "random bytes, py": _one(f"{STEM}.py", _bytes),
    "random bytes, ipynb": _one(f"{STEM}.ipynb", _bytes),
    "random bytes, zip": _one(f"{STEM}.zip", _bytes),
    "random bytes, tar": _one(f"{STEM}.tar.gz", _bytes),
    "zip, cut off": _one("work.zip", lambda chance: _cut(chance, _zip(chance))),
    "zip, bytes changed": _one("work.zip", lambda chance: _flipped(chance, _zip(chance))),
    "zip in a zip": _one("work.zip", lambda chance: _zip(chance, _zip(chance))),
    "tar, cut off": _one("work.tar.gz", lambda chance: _cut(chance, _tar(chance))),
    "tar, bytes changed": _one("work.tar", lambda chance: _flipped(chance, _tar(chance))),
    "notebook, cut off": _one(f"{STEM}.ipynb", lambda chance: _cut(chance, _notebook(chance))),
    "notebook, bytes changed": _one(
        f"{STEM}.ipynb", lambda chance: _flipped(chance, _notebook(chance))
    ),
    "notebook, odd values": _one(f"{STEM}.ipynb", _wrong_values),
    "notebook, deep": _one(f"{STEM}.ipynb", _deep),
    "notebook, huge cell": _one(
        f"{STEM}.ipynb",
        lambda chance: _notebook(chance, "x = 1\n" * chance.choice([10_000, 500_000])),
    ),
    "code, hard to read": _one(f"{STEM}.py", _code),
    "odd names": _odd_name,
    "no file": _no_file,
}


def make_malformed(folder: Path, count: int, seed: int) -> dict[str, str]:
    """Writes a class of malformed submissions; maps their ids to the kind of each."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {}
    for number in range(count):
        name = list(KINDS)[number % len(KINDS)]
        id = f"malformed-{number:05}"
        KINDS[name](folder / id, random.Random(f"{seed} {number}"))
        kinds[id] = name
    return kinds
