"""Bytes become text and statements, whatever the editor did to them."""

from __future__ import annotations

import codecs
import json
import time

import pytest

from grader.submission.notebook import reduced
from grader.worker.loading.source.blocks import Block, Parsed, decode, parse, read


def parsed(text: str) -> Parsed:
    return parse(Block(text, "a1_attention.py"))


def lines(result: Parsed) -> list[int]:
    return [node.lineno for node in result.statements]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("x = '어텐션'\ny = 2\n".encode(), id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + "x = '어텐션'\ny = 2\n".encode(), id="byte-order-mark"),
        pytest.param("x = '어텐션'\r\ny = 2\r\n".encode(), id="windows-line-ends"),
        pytest.param("x = '어텐션'\ry = 2\r".encode(), id="old-mac-line-ends"),
    ],
)
def test_text_is_the_same_for_every_way_of_saving_it(data: bytes) -> None:
    assert decode(data) == ("x = '어텐션'\ny = 2\n", ())


@pytest.mark.parametrize("encoding", ["cp949", "euc-kr", "latin-1", "utf-8", "iso-8859-15"])
def test_an_encoding_cookie_is_obeyed(encoding: str) -> None:
    word = "café" if "8859" in encoding or "latin" in encoding else "한글"
    text = f"# -*- coding: {encoding} -*-\nx = '{word}'\n"

    assert decode(text.encode(encoding)) == (text, ())


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        pytest.param("x = 1\n# 한글\n".encode("cp949"), 2, "UTF-8", id="korean-without-cookie"),
        pytest.param("# 한글\nx = 1\n".encode("cp949"), 1, "UTF-8", id="korean-in-line-1"),
        pytest.param(b"\n" * 40 + b"s = '\xff'\n", 41, "UTF-8", id="stray-byte"),
        pytest.param(b"# coding: klingon\nx = 1\n", 1, "klingon", id="unknown-encoding"),
        pytest.param(b"# coding: rot13\nx = 1\n", 1, "UTF-8", id="encoding-of-no-text"),
        pytest.param("x = 1\n".encode("utf-16"), None, "UTF-16", id="utf-16"),
        pytest.param(b"x = 1\n# a\0b\n", 2, "NUL", id="nul-byte-in-a-comment"),
    ],
)
def test_bytes_that_are_no_text_are_reported_and_the_rest_is_read(
    data: bytes, line: int | None, words: str
) -> None:
    source = read("a1_attention.py", data)

    assert [fault.line for fault in source.faults] == [line]
    assert words in source.faults[0].message
    assert parse(source.blocks[0]).statements


def test_a_file_of_another_kind_is_a_fault() -> None:
    source = read("a1_attention.docx", b"PK")

    assert source.blocks == ()
    assert "(only .ipynb, .py)" in source.faults[0].message


@pytest.mark.parametrize(
    ("text", "kept", "broken"),
    [
        pytest.param("a = 1\ndef f(:\n    pass\nb = 2\n", [1, 4], [2], id="bad-parameters"),
        pytest.param("a = 1\nf(1, 2\ndef g():\n    pass\n", [1, 3], [2], id="open-bracket"),
        pytest.param("a = 1\nif a\n    b = 2\nc = 3\n", [1, 4], [2], id="missing-colon"),
        pytest.param("def f():\nreturn 1\ndef g():\n    pass\n", [3], [2], id="missing-indent"),
        pytest.param("a = 1\n  b = 2\nc = 3\n", [1, 3], [2], id="stray-indent"),
        pytest.param(
            "def f():\n    a = 1\n      b = 2\n    return a\nc = 3\n", [5], [3], id="indent-inside"
        ),
        pytest.param(
            "def f():\n  if x:\n\treturn 1\n        return 2\nc = 3\n",
            [5],
            [3],
            id="tabs-and-spaces",
        ),
        pytest.param("s = 'open\nt = 2\n", [2], [1], id="open-quote"),
        pytest.param(
            'def f():\n    """open\n    return 1\n\ndef g():\n    """Doc."""\n    return 2\n',
            [5],
            [2],
            id="open-docstring",
        ),
        pytest.param(
            'def f():\n    """Doc\ncolumn zero text\n"""\n    return +\nb = 2\n',
            [6],
            [5],
            id="docstring-at-column-zero",
        ),
        pytest.param("@wrap\ndef f(x)\n    pass\nb = 2\n", [4], [2], id="decorated"),
        pytest.param("def f(:\n  pass\ndef g(:\n  pass\nb = 1\n", [5], [1, 3], id="two-in-a-row"),
        pytest.param("print 'hello'\nb = 2\n", [2], [1], id="python-2"),
        pytest.param("a = 1\nb = a +\n", [1], [2], id="at-the-end"),
        pytest.param("!pip install einops\nb = 2\n", [2], [1], id="shell-line"),
        pytest.param("x = 1\n\ufffd\ny = 2\n", [1, 3], [2], id="not-a-character"),
        pytest.param(
            "a = ### your code\nclass A:\n    def f(self):\n        x = ### your code\n"
            "b = 2\nprint('open\nc = 3\n",
            [5, 7],
            [1, 4, 6],
            id="blanks-left-empty",
        ),
        pytest.param("<<<<<<< HEAD\na = 1\n=======\nb = 2\n", [2, 4], [1], id="merge-marks"),
    ],
)
def test_a_syntax_error_costs_its_own_statement_only(
    text: str, kept: list[int], broken: list[int]
) -> None:
    result = parsed(text)

    assert lines(result) == kept
    assert [fault.line for fault in result.faults] == broken


