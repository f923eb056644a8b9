"""A file of another system is read with the place of each cell, or refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.export.exported import ExportError
from grader.export.table import LIMIT_CELL, read_table

TEXT = 'Name,Note\r\n"One, ""A""",x\r\n홍길동,"two\r\nlines"\r\n\r\nlast,\r\n'


def saved(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "file.csv"
    path.write_bytes(data)
    return path


def refusal(tmp_path: Path, data: bytes) -> str:
    path = saved(tmp_path, data)
    with pytest.raises(ExportError) as refused:
        read_table(path)
    return str(refused.value).removeprefix(str(path))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16", "utf-16-be"], ids=str
)
@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_cells_lines_and_bytes(tmp_path: Path, encoding: str, separator: str) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    data = mark + TEXT.replace(",", separator).encode(encoding)
    table = read_table(saved(tmp_path, data))

    assert table.header == ("Name", "Note")
    assert [(row.line, row.texts) for row in table.rows] == [
        (2, (f'One{separator} "A"', "x")),
        (3, ("홍길동", "two\r\nlines")),
        (6, ("last", "")),
    ]
    assert table.filled({}) == data


def test_what_is_filled_changes_no_other_byte(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, TEXT.encode("utf-8-sig")))
    first, _, last = table.rows

    filled = table.filled({last.cells[1]: 'say "hi", twice', first.cells[1]: "3.5"})

    assert filled.decode("utf-8-sig") == (
        'Name,Note\r\n"One, ""A""",3.5\r\n홍길동,"two\r\nlines"\r\n\r\nlast,"say ""hi"", twice"\r\n'
    )


def test_letters_that_an_encoding_lacks(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, "이름,점수\n하나,\n".encode("cp949")))

    assert table.lacks("good 👍")
    assert not table.lacks("좋아요")
    assert table.filled({table.rows[0].cells[1]: "👍"}) == "이름,점수\n하나,?\n".encode("cp949")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", ": there is nothing in it."),
        (b"\n\n  \n", ": there is nothing in it."),
        (b"a,b\n1,2\n1\n", ":3: 1 cells, and the header has 2."),
        (b"a,b\n1,2,3\n", ":2: 3 cells, and the header has 2."),
        (b'a,b\n1,"2\n', ":2: a quotation mark that nothing closes."),
        (b'a,b\n"1"x,2\n', ":2: 'x,2' behind a closing quotation mark."),
        (b'a,b\n"1\n\n",2\na,b\n', ":5: the header of line 1 once more."),
        (b"a,b\n1,\0\n", ":2: a zero byte, which no table has."),
        (b"\x81\xff\xff", ": saved neither as UTF-8 nor as CP949."),
        (b"\xff\xfea", ": saved neither as UTF-8 nor as CP949."),
        (
            b"a,b\n1," + b"x" * (LIMIT_CELL + 1) + b"\n",
            ":2: a cell of 1000001 characters; 1000000 are the most.",
        ),
    ],
    ids=[
        "empty", "blank", "a cell missing", "a cell too many", "open quote", "behind a quote",
        "two headers", "zero byte", "no encoding", "half a letter", "huge cell",
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_with_its_line(tmp_path: Path, data: bytes, words: str) -> None:
    assert refusal(tmp_path, data).startswith(words)


def test_a_file_that_is_not_there_or_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ExportError, match=r"none.csv: cannot be read \(No such file"):
        read_table(tmp_path / "none.csv")
    monkeypatch.setattr("grader.export.table.LIMIT_BYTES", 3)
    assert refusal(tmp_path, b"a,b\n").startswith(": larger than")
