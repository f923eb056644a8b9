"""A YAML file becomes places with line and column; what is refused: refusals.yaml."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.yaml_source import MAX_DEPTH, Place, Source, displayed, read_source

TEXT = """\
# A comment.
name: 'é ü'   # the line of the value
list:
  - 1
  - 2.5
nested: {yes: true, no: ~, when: 2026-01-01}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(content: str | bytes) -> Source:
    path = Path("a.yaml")
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_source(path)


def root(content: str | bytes) -> Place:
    source = read(content)
    assert source.problems == []
    assert source.root is not None
    return source.root


def entries(place: Place) -> dict[str, Place]:
    found = place.entries()
    assert found is not None
    return found


def test_values_are_found_by_key_and_index() -> None:
    found = entries(root(TEXT))
    assert list(found) == ["name", "list", "nested"]
    items = found["list"].items()
    assert items is not None
    assert [(item.text, item.trail) for item in items] == [
        ("1", ("list", 0)),
        ("2.5", ("list", 1)),
    ]
    assert found["name"].text == "é ü"


@pytest.mark.parametrize(
    ("value", "kind", "text", "shown"),
    [
        pytest.param("word", "str", "word", "'word'", id="word"),
        pytest.param("'1'", "str", "1", "'1'", id="quoted"),
        pytest.param("1", "int", "1", "the number '1'", id="whole number"),
        pytest.param("2.5", "float", "2.5", "the number '2.5'", id="number"),
        pytest.param("no", "bool", "no", "the boolean 'no'", id="boolean"),
        pytest.param("2026-01-01", "timestamp", "2026-01-01", "the date '2026-01-01'", id="date"),
        pytest.param("~", "null", None, "nothing", id="nothing"),
        pytest.param("[1]", "seq", None, "a list", id="list"),
        pytest.param("{a: 1}", "map", None, "a mapping", id="mapping"),
    ],
)
def test_a_value_has_a_kind_a_text_and_words(
    value: str, kind: str, text: str | None, shown: str
) -> None:
    place = entries(root(f"at: {value}"))["at"]
    assert (place.kind, place.text, place.shown) == (kind, text, shown)


def test_only_a_list_has_items_and_only_a_mapping_entries() -> None:
    found = entries(root("list: [1]\nmapping: {a: 1}\nword: x"))
    assert [place.items() is None for place in found.values()] == [False, True, True]
    assert [place.entries() is None for place in found.values()] == [True, False, True]


def test_of_a_key_given_twice_the_first_one_counts() -> None:
    source = read("a: 1\nb: 2\na: 3")
    assert source.root is not None
    found = entries(source.root)
    assert {name: place.text for name, place in found.items()} == {"a": "1", "b": "2"}
    assert [str(problem) for problem in source.problems] == [
        "a.yaml:3:1  a: duplicate key 'a', first given in line 1 - delete one of them"
    ]


def test_a_place_is_named_by_its_last_step() -> None:
    top = root("a: [x]")
    items = entries(top)["a"].items()
    assert items is not None
    assert (top.name, entries(top)["a"].name, items[0].name) == ("", "a", "0")


def test_problems_point_at_the_value_or_at_its_key() -> None:
    top = root("first: 1\nsecond:  2")
    place = entries(top)["second"]
    place.problem("wrong value")
    place.key_problem("wrong key")
    top.key_problem("wrong file")
    assert [str(problem) for problem in place.source.problems] == [
        "a.yaml:2:10  second: wrong value",
        "a.yaml:2:1  second: wrong key",
        "a.yaml:1:1  wrong file",
    ]


def test_every_place_that_was_visited_is_kept() -> None:
    top = root("a: [x, y]")
    entries(top)["a"].items()
    assert list(top.source.places) == [(), ("a",), ("a", 0), ("a", 1)]
    assert top.source.places["a", 1].text == "y"


