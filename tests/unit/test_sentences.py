"""Every sentence that a student can meet is written so that it can be translated.

Three words in a row make a sentence. In the modules that speak to students each one stands in
`_("…")`, or is what programs, authors or course staff read.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from grader.cli.cli import COMMANDS
from tests.unit.test_architecture import PACKAGE, is_in, modules

SENTENCE = re.compile(r"[A-Za-z]{2,}(?:,? [A-Za-z'’]{2,}){2,}")
TRANSLATED = ("_", "ngettext", "marked")
NOT_FOR_STUDENTS = (
    "grader.batch",
    "grader.class_report.data",
    "grader.cli.by_person",
    "grader.cli.class_grading",
    "grader.cli.class_progress",
    "grader.cli.course_at",
    "grader.cli.class_entries",
    "grader.cli.commands.adjust",
    "grader.cli.commands.appeal",
    "grader.cli.commands.batch",
    "grader.cli.commands.ci.packaging",
    "grader.cli.commands.collect",
    "grader.cli.commands.doctor",
    "grader.cli.commands.dry_run",
    "grader.cli.commands.export",
    "grader.cli.commands.gradebook",
    "grader.cli.commands.new",
    "grader.cli.commands.marking",
    "grader.cli.commands.merge",
    "grader.cli.commands.prepare",
    "grader.cli.commands.regrade",
    "grader.cli.commands.lens",
    "grader.cli.commands.report",
    "grader.cli.commands.stubs",
    "grader.cli.lost_answers",
    "grader.cli.student_record",
    "grader.cli.written_changes",
    "grader.cli.commands.validate",
    "grader.cli.commands.why",
    "grader.course",
    "grader.validate.lens.proposal",
    "grader.engine.agreement",
    "grader.engine.isolation_probes",
    "grader.engine.isolation_test",
    "grader.engine.preparing",
    "grader.export.canvas",
    "grader.export.graded_class",
    "grader.export.mail_merge",
    "grader.export.matching",
    "grader.export.moodle",
    "grader.export.moodle_columns",
    "grader.export.moodle_feedback",
    "grader.export.nbgrader",
    "grader.export.pages",
    "grader.export.points",
    "grader.export.reports",
    "grader.export.table",
    "grader.export.xlsx",
    "grader.handouts",
    "grader.judge.checks.rubric_names",
    "grader.judge.recorded.preparing",
    "grader.processes.bootstrap",
    "grader.scaffold",
    "grader.store",
    "grader.validate",
    "grader.wire",
    "grader.worker.isolation",
    "grader.worker.jail",
    "grader.worker.survey",
    "grader.worker.tiers",
    "grader.worker.warm_up",
)
"""Authors' and course staff's, what is never shown, and texts that are generated or code."""
OURS = {
    "AssertionError",
    "PeerGone",
    "RuntimeError",
    "TooLarge",
    "TypeError",
    "ValueError",
    "Violation",
}
"""Raised for mistakes of ours, or at a process of ours."""
AUTHORS = {"AuthorFault", "CollectionFailed", "ReferenceBroken", "SourceGone", "help", "epilog"}
"""Exceptions and arguments whose words a course's author or the help of a command has."""
PATTERNS = {"_like"}
"""What is made of words to know them again, and not to say them."""
KNOWN = {
    "grader": ("has no attribute",),
    "grader.cli.cli": ("Exit codes", *COMMANDS.values()),
    "grader.cli.commands.check": ("is not FORMAT=FILE", "leave out --"),
    "grader.cli.commands.check.warm.client": ("import run",),
    "grader.cli.commands.ci": ("Exit codes", "--package needs the file", "--image goes with"),
    "grader.cli.commands.start": ("of what is said",),
    "grader.cli.options": ("of what is said",),
    "grader.cli.suggestion": ("did you mean",),
    "grader.submission.file_choice": ("replace this line",),
    "grader.judge.checks.pytest_bridge": ("inputs depend on", "runs in a worker"),
    "grader.judge.calls.loaded_files": ("is not defined",),
    "grader.judge.recorded.kept_runs": ("CREATE TABLE", "SELECT ", "INSERT "),
    "grader.live.session": ("EOF when reading a line",),
    "grader.live.versions": ("pip install",),
    "grader.release.first_cell": ("import Path",),
    "grader.release.kit": ("pip install",),
    "grader.processes.nursery": ("threads before the first fork",),
    "grader.report.terminal": ("not bold",),
    "grader.watching.screen": ("not bold",),
    "grader.worker.loading.running.importer": ("matplotlib PIL", "No module named"),
    "grader.worker.loading.running.student_builtins": ("EOF when reading a line",),
    "grader.worker.loading.source.splitting": ("expected an indented",),
    "grader.worker.loading.running.standins": ("add radd sub", "lt le gt ge"),
    "grader.worker.loading.running.unimported": ("import ",),
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
        return _name(node) in {*TRANSLATED, *OURS, *AUTHORS, *PATTERNS}
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


@cache
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
            "from grader.text.language import _\nfor _ in x:\n    pass",
            ["2: `_` is the look-up here"],
            id="hidden",
        ),
        pytest.param('_("{x} is wrong", x=x)', [], id="right"),
        pytest.param("for _ in x:\n    pass", [], id="no look-up here"),
    ],
)
def test_a_wrong_look_up_is_found(source: str, found: list[str]) -> None:
    assert list(mistakes(ast.parse(source))) == found


