"""The judge compares values and ids, and never the sentences that reports show."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.unit.test_architecture import imports, is_in, modules, parsed

SAYING = ("_", "ngettext", "joined", "course_text", "describe", "in_words", "summary_in_words")
"""Functions that give text in the reader's language."""
SAID = ("observed", "expected", "text", "detail", "in_short")
"""Attributes that hold such text, in an observation, a fault, a note, a cause or a finding."""
PURE = ("grader.judge.compare", "grader.judge.mutants", "grader.judge.reference")
READS_NOTES = "grader.judge.calls"
"""It reads the notes in which a worker says how loading went: the words of the other side."""
FACTS = {"grader.judge.policy.policy": ("one.what not in one.text",)}
"""Comparisons of names in the student's own code, which are no sentences."""


def is_sentence(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in SAYING
    return isinstance(node, ast.Attribute) and node.attr in SAID


def decisions_by_sentence(tree: ast.Module) -> Iterator[str]:
    """Yield the comparisons, one side of which is made for a reader."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(map(is_sentence, [node.left, *node.comparators])):
            against_none = [ast.unparse(side) for side in node.comparators] == ["None"]
            if not against_none:
                yield ast.unparse(node)


def test_comparing_needs_no_language() -> None:
    found = {
        name: [target for target in imports(path, name) if is_in(target, "grader.text.language")]
        for name, path in modules().items()
        if any(is_in(name, package) for package in PURE)
    }
    assert len(found) > 6
    assert {name: targets for name, targets in found.items() if targets} == {}


def test_what_puts_into_words_does_import_the_language() -> None:
    """The positive control."""
    name = "grader.judge.wording.differences"
    assert any(is_in(each, "grader.text.language") for each in imports(modules()[name], name))


def test_nothing_in_the_judge_decides_by_a_sentence() -> None:
    found = {
        name: tuple(decisions_by_sentence(parsed(path)))
        for name, path in modules().items()
        if is_in(name, "grader.judge") and not is_in(name, READS_NOTES)
    }
    assert {name: lines for name, lines in found.items() if lines} == FACTS


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param('label == _("argument {number}", number=1)', True, id="rendered here"),
        pytest.param("one.observed == other.observed", True, id="rendered elsewhere"),
        pytest.param("'NaN' in fault.observed", True, id="searched"),
        pytest.param("summary(one) == summary(other)", False, id="facts"),
        pytest.param("one.outcome is other.outcome", False, id="ids"),
        pytest.param("one.detail is None", False, id="presence"),
    ],
)
def test_a_decision_by_a_sentence_is_found(source: str, found: bool) -> None:
    assert bool(list(decisions_by_sentence(ast.parse(source)))) is found
