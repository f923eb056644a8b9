"""Every sentence that a student can meet is written so that it can be translated.

Three words in a row make a sentence. In the modules that speak to students each one stands in
`_("…")`, or is what programs, authors or course staff read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.test_architecture import PACKAGE, is_in, modules

SENTENCE = re.compile(r"[A-Za-z]{2,}(?:,? [A-Za-z'’]{2,}){2,}")
TRANSLATED = ("_", "ngettext", "marked")
NOT_FOR_STUDENTS = (
    "grader.batch",
    "grader.circles",
    "grader.commands.batch",
    "grader.commands.doctor",
    "grader.commands.isolation",
    "grader.commands.new",
    "grader.commands.stubs",
    "grader.commands.validate",
    "grader.demos",
    "grader.export",
    "grader.follow_through",
    "grader.handout",
    "grader.markers",
    "grader.misconceptions",
    "grader.mistakes",
    "grader.notebooks",
    "grader.parcel",
    "grader.probes",
    "grader.rubric",
    "grader.scaffold",
    "grader.schema",
    "grader.stub_notebook",
    "grader.stubs",
    "grader.validate",
    "grader.wire",
    "grader.witness",
    "grader.worker.isolation",
    "grader.worker.jail",
    "grader.worker.practice",
    "grader.worker.survey",
    "grader.worker.tiers",
    "grader.written",
    "grader.yaml_source",
)
"""Authors' and course staff's, what is never shown, and texts that are generated or code."""
OURS = {"AssertionError", "RuntimeError", "TypeError", "ValueError", "Violation", "PeerGone"}
"""Raised for mistakes of ours, or at a process of ours."""
AUTHORS = {"CollectionFailed", "ReferenceBroken", "SourceGone", "help", "epilog"}
"""Exceptions and arguments whose words a course's author or the help of a command has."""
KNOWN = {
    "grader": ("has no attribute",),
    "grader.cli": (
        "Exit codes",
        "go together",
        "is where a new course",
        "of what is said",
        "did you mean",
        "is not FORMAT=FILE",
        "leave out --format",
    ),
    "grader.course": ("has no suite",),
    "grader.explanations": ("not valid TOML", "expected why, equation"),
    "grader.intake": ("replace this line",),
    "grader.judge.pytest_bridge": ("inputs depend on", "runs in a worker"),
    "grader.live.session": ("EOF when reading a line",),
    "grader.nursery": ("threads before the first fork",),
    "grader.report.terminal": ("not bold",),
    "grader.watching.screen": ("not bold",),
    "grader.worker.loading.importer": ("matplotlib PIL", "No module named"),
    "grader.worker.loading.loaded": ("EOF when reading a line",),
    "grader.worker.loading.splitting": ("expected an indented",),
    "grader.worker.loading.standins": ("add radd sub", "lt le gt ge"),
    "grader.worker.main": ("no submission was loaded",),
}
"""What is no sentence, is Python's own, or is for authors, by a piece of it."""


def sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and words of every sentence that no catalogue will ever hold."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(id(node.value))  # a docstring
        elif isinstance(node, ast.JoinedStr):
            left_out |= {id(inner) for inner in node.values if isinstance(inner, ast.Constant)}
        elif _is_looked_up_or_ours(node):
            left_out |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) not in left_out and SENTENCE.search(words := _words(node)):
            yield _line(node), words


def _is_looked_up_or_ours(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _name(node) in {*TRANSLATED, *OURS, *AUTHORS}
    return isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg in AUTHORS)


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _words(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        plain = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
        return "".join(map(str, plain))
    return ""


def speaking() -> dict[str, Path]:
    """The modules that students hear."""
    return {name: path for name, path in modules().items() if not is_in(name, *NOT_FOR_STUDENTS)}


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_every_sentence_for_students_can_be_translated() -> None:
    bare = [
        f"{name}:{line}  {words}"
        for name, path in speaking().items()
        for line, words in sentences(parsed(path))
        if not any(piece in words for piece in KNOWN.get(name, ()))
    ]

    assert bare == []


def test_every_exception_to_it_is_one() -> None:
    """No list of exceptions grows stale."""
    unused = [
        f"{name}: {piece}"
        for name, pieces in KNOWN.items()
        for piece in pieces
        if not any(piece in words for _line, words in sentences(parsed(modules()[name])))
    ]

    assert unused == []
    assert [name for name in NOT_FOR_STUDENTS if not any(is_in(m, name) for m in modules())] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param('raise CheckFailed("it is all wrong", "x")', ["it is all wrong"], id="text"),
        pytest.param('note(f"{n} files were read")', ["{} files were read"], id="f-string"),
        pytest.param('TEXTS = {1: "one of these words"}', ["one of these words"], id="table"),
        pytest.param('x = ("this is cut " "in two")', ["this is cut in two"], id="joined"),
        pytest.param('raise CheckFailed(_("it is all wrong"), "x")', [], id="translated"),
        pytest.param('ngettext("one thing is left", "{count} things are left", n)', [], id="count"),
        pytest.param('raise ValueError("a mistake of ours")', [], id="ours"),
        pytest.param('def f():\n    """Only words about code."""', [], id="docstring"),
    ],
)
def test_a_sentence_that_stands_bare_is_found(source: str, found: list[str]) -> None:
    assert [words for _line, words in sentences(ast.parse(source))] == found


def mistakes(tree: ast.Module) -> Iterator[str]:
    """Calls that look up what no catalogue can hold, and names that hide the look-up."""
    imported = any(
        isinstance(node, ast.ImportFrom)
        and (node.module or "").endswith("language")
        and any(alias.name == "_" for alias in node.names)
        for node in ast.walk(tree)
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("_", "ngettext", "marked"):
            texts = node.args[:2] if ast.unparse(node.func) == "ngettext" else node.args[:1]
            if any(isinstance(text, (ast.JoinedStr, ast.BinOp)) for text in texts):
                yield f"{node.lineno}: filled in before it is looked up"
        elif isinstance(node, ast.JoinedStr) and any(map(_looks_up, ast.walk(node))):
            yield f"{node.lineno}: no catalogue sees what stands inside an f-string"
        elif imported and _hides(node):
            yield f"{_line(node)}: `_` is the look-up here"


def _looks_up(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or _name(node) not in TRANSLATED:
        return False
    return any(isinstance(text, ast.Constant) for text in node.args[:1])


def _hides(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Store)


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def test_nothing_is_filled_in_before_it_is_looked_up() -> None:
    found = {name: list(mistakes(parsed(path))) for name, path in modules().items()}

    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param('_(f"{x} is wrong")', ["1: filled in before it is looked up"], id="f-string"),
        pytest.param('_("a" + b)', ["1: filled in before it is looked up"], id="sum"),
        pytest.param(
            "f'{_(\"wrong\")}: x'",
            ["1: no catalogue sees what stands inside an f-string"],
            id="inside",
        ),
        pytest.param("f'{_(TEXTS[x])}: x'", [], id="of a table"),
        pytest.param(
            "from grader.language import _\nfor _ in x:\n    pass",
            ["2: `_` is the look-up here"],
            id="hidden",
        ),
        pytest.param('_("{x} is wrong", x=x)', [], id="right"),
        pytest.param("for _ in x:\n    pass", [], id="no look-up here"),
    ],
)
def test_a_wrong_look_up_is_found(source: str, found: list[str]) -> None:
    assert list(mistakes(ast.parse(source))) == found


def test_the_package_is_what_is_read() -> None:
    assert {PACKAGE / "report" / "words.py", PACKAGE / "judge" / "expect.py"} <= set(
        speaking().values()
    )