def test_a_mark_of_utf_8_is_no_text() -> None:
    assert list(entries(root(b"\xef\xbb\xbfa: 1"))) == ["a"]


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfea\0", b"\xfe\xff\0a"],
    ids=["little endian", "big endian"],
)
def test_utf_16_is_known_by_its_mark(content: bytes) -> None:
    source = read(content)
    assert source.root is None
    assert [problem.message for problem in source.problems] == [
        "the file is UTF-16 - save it as UTF-8"
    ]


def test_each_line_that_is_not_utf_8_is_told() -> None:
    problems = read("a: é\nb: c\nc: dü\n".encode("latin-1")).problems
    assert [(problem.line, problem.column) for problem in problems] == [(1, 4), (3, 5)]


def test_a_column_counts_characters_and_not_bytes() -> None:
    (problem,) = read("é: ü".encode() + b"\xff").problems
    assert (problem.line, problem.column) == (1, 5)


@pytest.mark.parametrize(
    ("content", "places"),
    [
        pytest.param("a: 1\x07\nb: \x00", [(1, 5), (2, 4)], id="characters"),
        pytest.param("a: 1\n\tb: 2\nc:\t3", [(2, 1), (3, 3)], id="tabs"),
        pytest.param("a: 1 # one\ttab", [], id="a tab in a comment"),
        pytest.param('a: "\\t"', [], id="a tab that is written out"),
        pytest.param("a: \x85 \xa0 \ud7ff \ue000 \ufffd \U00010000", [], id="rare and allowed"),
    ],
)
def test_what_yaml_cannot_hold_is_told_each_with_its_place(
    content: str, places: list[tuple[int, int]]
) -> None:
    problems = read(content).problems
    assert [(problem.line, problem.column) for problem in problems] == places


def test_nesting_is_read_to_its_limit_and_no_deeper() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert read(deepest).problems == []
    (problem,) = read(f"[{deepest}]").problems
    assert (problem.line, problem.column) == (1, MAX_DEPTH + 1)


def test_one_list_after_another_is_not_deep() -> None:
    assert read("- [a]\n" * (MAX_DEPTH + 1)).problems == []


def test_a_tower_is_told_once_however_high() -> None:
    tower = "[" * 200 + "]" * 200
    assert [problem.message for problem in read(tower).problems] == [
        "nested more than 32 levels deep - take some out"
    ]


def test_every_document_after_the_first_is_told() -> None:
    problems = read("---\na: 1\n---\nb: 2\n---\nc: 3\n").problems
    assert [(problem.line, problem.column) for problem in problems] == [(3, 1), (5, 1)]


def test_what_is_not_to_be_kept_is_overwritten_where_it_was_read() -> None:
    Path("a.yaml").write_bytes(b"a: secret\nb: secret # secret\nc: other\n")
    source = read_source(Path("a.yaml"), re.compile(rb"^[ab]: (secret)", re.MULTILINE))
    assert source.root is not None
    found = {name: place.text for name, place in entries(source.root).items()}
    assert found == {"a": "xxxxxx", "b": "xxxxxx", "c": "other"}


def test_a_file_that_is_not_there_is_a_problem_without_a_line() -> None:
    for pattern in (None, re.compile(b"(x)")):
        (problem,) = read_source(Path("none.yaml"), pattern).problems
        assert str(problem) == "none.yaml  cannot be read: No such file or directory"


def test_an_error_without_words_of_the_system_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_path: Path) -> bytes:
        raise OSError("the disk is gone")

    monkeypatch.setattr(Path, "read_bytes", broken)
    (problem,) = read_source(Path("a.yaml")).problems
    assert str(problem) == "a.yaml  cannot be read: the disk is gone"


def test_a_path_is_short_below_the_working_directory_and_whole_elsewhere(tmp_path: Path) -> None:
    assert displayed(tmp_path / "course" / "a.yaml") == "course/a.yaml"
    assert displayed(tmp_path.parent / "a.yaml") == str(tmp_path.parent / "a.yaml")
