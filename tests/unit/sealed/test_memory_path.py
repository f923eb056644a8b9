"""A path of a sealed course reads as the same path on disk does, and nothing else reads it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from grader.course.rubric_file import load_rubric
from grader.release.sealing import files_to_seal
from grader.sealed.ciphers import new_key
from grader.sealed.memory_path import (
    OpenedFile,
    SealedPath,
    content_digest,
    opened_file,
    sealed_root,
)
from grader.sealed.refusal import SealedError
from grader.sealed.sealed_file import seal, unseal

TOY = Path(__file__).parents[2] / "toy_course"
KEY = new_key()
OUTLINE, REST = files_to_seal(TOY)
DATA = seal(OUTLINE, REST, KEY, date(2027, 6, 30), {})
PLACE = Path("/nowhere/toy.sealed")


def root(*, whole: bool = True) -> SealedPath:
    course = unseal(DATA, KEY.grading, date(2027, 6, 30), "f", whole=whole)
    return sealed_root(OpenedFile(PLACE, course, KEY.grading))


def names(paths: object, below: Path) -> list[str]:
    assert isinstance(paths, list)
    listed = sorted(path.relative_to(below).as_posix() for path in paths)
    return [name for name in listed if "__pycache__" not in name]


def binary(at: Path) -> bytes:
    with (at / "rubric.yaml").open("rb") as file:
        data: bytes = file.read()
        return data


def lines(at: Path) -> list[str]:
    with (at / "rubric.yaml").open(encoding="utf-8") as file:
        return list(file)


SUITES = "tests/suites"
READERS: dict[str, Callable[[Path], object]] = {
    "file": lambda at: (at / "rubric.yaml").is_file(),
    "folder": lambda at: (at / "reference").is_dir(),
    "folder is no file": lambda at: (at / "reference").is_file(),
    "file is no folder": lambda at: (at / "rubric.yaml").is_dir(),
    "root": lambda at: at.is_dir(),
    "nothing": lambda at: [(at / "no.py").is_file(), (at / "no").is_dir(), (at / "no").exists()],
    "half a name": lambda at: (at / "ref").exists(),
    "there": lambda at: (at / "reference" / "exercises").exists(),
    "text": lambda at: (at / "rubric.yaml").read_text(encoding="utf-8"),
    "bytes": lambda at: (at / "reference/f1_filters.py").read_bytes(),
    "binary": binary,
    "lines": lines,
    "parent": lambda at: (at / SUITES / "x").parent.parent.joinpath("../rubric.yaml").name,
    "listed": lambda at: names(list((at / SUITES / "f1_filters").iterdir()), at),
    "folders": lambda at: names(list((at / "reference/exercises").glob("*/")), at),
    "pattern": lambda at: names(list((at / SUITES / "f1_filters").glob("test_*.py")), at),
    "deep pattern": lambda at: names(list((at / "tests").rglob("test_*.py")), at),
    "everything": lambda at: names(list((at / "reference").rglob("*")), at),
    "rubric": lambda at: load_rubric(at / "rubric.yaml"),
    "digest": lambda at: content_digest(at / "rubric.yaml"),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_sealed_path_answers_as_one_on_disk(read: Callable[[Path], object]) -> None:
    assert read(root()) == read(TOY)


def test_what_is_not_there_is_an_error_as_on_disk() -> None:
    with pytest.raises(FileNotFoundError):
        (root() / "reference" / "no.py").read_text(encoding="utf-8")


def test_nothing_is_written() -> None:
    with pytest.raises(OSError, match="Read-only"):
        (root() / "rubric.yaml").open("w")
    with pytest.raises(OSError):
        (root() / "new.txt").write_text("x", encoding="utf-8")


def test_other_ways_to_read_get_nothing() -> None:
    """By the name alone there is nothing, since the course is no folder."""
    with pytest.raises(OSError):
        Path(str(root() / "rubric.yaml")).read_bytes()


def test_two_courses_do_not_read_each_other() -> None:
    data = seal({"a": b"1"}, {}, KEY, date(2027, 6, 30), {})
    other = unseal(data, KEY.grading, date(2027, 6, 30), "f", whole=True)
    first, second = root(), sealed_root(OpenedFile(PLACE, other, KEY.grading))
    assert (second / "a").read_bytes() == b"1"
    assert not (first / "a").is_file()
    assert not (second / "rubric.yaml").is_file()


def test_only_the_judge_reads_beyond_the_outline() -> None:
    outline = root(whole=False)
    suite = outline / SUITES / "f1_filters" / "test_blur.py"
    assert suite.is_file()
    assert content_digest(suite) == content_digest(TOY / SUITES / "f1_filters" / "test_blur.py")
    with pytest.raises(SealedError) as error:
        suite.read_bytes()
    assert str(error.value) == (
        f"{suite}: only the grading process opens this part of a sealed course."
    )
    assert (root() / SUITES / "f1_filters" / "test_blur.py").read_bytes()  # the control


def test_a_path_knows_its_course() -> None:
    opened = opened_file(root() / "reference")
    assert opened is not None and opened.place == PLACE
    assert opened_file(TOY) is None
