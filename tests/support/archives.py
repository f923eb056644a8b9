"""Archives made in memory, honest and otherwise."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping

DATE = (2026, 3, 1, 12, 0, 0)
TIME_S = 1_772_366_400


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip as `zip` on Linux or macOS makes it."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, DATE)
            info.create_system, info.external_attr = 3, 0o100644 << 16
            archive.writestr(info, content, method)
    return data.getvalue()


def tarred(files: Mapping[str, bytes], mode: str = "w:gz", form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar with folders before what is in them, as `tar` makes it."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), TIME_S
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def tarred_as(kind: bytes, name: str, link: str = "") -> bytes:
    """A tar with one member of a special kind, beside an honest file."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, link
        archive.addfile(info)
        honest = tarfile.TarInfo("z.py")
        honest.size = 6
        archive.addfile(honest, io.BytesIO(b"z = 1\n"))
    return data.getvalue()


def zipped_link(name: str, target: bytes) -> bytes:
    """A zip with a symbolic link, beside an honest file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        info = zipfile.ZipInfo(name, DATE)
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, target)
        archive.writestr(zipfile.ZipInfo("z.py", DATE), b"z = 1\n")
    return data.getvalue()
