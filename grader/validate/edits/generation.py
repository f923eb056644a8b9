"""Make every mutant of a program: each change that the grammar knows, at each place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import arithmetic, calls, everywhere, names, state, statements, steps, tensors
from .change import Operator, Program, TextChange

OPERATORS = (
    *tensors.OPERATORS,
    *arithmetic.OPERATORS,
    *calls.OPERATORS,
    *statements.OPERATORS,
    *state.OPERATORS,
    *names.OPERATORS,
)
WIDER_OPERATORS = (
    *tensors.WIDER_OPERATORS,
    *calls.WIDER_OPERATORS,
    *statements.WIDER_OPERATORS,
    *names.WIDER_OPERATORS,
    *steps.OPERATORS,
    *everywhere.OPERATORS,
)
"""What a lens tries besides. A suite is not proven on these: each would need its check."""
PRELUDE = tensors.PRELUDE + state.PRELUDE
BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"


@dataclass(frozen=True)
class Mutant:
    """A program with one change in it."""

    definition: str
    """The function or class at the top of the file in which the change is."""
    line: int
    column: int
    operator: str
    before: str
    after: str
    source: str


def definitions(source: str) -> tuple[str, ...]:
    """Return the names of the functions and classes at the top of a reference, in their order."""
    body = ast.parse(source).body
    tops = [one.name for one in body if isinstance(one, (ast.FunctionDef, ast.ClassDef))]
    return tuple(dict.fromkeys(tops))


def mutants(
    source: str, definition: str = "", operators: Sequence[Operator] = OPERATORS
) -> Iterator[Mutant]:
    """Yield every mutant of a reference, changed where students write.

    Only those of one definition, if it is named. No two of a definition have the same tree, and
    none has the reference's.
    """
    program = Program(source)
    lines = _solution_lines(source)
    for top in program.tree.body:
        if isinstance(top, (ast.FunctionDef, ast.ClassDef)) and definition in ("", top.name):
            seen = {_tree(program.text(top))}
            for change in _changes(program, top, operators):
                changed = program.changed(change, top)
                tree = _tree(changed) if change.node.lineno in lines else ""
                if tree and tree not in seen:
                    seen.add(tree)
                    yield _mutant(program, top, change, changed)


def _changes(
    program: Program, top: ast.stmt, operators: Sequence[Operator]
) -> Iterator[TextChange]:
    for node in _nodes(top):
        for operator in operators:
            yield from operator(program, node)


def _tree(text: str) -> str:
    """Return a text's tree as a text; "" if it is no Python."""
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""


def _nodes(top: ast.stmt) -> Iterator[ast.AST]:
    """Yield what can be changed: no annotations, docstrings or texts with values in them."""
    waiting: list[ast.AST] = [top]
    while waiting:
        node = waiting.pop(0)
        yield node
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list"):
                continue
            children = value if isinstance(value, list) else [value]
            waiting += [
                child
                for child in children
                if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr)
            ]


def _mutant(
    program: Program, top: ast.FunctionDef | ast.ClassDef, change: TextChange, changed: str
) -> Mutant:
    before, after = change.shown or (program.text(change.node), change.text)
    return Mutant(
        top.name,
        change.node.lineno,
        change.node.col_offset + 1,
        change.operator,
        before=" ".join(before.split()),
        after=" ".join(after.split()),
        source=program.replaced(top, changed) + PRELUDE,
    )


def _solution_lines(source: str) -> frozenset[int]:
    """Return the numbers of the lines that students write."""
    inside, lines = False, set()
    for number, line in enumerate(source.splitlines(), 1):
        if line.strip() == END:
            inside = False
        if inside:
            lines.add(number)
        if line.strip() == BEGIN:
            inside = True
    return frozenset(lines)
