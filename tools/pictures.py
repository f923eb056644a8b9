"""Draws what README shows from real runs: `make pictures`; with `--check`, says what is stale.

The picture is `make demo` as an SVG; the text block is `make check` on the untouched hand-outs.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.demo import sample_class, search, steps  # noqa: E402

README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
COLUMNS = 88
CAPTURES = {columns: ROOT / "docs" / "pictures" / f"mistake-{columns}.svg" for columns in (80, 120)}
"""One mistake from its report to its first hint, in terminals of these widths."""
MISTAKE = "sdpa.masked_fill_dropped"

# Every colour decision of rich and of the commands, taken out of the hands of this terminal.
_PLAIN = {"COLUMNS": "80", "FORCE_COLOR": "", "CLICOLOR_FORCE": "", "NO_COLOR": "1"}
_COLOURED = {
    "COLUMNS": str(COLUMNS),
    "FORCE_COLOR": "1",
    "NO_COLOR": "",
    "COLORTERM": "",
    "TERM": "xterm-256color",
}
_BLOCK = re.compile(r"(?<=<!-- make pictures -->\n```\n).*?(?=```)", re.DOTALL)
# How strongly submissions are kept apart depends on the machine that draws, and is not the topic.
_ISOLATION = re.compile(r"^(?:\x1b\[[0-9;]*m)*isolation  .*\n", re.MULTILINE)
_THEME = TerminalTheme(
    background=(24, 27, 33),
    foreground=(222, 226, 233),
    normal=[
        (24, 27, 33),
        (255, 123, 114),
        (86, 211, 100),
        (227, 179, 65),
        (121, 192, 255),
        (210, 168, 255),
        (86, 212, 221),
        (222, 226, 233),
    ],
    bright=[(148, 156, 168)] * 8,
)
# As rich's own, without its fonts from the network: a picture in a README reaches no host.
_SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: system-ui, sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})"
       clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


def drawn() -> Mapping[Path, str]:
    """Every file with something drawn in it, and what it should hold."""
    with sample_class() as folder:
        screens = [
            f"\x1b[1;32m$\x1b[0m \x1b[1m{step.command}\x1b[0m\n\n{step.output}"
            for step in steps(folder, _COLOURED)
        ]
    readme = README.read_text(encoding="utf-8")
    untouched = plain_check()
    captures = {path: svg(mistake(columns), columns) for columns, path in CAPTURES.items()}
    return {
        PICTURE: svg("\n".join(screens)),
        README: _BLOCK.sub(lambda _: shortened(untouched), readme),
        **captures,
    }


def mistake(columns: int) -> str:
    """What a terminal of that width shows of one mistake, and of the way to its first hint."""
    commands = (
        "check masked_fill_dropped --only a1.sdpa",
        f"explain {MISTAKE}",
        f"explain {MISTAKE} --hint 1",
    )
    environment = {**os.environ, **_COLOURED, "COLUMNS": str(columns), "PYTHONPATH": str(ROOT)}
    environment["PATH"] = search()
    screens = []
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "grader", *command.split()],
            cwd=ROOT / "tests" / "corpus",
            env=environment,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        screens.append(f"\x1b[1;32m$\x1b[0m \x1b[1mgrader {command}\x1b[0m\n\n{done.stdout}")
    return "\n".join(screens)


def plain_check() -> str:
    """What `grader check` prints of the hand-outs as they are.

    Of a script and its notebook the one changed last is taken: of a fresh clone the script. Here
    all are equally old, whatever was touched in this checkout.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT / "assignments", Path(folder, "assignments"))
        for file in copy.rglob("*"):
            os.utime(file, (0, 0))
        done = subprocess.run(
            [sys.executable, "-m", "grader", "check", "assignments", "--course", str(ROOT)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **_PLAIN},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    if done.returncode != 1:
        raise SystemExit(f"grader check of the hand-outs ended with {done.returncode}")
    return _ISOLATION.sub("", done.stdout)


def shortened(printed: str) -> str:
    """The beginning and the end of what is printed, so that README stays one page.

    >>> shortened("1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n")
    '1\\n2\\n3\\n4\\n5\\n...\\n7\\n8\\n'
    """
    lines = printed.splitlines(keepends=True)
    return "".join([*lines[:5], "...\n", *lines[-2:]])


def svg(screen: str, columns: int = COLUMNS) -> str:
    """What a terminal shows, as a picture; the same for the same screen."""
    console = Console(
        file=io.StringIO(), record=True, width=columns, force_terminal=True, color_system="standard"
    )
    console.print(Text.from_ansi(_ISOLATION.sub("", screen).rstrip()), soft_wrap=True)
    picture = console.export_svg(
        title="make demo" if columns == COLUMNS else f"{columns} columns",
        theme=_THEME,
        code_format=_SVG,
        unique_id="demo" if columns == COLUMNS else f"columns-{columns}",
    )
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"


def main() -> int:
    """Writes what is stale; with `--check`, only names it, and fails if there is any."""
    only_check = sys.argv[1:] == ["--check"]
    stale = False
    for path, content in drawn().items():
        name = path.relative_to(ROOT)
        if path.is_file() and path.read_text(encoding="utf-8") == content:
            continue
        stale = True
        if only_check:
            print(f"{name} is stale: make pictures")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
            print(f"wrote {name}")
    return int(stale and only_check)


if __name__ == "__main__":
    sys.exit(main())