def test_the_message_of_a_syntax_error_is_pythons_own() -> None:
    fault = parsed("x = 1\nf(1, 2\ny = 3\n").faults[0]

    assert fault.message.startswith("SyntaxError: ")
    assert fault.text == "f(1, 2"


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("(" * 5000 + ")" * 5000, id="brackets"),
        pytest.param("-" * 20000 + "1", id="signs"),
        pytest.param("+".join(["1"] * 20000), id="sum"),
        pytest.param("a" + ".b" * 20000, id="attributes"),
        pytest.param("not " * 20000 + "1", id="nots"),
    ],
)
def test_deep_nesting_costs_its_own_statement_only(expression: str) -> None:
    result = parsed(f"a = 1\nb = {expression}\nc = 3\n")

    assert lines(result) == [1, 3]
    assert [fault.line for fault in result.faults] == [2]


@pytest.mark.parametrize("line", ["f((", "def f(:", '"""', "x ="])
def test_a_file_of_nothing_but_errors_is_read_in_bounded_time(line: str) -> None:
    start = time.perf_counter()
    result = parsed(f"x = 1\n{line}\n" * 10_001)

    assert 1 <= len(result.faults) <= 101
    assert time.perf_counter() - start < 5


def test_reading_gives_up_after_a_hundred_errors() -> None:
    result = parsed("def f(:\n    pass\n" * 150)

    assert len(result.faults) == 101
    assert result.faults[-1].message.endswith("too many errors: the rest of the file was not read")


def test_a_long_file_with_one_error_keeps_every_other_statement() -> None:
    good = "".join(f"def f{i}(x):\n    return x + {i}\n" for i in range(2000))
    result = parsed(good + "def broken(:\n    pass\n" + good)

    assert len(result.statements) == 4000
    assert [fault.line for fault in result.faults] == [4001]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment", "\x0c\n"])
def test_an_empty_file_has_no_statements_and_no_faults(text: str) -> None:
    assert parsed(text) == Parsed((), ())


CONFLICT = "git left conflict marks here: keep one side, delete the marks, and save"


@pytest.mark.parametrize(
    ("text", "kept", "marks"),
    [
        pytest.param(
            "a = 1\n<<<<<<< HEAD\ndef f():\n    return 1\n=======\ndef f():\n    return 2\n"
            ">>>>>>> other\nb = 2\n",
            [1, 3, 6, 9],
            [2],
            id="around-functions",
        ),
        pytest.param(
            "def f():\n    a = 1\n<<<<<<< HEAD\n    return a\n=======\n    return 2\n"
            ">>>>>>> other\ndef g():\n    pass\n",
            [8],
            [3],
            id="inside-a-function",
        ),
        pytest.param(
            "<<<<<<< HEAD\na = 1\n||||||| 1234567\na = 0\n=======\na = 2\n>>>>>>> other\n"
            "b = 1\n<<<<<<< HEAD\nc = 1\n=======\nc = 2\n>>>>>>> other\nd = 1\n",
            [2, 4, 6, 8, 10, 12, 14],
            [1, 9],
            id="two-of-them",
        ),
    ],
)
def test_conflict_marks_are_called_that_once_for_each(
    text: str, kept: list[int], marks: list[int]
) -> None:
    found = parsed(text)

    assert [(fault.line, fault.message) for fault in found.faults] == [
        (line, CONFLICT) for line in marks
    ]
    assert lines(found) == kept


def test_other_errors_beside_a_conflict_keep_their_names() -> None:
    found = parsed("<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> x\ndef f(:\n    pass\nb = 1\n")

    assert [fault.message for fault in found.faults] == [CONFLICT, "SyntaxError: invalid syntax"]


def test_a_heading_underlined_in_a_text_is_no_conflict() -> None:
    found = parsed('"""\n<<<<<<< HEAD\n=======\n>>>>>>> x\n"""\na = 1\n')

    assert found.faults == ()
    [fault] = parsed("=======\na = 1\n").faults
    assert fault.message == "SyntaxError: invalid syntax"


@pytest.mark.parametrize(
    ("path", "data", "says"),
    [
        pytest.param("a.py", b"x = 1\n" * 50_000, "the file has 50,000 lines", id="lines"),
        pytest.param("a.py", b"x = 1;" * 50_000, "the file has 50,000 lines", id="one-line"),
        pytest.param("a.py", b"x = '" + b"a" * (1 << 20) + b"'", "more than 1 MiB", id="size"),
        pytest.param(
            "a.ipynb",
            reduced(
                json.dumps(
                    {"cells": [{"cell_type": "code", "source": "x = 1\n" * 5000}] * 10}
                ).encode()
            ),
            "the file has 50,000 lines",
            id="cells",
        ),
    ],
)
def test_far_too_much_is_not_parsed_and_said_of_the_file(path: str, data: bytes, says: str) -> None:
    source = read(path, data)

    assert source.blocks == ()
    [fault] = source.faults
    assert fault.is_whole
    assert says in fault.message
    assert fault.message.endswith("hand in only your own code")


def test_a_long_file_is_read() -> None:
    assert read("a.py", b"x = 1\n" * 10_000).faults == ()
