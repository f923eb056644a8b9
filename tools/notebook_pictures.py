"""Photographs how each notebook begins in JupyterLab, in each language: `make pictures`.

Needs JupyterLab (`pip install '.[notebook]'`) and Chromium; without one of them it says so, and
leaves the pictures.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.page_pictures import write_small  # noqa: E402
from tools.photographs import browser_for  # noqa: E402

FOLDER = ROOT / "docs" / "pictures" / "jupyterlab"
SIZE = {"width": 940, "height": 2905}
COLOURS = 256
"""Figures have more of them than a page of text."""
START_S = 60.0
SETTINGS_MS = 2000
"""So long formulas and pictures may take to find their places, once the last of them is there."""
QUIET = {"@jupyterlab/apputils-extension:notification": '{"fetchNews": "false"}'}
"""Settings by plugin: a question about news would stand before the text."""


def main(stems: Sequence[str]) -> int:
    """Takes the pictures of these notebooks, or of all, where there is what it takes."""
    executable = browser_for("pictures of notebooks")
    if executable is None:
        return 0
    if find_spec("jupyterlab") is None:
        print("no pictures of notebooks: JupyterLab is not here (pip install '.[notebook]')")
        return 0
    with tempfile.TemporaryDirectory(prefix="grader-lab-") as scratch:
        folder = Path(scratch)
        names = tuple(_laid_out(folder / "notebooks", stems))
        with _jupyterlab(folder) as address:
            _photograph(address, names, executable)
    return 0


def _laid_out(folder: Path, stems: Sequence[str]) -> Iterator[str]:
    """Copies the notebooks side by side, and yields their names: a1_attention, a1_attention.ko."""
    folder.mkdir()
    for path in sorted((ROOT / "assignments").glob("**/*.ipynb")):
        if stems and path.stem not in stems:
            continue
        language = path.parent.relative_to(ROOT / "assignments").name
        name = f"{path.stem}.{language}" if language else path.stem
        shutil.copyfile(path, folder / f"{name}.ipynb")
        yield name


@contextmanager
def _jupyterlab(folder: Path) -> Iterator[str]:
    """Runs a server that nobody else can reach, and yields its address."""
    settings = folder / "settings"
    for plugin, text in QUIET.items():
        package, _, name = plugin.partition(":")
        (settings / package).mkdir(parents=True)
        (settings / package / f"{name}.jupyterlab-settings").write_text(text, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    command += [f"--notebook-dir={folder / 'notebooks'}"]
    environment = {
        **os.environ, "JUPYTERLAB_SETTINGS_DIR": str(settings), "HOME": str(folder),
    }  # fmt: skip
    log = folder / "log.txt"
    with log.open("wb") as out:
        server = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        try:
            address = f"http://127.0.0.1:{port}"
            _await(f"{address}/api", server, log)
            yield address
        finally:
            server.terminate()
            server.wait()


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"JupyterLab did not start:\n{log.read_text('utf-8', 'replace')[-2000:]}")


def _photograph(address: str, names: Sequence[str], executable: str) -> None:
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for name in names:
            page = chromium.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
            page.goto(f"{address}/doc/tree/{name}.ipynb")
            page.locator(".jp-Notebook .jp-MarkdownOutput h1").first.wait_for()
            page.locator(".jp-CodeCell").first.wait_for()
            page.wait_for_timeout(SETTINGS_MS)
            target = FOLDER / f"{name}.png"
            write_small(page.locator(".jp-NotebookPanel").screenshot(), target, COLOURS)
            page.context.close()
            print(f"wrote {target.relative_to(ROOT)}")
        chromium.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
