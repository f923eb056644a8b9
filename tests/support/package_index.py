"""Package indexes on this machine, with small wheels that only have the names of large ones."""

from __future__ import annotations

import functools
import http.server
import socket
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote


@dataclass(frozen=True)
class Wheel:
    """A package of one module, which only says its version."""

    name: str
    version: str
    needs: Sequence[str] = ()
    extras: Sequence[str] = ()
    scripts: Mapping[str, str] = field(default_factory=dict)

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    @property
    def file(self) -> str:
        return f"{self.module}-{self.version}-py3-none-any.whl"

    def write(self, folder: Path) -> None:
        info = f"{self.module}-{self.version}.dist-info"
        needs = "".join(f"Requires-Dist: {one}\n" for one in self.needs)
        needs += "".join(f"Provides-Extra: {one}\n" for one in self.extras)
        head = f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {self.version}\n"
        files = {
            f"{self.module}/__init__.py": f"__version__ = {self.version!r}\n",
            f"{info}/METADATA": head + needs,
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        for name, text in self.scripts.items():
            files[f"{self.module}-{self.version}.data/scripts/{name}"] = text
        record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
        with zipfile.ZipFile(folder / self.file, "w") as archive:
            for name, text in {**files, f"{info}/RECORD": record}.items():
                member = zipfile.ZipInfo(name)
                member.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
                archive.writestr(member, text)


@dataclass
class Index:
    """A package index that is being served."""

    url: str
    asked: list[str] = field(default_factory=list)
    """What was asked for, as paths."""

    @property
    def downloaded(self) -> list[str]:
        """The files that were fetched whole."""
        files = [unquote(path.rpartition("/")[2]) for path in self.asked]
        return [file for file in files if file.endswith(".whl")]


@contextmanager
def serving(folder: Path, *wheels: Wheel) -> Iterator[Index]:
    """An index of these wheels, on a port of the loopback address, while the block runs."""
    for wheel in wheels:
        place = folder / "simple" / wheel.name.lower().replace("_", "-")
        place.mkdir(parents=True, exist_ok=True)
        wheel.write(place)
    for place in (folder / "simple").glob("*"):
        links = "".join(f'<a href="{one.name}">{one.name}</a>\n' for one in place.glob("*.whl"))
        (place / "index.html").write_text(f"<!DOCTYPE html><html><body>\n{links}</body></html>\n")
    index = Index("")
    handler = functools.partial(_Handler, index.asked, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    index.url = f"http://127.0.0.1:{server.server_address[1]}/simple"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def unreachable() -> str:
    """The address of an index where nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/simple"


class _Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, asked: list[str], *arguments: object, **named: object) -> None:
        self.asked = asked
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: what was asked for is kept in `asked`."""
