"""A file is there as a whole or as it was before, and nothing is written through a link."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.files.writing import (
    WritingError,
    make_folder,
    remove_unfinished,
    write_file,
    write_files,
    write_new_file,
)
from tests.support.full_disk import fill_up, run_on_a_small_disk


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.csv"
    path.write_text("old")
    path.chmod(0o640)

    write_file(path, (line for line in ("학생,", "점수\r\n")))

    assert path.read_bytes() == "학생,점수\r\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_is_as_readable_as_any(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()

    write_file(tmp_path / "written", b"\xff")

    assert (tmp_path / "written").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert everything_in(tmp_path) == {"plain": b"", "written": b"\xff"}


@pytest.mark.parametrize("write", [write_file, write_new_file])
def test_a_disk_that_fills_up_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, str], object]
) -> None:
    fill_up(monkeypatch)
    path = tmp_path / "a1.py"

    with pytest.raises(WritingError) as caught:
        write(path, "x" * 100)

    assert str(caught.value) == (
        f"{path}: not written, because the disk is full. Free some space, then run this again."
    )
    assert everything_in(tmp_path) == {}


_WRITE_MUCH = """
from pathlib import Path
from grader.files.writing import WritingError, write_file
write_file(Path("{path}"), "old")
try:
    write_file(Path("{path}"), ("x" * 1000 for _ in range(100)))
except WritingError as error:
    print(error)
"""


def test_a_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    """A real one of 64 KiB."""
    path = tmp_path / "gradebook.csv"

    command = [sys.executable, "-c", _WRITE_MUCH.format(path=path)]
    done, files = run_on_a_small_disk(command, tmp_path, kib=64)

    assert "the disk is full" in done.stdout
    assert files == {"gradebook.csv": 3}


def test_files_that_belong_together_come_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    fill_up(monkeypatch, after_files=1)

    with pytest.raises(WritingError, match="b: not written"):
        write_files({tmp_path / "a": "new", tmp_path / "b": "new"})

    assert everything_in(tmp_path) == {"a": b"old"}


def test_a_mistake_in_making_the_content_is_not_about_the_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "first"
        (tmp_path / "record.json").read_text()

    with pytest.raises(FileNotFoundError, match=r"record\.json"):
        write_file(tmp_path / "sheet.md", pieces())

    assert everything_in(tmp_path) == {}


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    link = tmp_path / "report.html"
    link.symlink_to("precious")

    write_file(link, "report")

    assert not link.is_symlink()
    assert everything_in(tmp_path) == {"precious": b"keep", "report.html": b"report"}


def test_a_name_of_another_file_is_not_written_through(tmp_path: Path) -> None:
    """A hard link: two names of one file."""
    (tmp_path / "precious").write_text("keep")
    os.link(tmp_path / "precious", tmp_path / "report.html")

    write_file(tmp_path / "report.html", "report")

    assert everything_in(tmp_path) == {"precious": b"keep", "report.html": b"report"}


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_stays(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "report.html"
    make(path)

    with pytest.raises(WritingError) as caught:
        write_file(path, "report")

    assert str(caught.value) == f"{path}: exists and is not a file. Name another one."
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("points_at", ["nothing", "precious"])
def test_a_new_file_takes_nobodys_place(tmp_path: Path, points_at: str) -> None:
    (tmp_path / "precious").write_text("keep")
    (tmp_path / "link").symlink_to(points_at)

    assert write_new_file(tmp_path / "precious", "new") is False
    assert write_new_file(tmp_path / "link", "new") is False
    assert write_new_file(tmp_path / "new", "new") is True

    assert (tmp_path / "precious").read_text() == "keep"
    assert (tmp_path / "link").readlink() == Path(points_at)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "new", "precious"]


def test_a_new_file_comes_to_a_disk_without_hard_links_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)

    assert write_new_file(tmp_path / "new", "new") is True
    assert everything_in(tmp_path) == {"new": b"new"}


def test_a_folder_that_may_not_be_written_to_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root every folder may be written to, so the refusal is made."""

    def refuse(*args: object, **options: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = tmp_path / "a1.py"
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(WritingError) as caught:
        write_file(path, "x")

    assert str(caught.value) == (
        f"{path}: not written (Permission denied). Name a folder that you may write to."
    )


@pytest.mark.parametrize("inner", ["", "deep/inside"])
def test_a_file_where_a_folder_is_wanted_is_named(tmp_path: Path, inner: str) -> None:
    (tmp_path / "work").write_text("a file")
    folder = tmp_path / "work" / inner

    with pytest.raises(WritingError) as caught:
        make_folder(folder)

    assert str(caught.value) == (
        f"{folder}: {tmp_path / 'work'} exists and is not a folder. Name another one."
    )


def test_folders_are_made_and_may_be_there(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").is_dir()


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    """A class that was killed while a record was written is graded on, and keeps no half of it."""
    kill = "import os, signal; yield_ = iter(lambda: os.kill(os.getpid(), signal.SIGKILL), 0)"
    code = (
        f"{kill}; from pathlib import Path; from grader.files.writing import write_file; "
        "write_file(Path('record.json'), yield_)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path)
    (left,) = tmp_path.iterdir()
    assert ended.returncode == -signal.SIGKILL and left.suffix == ".part"

    dead = left.name.split("-")[2]
    others = [
        left.name.replace(f"-{dead}-", f"-{os.getpid()}-"),
        left.name.replace(left.name.split("-")[1], "00000000"),
        "notes.part",
        "gradebook.csv",
    ]
    for name in others:
        (tmp_path / name).touch()
    remove_unfinished(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)
    remove_unfinished(tmp_path / "not there")
