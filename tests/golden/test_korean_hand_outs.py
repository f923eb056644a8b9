"""Hand-outs in Korean: all of the English ones, in Korean, around the same program."""

from __future__ import annotations

import ast
import doctest
import json
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from grader.course.translations import translation
from grader.handouts.generation import render
from grader.handouts.translated_handout import paragraphs
from grader.text.text_width import MAX_COLUMNS, columns
from tools.notebooks import filled_in, stems

ROOT = Path(__file__).resolve().parents[2]
RENDERED = render(ROOT)
ENGLISH = {name: text for name, text in RENDERED.items() if "/" not in name}
KOREAN = {name: RENDERED[f"ko/{name}"] for name in ENGLISH}
CODE = re.compile(r"`[^`]*`")
QUOTED = re.compile(r'"[^"]*"')
AUTHORS = re.compile(r"\w+ et al\.")
THREE_WORDS = re.compile(r"[A-Za-z']{2,}(?: +[A-Za-z']{2,}){2,}")
HANGUL = re.compile(r"[가-힣]")
WORD = re.compile(r"(?<!\w)[A-Za-z]?[a-z]{2,}(?!\w)")
INDENTED = re.compile(r"(?m)^ {4,}\S.*$")
GAP = re.compile(r" {2,}")
ONE_LINE = re.compile(r"\||!\[|\d+\. \[")
"""What Markdown wants on one line: the row of a table, a picture, an entry of the contents."""
SYMBOL = re.compile(r"[=·Σ√←]")
SPOKEN = re.compile(r"\b(?:or|if|the)\b|\b[A-Za-z]{2,}[,:]? [a-z]{2,}\b")


def untranslated(texts: dict[str, str]) -> list[str]:
    """Paragraphs of hand-outs that the catalogue says nothing about."""
    translate = translation(ROOT, "ko")
    return [
        text
        for name, handout in texts.items()
        for text in paragraphs(name, handout)
        if translate(text) == text and THREE_WORDS.search(CODE.sub("", text))
    ]


def shapes(text: str) -> Counter[str]:
    """What stands in brackets with a comma and without a word: `(B, T, d_in)`."""
    brackets = re.findall(r"\([^()]*,[^()]*\)", text)
    return Counter(one for one in brackets if not HANGUL.search(one) and not WORD.search(one))


def formulas(source: str) -> Counter[str]:
    """What stands in docstrings on lines of its own, or between gaps, and holds no words."""
    lines = [line.strip() for text in docstrings(source) for line in INDENTED.findall(text)]
    parts = [part for line in lines for part in GAP.split(line) if SYMBOL.search(part)]
    return Counter(part for part in parts if not HANGUL.search(part) and not SPOKEN.search(part))


def english_in(texts: dict[str, str]) -> list[str]:
    """Runs of three English words in hand-outs, outside code, titles, examples and names."""
    said = [text for name, handout in ENGLISH.items() for text in paragraphs(name, handout)]
    kept = {quote for text in said for quote in QUOTED.findall(text)}
    found = []
    for name, handout in texts.items():
        for text in paragraphs(name, handout):
            bare = QUOTED.sub(lambda quote: "" if quote[0] in kept else quote[0], text)
            found += THREE_WORDS.findall(AUTHORS.sub("", CODE.sub("", bare)))
    return found


def program(source: str) -> str:
    """What Python makes of a source, without its docstrings and texts."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""
    return ast.dump(tree)


def code_cells(notebook: str) -> list[str]:
    cells = json.loads(notebook)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def bare(notebook: str) -> list[dict[str, object]]:
    """The cells of a notebook without what stands in them."""
    return [{**cell, "source": None} for cell in json.loads(notebook)["cells"]]


def examples(source: str) -> list[tuple[str, str]]:
    """The statements of the examples in a source's docstrings, and what they give."""
    parser = doctest.DocTestParser()
    found = [one for text in docstrings(source) for one in parser.get_examples(text)]
    return [(one.source, one.want) for one in found]