LOOK_UPS = ("_", "ngettext", "course_text")
FILLING = ("format", "format_map", "replace")


def unfilled(tree: ast.Module) -> Iterator[str]:
    """Yield the sentences that are put together after they were looked up.

    Only the look-up knows which form of a Korean particle a value asks for, so it must get the
    values of all {places}, and nothing may be filled in or added behind it.
    """
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = {name for node in ast.walk(function) for name in _looked_up_names(node)}
            for node in ast.walk(function):
                if _fills(node, names):
                    yield f"{_line(node)}: filled in after it was looked up"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("_", "ngettext"):
            if missing := ", ".join(sorted(_unmatched(node))):
                yield f"{node.lineno}: the look-up needs just these values: {missing}"
        elif isinstance(node, ast.BinOp) and _is_put_together(node):
            yield f"{node.lineno}: put together from pieces"


def _is_look_up(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in LOOK_UPS


def _looked_up_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign) and _is_look_up(node.value):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _fills(node: ast.AST, names: set[str]) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    text = node.func.value
    looked_up = _is_look_up(text) or (isinstance(text, ast.Name) and text.id in names)
    return node.func.attr in FILLING and looked_up


def _unmatched(call: ast.Call) -> set[str]:
    """Return the places without a value and the values without a place."""
    is_counted = ast.unparse(call.func) == "ngettext"
    given = {keyword.arg or "" for keyword in call.keywords}
    texts = [text.value for text in call.args[:2] if isinstance(text, ast.Constant)]
    if "" in given or not texts:
        return set()
    places = {
        place for text in texts for _, place, _, _ in string.Formatter().parse(str(text)) if place
    }
    return (places ^ given) - ({"count"} if is_counted else set())


def _is_put_together(sum: ast.BinOp) -> bool:
    """Tell whether anything but a mark such as `### ` is added to what was looked up."""
    sides = (sum.left, sum.right)
    others = [side for side in sides if not _is_look_up(side)]
    is_a_sum = isinstance(sum.op, (ast.Add, ast.Mod)) and len(others) < 2
    return is_a_sum and not (others and _is_mark(others[0]))


def _is_mark(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and not re.search(r"[^\W\d_]", str(node.value))


def test_a_sentence_is_whole_when_it_is_looked_up() -> None:
    found = {name: list(unfilled(parsed(path))) for name, path in modules().items()}

    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param(
            '_("{x} is wrong")', ["1: the look-up needs just these values: x"], id="no value"
        ),
        pytest.param(
            '_("it is wrong", x=x)', ["1: the look-up needs just these values: x"], id="no place"
        ),
        pytest.param('ngettext("{count} in {x}", "{count} in {x}", n, x=x)', [], id="count"),
        pytest.param('_("{x} is wrong", **values)', [], id="values of a table"),
        pytest.param(
            "def f():\n    return course_text(t).format(x=x)",
            ["2: filled in after it was looked up"],
            id="format",
        ),
        pytest.param(
            "def f():\n    text = _(t)\n    return text.replace('{x}', x)",
            ["3: filled in after it was looked up"],
            id="by a name",
        ),
        pytest.param('_("it is wrong") + why', ["1: put together from pieces"], id="sum"),
        pytest.param('_("it is") + _("wrong")', ["1: put together from pieces"], id="two"),
        pytest.param('"### " + _("Notes")', [], id="a mark"),
        pytest.param('def f():\n    return _("{x} is wrong", x=x)', [], id="right"),
    ],
)
def test_a_sentence_in_pieces_is_found(source: str, found: list[str]) -> None:
    assert list(unfilled(ast.parse(source))) == found


def test_the_package_is_what_is_read() -> None:
    assert {PACKAGE / "report" / "words.py", PACKAGE / "judge" / "checks" / "properties.py"} <= set(
        speaking().values()
    )
