"""Docstrings and names say what they mean to a stranger: one word for one thing.

The words are those of the glossary in CONTRIBUTING.md.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.unit.test_architecture import modules, parsed

RIDDLE = re.compile(r"(?:What|Whether|Which|How|Where|Why|Who)\b")
"""A docstring that opens like this is a subordinate clause without a sentence."""


def riddles(tree: ast.Module) -> Iterator[str]:
    """Yield each docstring that opens like a riddle, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node) or ""
            if RIDDLE.match(text):
                yield f"{getattr(node, 'lineno', 1)}: {text.splitlines()[0]}"


def test_no_docstring_opens_with_a_riddle() -> None:
    found = {name: list(riddles(parsed(path))) for name, path in modules().items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param('"""Whose fault it is."""', [], id="another word"),
        pytest.param('"""What it is."""', ["1: What it is."], id="module"),
        pytest.param('def f():\n    """Whether so."""', ["1: Whether so."], id="function"),
        pytest.param('class C:\n    """Where it is."""', ["1: Where it is."], id="class"),
        pytest.param('def f():\n    """Tell where it is."""', [], id="sentence"),
    ],
)
def test_a_riddle_is_found(source: str, found: list[str]) -> None:
    assert list(riddles(ast.parse(source))) == found


JARGON = {
    "bench": "check context",
    "errand": "deferred call",
    "errands": "deferred calls",
    "holdings": "loaded modules",
    "parcel": "bootstrap",
    "rehearsal": "mutant run",
    "rehearsals": "mutant runs",
    "seat": "lane state",
    "seats": "lane states",
    "stirred": "reseeded",
    "twin": "matched pair, or the other module",
    "twins": "matched pairs",
    "witness": "isolation test",
    "witnessed": "tested",
}
"""Riddles, and the term to write instead: in names and in docstrings."""
VAGUE = {
    "asked": "requested, or a noun",
    "found": "result, match, or the noun it holds",
    "heard": "received",
    "lending": "callbacks",
    "patience": "time limit",
    "pristine": "restored state",
    "said": "reported, reply, or a noun",
    "sight": "check trace",
    "told": "message, or a noun",
}
"""Words that say nothing about what a name holds; in a docstring they are plain English."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def names_made(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each name that the code itself gives, with its line: not those that it only uses."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield node.lineno, name


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each docstring with its line, those of constants and fields too."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text


def banned(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each banned word with its line and the term to write in its place."""
    for line, name in names_made(tree):
        for word in map(str.lower, _WORD.findall(name)):
            if term := {**JARGON, **VAGUE}.get(word):
                yield word, f"{line}: the name `{name}`: write {term}"
    for line, text in docstrings(tree):
        for word in re.findall(r"[a-z]+", text.lower()):
            if term := JARGON.get(word):
                yield word, f"{line}: `{word}` in a docstring: write {term}"


def test_names_and_docstrings_use_the_words_of_the_glossary() -> None:
    wrong = {name: [line for _, line in banned(parsed(path))] for name, path in modules().items()}
    assert {name: lines for name, lines in wrong.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        pytest.param("told = 1", ["1: the name `told`: write message, or a noun"], id="variable"),
        pytest.param(
            "class LaneSeat: ...", ["1: the name `LaneSeat`: write lane state"], id="class"
        ),
        pytest.param(
            "def f(errand): ...", ["1: the name `errand`: write deferred call"], id="argument"
        ),
        pytest.param("self._told = 1", ["1: the name `_told`: write message, or a noun"], id="own"),
        pytest.param(
            '"""Run the twins."""',
            ["1: `twins` in a docstring: write matched pairs"],
            id="docstring",
        ),
        pytest.param('"""Tell what was found."""', [], id="plain English"),
        pytest.param("raise FileNotFoundError", [], id="somebody else's name"),
        pytest.param("seated = 1", [], id="another word"),
    ],
)
def test_a_banned_word_is_found(source: str, lines: list[str]) -> None:
    assert [line for _word, line in banned(ast.parse(source))] == lines


def class_names() -> Counter[str]:
    """Count the classes of each name, nested ones too."""
    return Counter(
        node.name
        for path in modules().values()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef)
    )


def test_no_class_name_has_two_meanings() -> None:
    assert [name for name, count in class_names().items() if count > 1] == []


def test_the_classes_are_seen() -> None:
    assert {"Rubric", "Submission", "Engine", "_Texts"} <= {*class_names()}