def docstrings(source: str) -> list[str]:
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    return [ast.get_docstring(node) or "" for node in nodes]


def test_no_paragraph_lacks_a_translation() -> None:
    assert untranslated(ENGLISH) == []
    assert untranslated({"new.md": "Nobody has translated this yet."}) == [
        "Nobody has translated this yet."
    ]


def test_no_english_sentence_is_left() -> None:
    assert english_in(KOREAN) == []
    assert len(english_in(ENGLISH)) > 1000
    assert english_in({"x.py": "# 뒤에 남은 left behind in here\n"}) == ["left behind in here"]


@pytest.mark.parametrize("name", sorted(ENGLISH))
def test_every_paragraph_of_korean_keeps_its_code(name: str) -> None:
    translate = translation(ROOT, "ko")
    texts = paragraphs(name, ENGLISH[name])
    lost = [
        text
        for text in texts
        if Counter(CODE.findall(text)) != Counter(CODE.findall(translate(text)))
    ]

    assert lost == []
    assert sum(len(CODE.findall(text)) for text in texts) > 0
    assert sum(bool(HANGUL.search(translate(text))) for text in texts) > 0.9 * len(texts)


@pytest.mark.parametrize("name", sorted(ENGLISH))
def test_every_paragraph_of_korean_keeps_its_shapes(name: str) -> None:
    translate = translation(ROOT, "ko")
    texts = paragraphs(name, ENGLISH[name])

    assert [text for text in texts if shapes(text) != shapes(translate(text))] == []


def test_what_is_lost_would_be_seen() -> None:
    assert Counter(CODE.findall("`x` and `y`")) != Counter(CODE.findall("`x`와 y"))
    assert shapes("(B, T, d_in) or (see above, too)") == Counter({"(B, T, d_in)": 1})
    assert shapes("(B, T), as before") != shapes("(T, B), 앞과 같음")
    assert all(shapes(KOREAN[f"{stem}.py"]).total() > 10 for stem in stems())


@pytest.mark.parametrize("stem", stems())
class TestTheSameProgram:
    def test_the_python_file_differs_in_texts_only(self, stem: str) -> None:
        english, korean = ENGLISH[f"{stem}.py"], KOREAN[f"{stem}.py"]

        assert program(english) == program(korean) != program(english + "\nx = 1\n")
        assert HANGUL.search(korean)

    def test_the_notebook_has_the_same_cells(self, stem: str) -> None:
        english, korean = ENGLISH[f"{stem}.ipynb"], KOREAN[f"{stem}.ipynb"]

        assert bare(english) == bare(korean)
        assert list(map(program, code_cells(english))) == list(map(program, code_cells(korean)))

    def test_formulas_and_examples_stay(self, stem: str) -> None:
        english, korean = ENGLISH[f"{stem}.py"], KOREAN[f"{stem}.py"]

        assert examples(english) == examples(korean) != []
        assert formulas(english) == formulas(korean) != Counter()

    def test_the_examples_are_true(self, stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
        module = ModuleType(stem)
        monkeypatch.setitem(sys.modules, stem, module)
        source = filled_in(KOREAN[f"{stem}.py"], stem)
        exec(compile(source, f"{stem}.py", "exec"), module.__dict__)

        results = doctest.testmod(module)

        assert results.attempted > 0
        assert results.failed == 0


@pytest.mark.parametrize("name", sorted(KOREAN))
def test_no_line_is_wider_than_a_screen(name: str) -> None:
    text = KOREAN[name]
    if name.endswith(".ipynb"):
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    prose = [line for line in text.split("\n") if HANGUL.search(line) and not ONE_LINE.match(line)]

    assert [line for line in prose if columns(line) > MAX_COLUMNS] == []
    assert max(map(columns, prose)) > 0.9 * MAX_COLUMNS
