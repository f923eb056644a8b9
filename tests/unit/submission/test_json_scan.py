"""JSON is walked through without building what nobody asked for."""

from __future__ import annotations

import json
import time
import tracemalloc

import pytest

from grader.submission import json_scan
from grader.submission.json_scan import Scan, ScanError

AWKWARD = {
    "quotes": 'a "quoted" word',
    "backslashes": "C:\\new\\",
    "both": '\\"',
    "brackets": "]}[{",
    "한글": ["😀", "\u2028", "\0", "\ud800"],
    "nested": [[], {}, [{"a": [1, -2.5e-3, None, True, False]}], ""],
}


@pytest.mark.parametrize("indent", [None, 1], ids=["one line", "indented"])
@pytest.mark.parametrize("ascii_only", [True, False], ids=["escapes", "plain"])
def test_every_value_is_read_as_json_reads_it(indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(AWKWARD, indent=indent, ensure_ascii=ascii_only)
    scan = Scan(text.encode("utf-8", "replace"))

    assert {key: scan.value(10_000) for key in scan.members()} == json.loads(
        text.encode("utf-8", "replace")
    )
    scan.end()


@pytest.mark.parametrize("wanted", AWKWARD)
def test_what_is_skipped_leaves_the_position_behind_it(wanted: str) -> None:
    scan = Scan(json.dumps(AWKWARD, indent=2).encode())

    found = []
    for key in scan.members():
        if key == wanted:
            found.append(scan.value(10_000))
        else:
            scan.skip()

    scan.end()
    assert found == [AWKWARD[wanted]]


def test_items_of_an_array_are_counted_from_zero() -> None:
    scan = Scan(b"[[1], [2, [3]], 4]")
    seen = []
    for position in scan.items():
        seen.append(position)
        scan.skip()
    assert seen == [0, 1, 2]


def test_a_value_beyond_its_limit_is_not_built() -> None:
    scan = Scan(b'{"a": "0123456789", "b": 1}')
    assert [scan.value(5) for _ in scan.members()] == [None, 1]


def test_a_value_nested_too_deeply_is_not_built() -> None:
    assert Scan(b"[" * 20_000 + b"]" * 20_000).value(1 << 20) is None


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param('{"a": 1,\n"b": ', 2, "expected a value, but the file ends", id="cut off"),
        pytest.param('{"a": [1,\n2', 2, "never closed, but the file ends", id="cut in a list"),
        pytest.param('{"a": "text', 1, "expected a value", id="cut in a string"),
        pytest.param('{\n"a" 1}', 2, "expected `:`", id="no colon"),
        pytest.param('{"a": 1\n"b": 2}', 2, "expected `}`", id="no comma"),
        pytest.param("{a: 1}", 1, "expected a name in quotation marks", id="no quotes"),
        pytest.param('{"a": }', 1, "expected a value", id="no value"),
        pytest.param('{"a": 1} x', 1, "more text after the end", id="more after it"),
        pytest.param("[]", 1, "expected `{`", id="another shape"),
        pytest.param("", 1, "expected `{`, but the file ends", id="empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, words: str) -> None:
    scan = Scan(text.encode())
    with pytest.raises(ScanError, match=words) as caught:
        for _ in scan.members():
            scan.skip()
        scan.end()
    assert caught.value.line == line


def test_a_string_that_json_refuses_is_told_where_it_begins() -> None:
    scan = Scan(b'{"a": 1,\n"b": "\\x"}')
    with pytest.raises(ScanError, match="a value cannot be read") as caught:
        [scan.value(100) for _ in scan.members()]
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "filling",
    [
        pytest.param(b"[" * 9_000_000, id="deep"),
        pytest.param(b"[" + b"[]," * 9_000_000 + b"1]", id="wide"),
        pytest.param(b"[" + b'"",' * 9_000_000 + b"1]", id="strings"),
    ],
)
def test_a_hostile_value_is_refused_in_bounded_time(filling: bytes) -> None:
    scan = Scan(b'{"outputs": ' + filling + b"}")
    start = time.perf_counter()
    with pytest.raises(ScanError, match="too much is stored in here"):
        for _ in scan.members():
            scan.skip()
    assert time.perf_counter() - start < 20
    assert json_scan.MAX_PARTS <= 9_000_000


def test_skipping_takes_no_memory() -> None:
    text = b'{"outputs": [' + b'{"text": ["line", 1, []]},' * 40_000 + b"0]}"
    scan = Scan(text)
    tracemalloc.start()
    for _ in scan.members():
        scan.skip()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000
