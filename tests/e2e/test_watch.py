"""`grader check --watch` in a terminal, as a person uses it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
KEYS = "n next   h hint   l list   a all   q quit\n"

BLUR = """
import torch
from torch.nn import functional as F


def box_blur(images, side):
    if side % 2 == 0:
        raise ValueError(f"side {side} is even")
    padded = F.pad(images[:, None], (side // 2,) * 4, mode="MODE")[:, 0]
    windows = padded.unfold(1, side, 1).unfold(2, side, 1)
    return windows.mean(dim=(-2, -1))
"""
RIGHT, WRONG = BLUR.replace("MODE", "replicate"), BLUR.replace("MODE", "reflect")
SOBEL = '\n\ndef sobel(images):\n    raise NotImplementedError("sobel: replace this line")\n'


HANGS = RIGHT.replace("    if side", "    while True:\n        pass\n    if side")


def command(folder: Path, *options: str) -> list[str]:
    return [
        *(sys.executable, "-m", "grader", "check", *(options or ["--watch"]), str(folder)),
        *("--course", str(TOY), "--isolation", "none"),
    ]


def environ() -> dict[str, str]:
    # A terminal has its own size, whatever those have that tests run in.
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", "LANG": "C.UTF-8"}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A student's folder whose path is short wherever tests run: how lines break hangs on it."""
    with tempfile.TemporaryDirectory(prefix="w-", dir="/tmp") as place:
        made = Path(place) / "work"
        ignored = shutil.ignore_patterns("*.ipynb", "answers*")
        shutil.copytree(TOY / "assignments", made, ignore=ignored)
        yield made


@pytest.fixture
def terminal(folder: Path) -> Iterator[Terminal]:
    with Terminal(command(folder), environ()) as made:
        made.until("0 of 3 exercises done", "not attempted", KEYS, without="rading ")
        yield made


def save(path: Path, text: str) -> None:
    """As many editors do: a new file takes the place of the old one."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def test_a_save_is_graded_and_the_next_exercise_is_offered(
    terminal: Terminal, folder: Path
) -> None:
    (folder / "f1_filters.py").write_text(WRONG + SOBEL, encoding="utf-8")
    page = terminal.until("✗ outputs", KEYS, without="rading ")
    assert page.startswith("░")
    assert "f1.blur" in page

    save(folder / "f1_filters.py", RIGHT + SOBEL)
    terminal.until("1 of 3 exercises done", "f1.blur is done. Next: f1.sobel", KEYS)

    terminal.type("n")
    terminal.until("f1.sobel", "not attempted", KEYS, without="f1.blur")


def test_a_save_that_hangs_is_said_to_be_graded(terminal: Terminal, folder: Path) -> None:
    save(folder / "f1_filters.py", HANGS + SOBEL)
    terminal.until("grading f1.blur (check ", "not attempted", KEYS)


def test_a_small_window_shows_the_head_and_the_next_step(folder: Path) -> None:
    (folder / "f1_filters.py").write_text(WRONG + SOBEL, encoding="utf-8")
    with Terminal(command(folder), environ(), size=(16, 60)) as terminal:
        page = terminal.until("more lines", "next: open", "m more   n next")
        assert "✗ outputs" in page
        assert page.count("\n") < 16

        terminal.type("m")
        terminal.until("A bright pixel", "next: open", without="✗ outputs")


def test_a_check_on_a_terminal_says_at_once_what_it_does(folder: Path) -> None:
    (folder / "f1_filters.py").write_text(WRONG + SOBEL, encoding="utf-8")
    with Terminal(command(folder, "--only", "f1"), environ()) as terminal:
        terminal.until("loading torch and the course ...")
        terminal.until("✗ outputs", "next: open")
        assert terminal.ended() == 1


def test_a_check_in_a_pipe_says_nothing_but_its_report(folder: Path) -> None:
    done = subprocess.run(
        command(folder, "--only", "f1.blur"), env=environ(), capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("filters  ")


def test_keys_give_hints_the_list_and_everything(terminal: Terminal) -> None:
    terminal.type("l")
    page = terminal.until("> ○ f1.blur", "l back")
    assert [line.split()[-4] for line in page.split("\n") if " / " in line] == [
        "f1.blur",
        "f1.sobel",
        "f2.learned",
    ]

    terminal.type("l")
    terminal.until("f1.blur", KEYS, without="f1.sobel")
    terminal.type("h")
    terminal.until("There are no hints for this one.")
    terminal.type("a")
    terminal.until("f1.blur", "f1.sobel", "f2.learned", KEYS)
    terminal.type("q")

    assert terminal.ended() == 1
    assert terminal.shows_what_is_typed


def test_files_that_vanish_come_back_and_arrive_together(terminal: Terminal, folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    terminal.until("the assignment's own file", KEYS)

    save(folder / "f1_filters.py", RIGHT + SOBEL)
    terminal.until("1 of 3 exercises done", KEYS)

    (folder / "f1_filters.py").unlink()
    shutil.copy(TOY / "assignments" / "f2_learned.py", folder)
    shutil.copy(TOY / "assignments" / "f1_filters.ipynb", folder)
    terminal.until("0 of 3 exercises done", KEYS)


def test_half_a_file_is_told_and_mended(terminal: Terminal, folder: Path) -> None:
    with (folder / "f1_filters.py").open("w", encoding="utf-8") as file:
        file.write(RIGHT[:150])
        file.flush()
        terminal.until("SyntaxError", KEYS)
        file.write(RIGHT[150:] + SOBEL)

    terminal.until("1 of 3 exercises done", KEYS)


def test_a_narrower_window_is_drawn_anew(terminal: Terminal) -> None:
    terminal.resize(30, 40)

    page = terminal.until("n next   h hint   l list   a all   q \nquit\n")
    assert max(len(line) for line in page.split("\n") if not line.startswith("next:")) <= 40


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_the_terminal_is_given_back_however_it_ends(
    terminal: Terminal, number: int, code: int
) -> None:
    assert not terminal.shows_what_is_typed

    os.kill(terminal.pid, number)

    assert terminal.ended() == code
    assert terminal.shows_what_is_typed


def test_without_a_terminal_it_prints_and_reads_nothing(folder: Path) -> None:
    process = subprocess.Popen(
        command(folder), env=environ(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        lines = iter(process.stdout.readline, "")
        first = next(line for line in lines if "not attempted" in line)
        save(folder / "f1_filters.py", RIGHT + SOBEL)
        done = next(line for line in lines if "is done" in line)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()

    assert process.wait(60) == 130
    assert first.startswith("f1.blur")
    assert done == "f1.blur is done. Next: f1.sobel\n"
    assert "\x1b" not in rest + first + done


def test_what_cannot_be_watched_is_refused() -> None:
    refused = subprocess.run(
        [*command(ROOT / "tests"), "--format", "json"],
        env=environ(),
        capture_output=True,
        text=True,
    )

    assert refused.returncode == 2
    assert "Error: --watch shows text; leave out --format and --report\n" in refused.stderr
