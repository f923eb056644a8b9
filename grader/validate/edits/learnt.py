"""Make edits of known mistakes: what people write in one exercise, they write in another.

The change that a known mistake makes is taken for a rule. Names and numbers that stay are left
open, and the rule is tried wherever something of the same form stands.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from .change import Operator, Program, TextChange
from .difference import PartChange, difference, text_of
from .matching import fit, is_assigned, open_name, with_parts

MOST_FILLINGS = 4
"""An open name of a rule, of which nothing is known in its new place, is tried for so many."""
SPECIFIC = 3
"""A rule with so many parts that are not left open says where it belongs."""
PREFIX = "as "


@dataclass(frozen=True)
class LearntRule:
    """The change of a known mistake, to be tried in other places."""

    id: str
    """The known mistake; the first one of several with the same change."""
    old: tuple[ast.AST, ...]
    new: tuple[ast.AST, ...]
    times: int = 1
    """The number of known mistakes that make this change."""

    @property
    def kind(self) -> str:
        """Return the name of its edits: they are as in a known mistake."""
        return f"{PREFIX}{self.id}"

    @property
    def fixed(self) -> int:
        """Return how many parts of what it looks for are not left open."""
        return sum(map(_fixed, self.old))

    @property
    def is_specific(self) -> bool:
        """Tell whether it fits few places: it says much of what stands there."""
        return self.fixed >= SPECIFIC


def rules(pairs: Iterable[tuple[str, ast.AST, ast.AST]]) -> tuple[LearntRule, ...]:
    """Return a rule for each change of (id, right definition, wrong one), the likeliest first.

    Those come first that say much of where they belong, then those that most mistakes make.
    """
    result: dict[str, LearntRule] = {}
    times: Counter[str] = Counter()
    for id, right, wrong in pairs:
        for part in _forms(difference(_plain(right), _plain(wrong))):
            key = _form(part)
            times[key] += 1
            result.setdefault(key, LearntRule(id, part.old, part.new))
    every = [LearntRule(one.id, one.old, one.new, times[key]) for key, one in result.items()]
    return tuple(sorted(every, key=lambda rule: (-min(rule.fixed, SPECIFIC), -rule.times)))


def operators(learnt: Sequence[LearntRule]) -> tuple[Operator, ...]:
    """Return the rules as an operator of the grammar: it looks at one function at a time."""

    def as_somebody_wrote(program: Program, node: ast.AST) -> Iterator[TextChange]:
        """Write what a known mistake writes where the same stood."""
        if isinstance(node, ast.FunctionDef):
            for rule in learnt:
                yield from _tried(program, node, rule)

    return (as_somebody_wrote,)


def _plain(top: ast.AST) -> ast.AST:
    """Return a tree without annotations and docstrings: neither changes what is computed."""

    def change(node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            plain = ast.Assign([node.target], with_parts(node.value, change))  # type: ignore[arg-type]
            return ast.copy_location(plain, node)
        return None

    return with_parts(top, change)


def _forms(part: PartChange | None) -> Iterator[PartChange]:
    """Yield the change as it is, and an added step `a = f(a)` as a change of any value too."""
    if part is None or not _is_transferable(part):
        return
    yield part
    step = part.new[0] if len(part.new) == 1 and not part.old else None
    if isinstance(step, ast.Assign) and len(step.targets) == 1:
        target = step.targets[0]
        if isinstance(target, ast.Name) and target.id in _loaded([step.value]):
            yield PartChange((ast.Name(target.id, ast.Load()),), (step.value,))


def _is_transferable(part: PartChange) -> bool:
    """Refuse a change of a signature or of a definition, which is about its own exercise.

    One name for another is an edit of the grammar already.
    """
    if all(open_name(one) for one in (*part.old, *part.new)):
        return False
    return not any(
        isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.Raise))
        for each in (*part.old, *part.new)
        for node in ast.walk(each)
    )


def _form(part: PartChange) -> str:
    """Return a text that is the same for changes which differ in their names only."""
    names: dict[str, str] = {}

    def change(node: ast.AST) -> ast.AST | None:
        if (key := open_name(node)) and not key.startswith("#"):
            return ast.Name(names.setdefault(key, f"_{len(names)}"), ast.Load())
        return None

    both = ((with_parts(one, change) for one in side) for side in (part.old, part.new))
    return " -> ".join(";".join(text_of(one) for one in side) for side in both)


def _fixed(node: ast.AST) -> int:
    """Count the parts of a pattern that are not left open."""
    if open_name(node):
        return 0
    parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, (ast.expr, ast.stmt))]
    return 1 + sum(map(_fixed, parts))


def _tried(program: Program, function: ast.FunctionDef, rule: LearntRule) -> Iterator[TextChange]:
    if not rule.old:
        yield from _added(program, function, rule)
    elif isinstance(rule.old[0], ast.expr):
        for node in _expressions(function, is_bare=bool(open_name(rule.old[0]))):
            bound = fit((rule.old[0],), (_plain(node),))
            for text in _filled(rule, bound, function, node.lineno) if bound is not None else ():
                yield TextChange(rule.kind, node, text[0])
    else:
        for body in _bodies(function):
            for start in range(len(body) - len(rule.old) + 1):
                some = body[start : start + len(rule.old)]
                bound = fit(rule.old, tuple(_plain(one) for one in some))
                for texts in (
                    _filled(rule, bound, function, some[0].lineno) if bound is not None else ()
                ):
                    yield _statements(rule.kind, some[0], some[-1], texts or ["pass"])


def _added(program: Program, function: ast.FunctionDef, rule: LearntRule) -> Iterator[TextChange]:
    """Add statements at the beginning, after what they use, before the result and after it."""
    kind = rule.kind
    body = [one for one in function.body if not _is_text(one)]
    for texts in _filled(rule, {}, function, function.body[-1].end_lineno or 0):
        for one in dict.fromkeys((body[0], body[-1])) if body else ():
            yield _statements(kind, one, one, [*texts, _unindented(program, one)])
        for one in _makers(body[:-1], _loaded(map(ast.parse, texts))):
            yield _statements(kind, one, one, [_unindented(program, one), *texts])
        if body and isinstance(body[-1], ast.Return) and body[-1].value is not None:
            result = program.text(body[-1].value)
            yield _statements(
                kind, body[-1], body[-1], [f"result_ = {result}", *texts, "return result_"]
            )


def _makers(body: Sequence[ast.stmt], names: Container[str]) -> Iterator[ast.stmt]:
    """Yield the steps that assign to one of some names."""
    for step in body:
        assigned = (one for one in ast.walk(step) if isinstance(one, ast.Name))
        if any(is_assigned(one) and one.id in names for one in assigned):
            yield step


def _loaded(trees: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that are read somewhere in some trees."""
    names = (one for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Name))
    return frozenset(one.id for one in names if isinstance(one.ctx, ast.Load))


def _statements(kind: str, first: ast.stmt, last: ast.stmt, texts: Sequence[str]) -> TextChange:
    place = ast.Pass(
        lineno=first.lineno,
        col_offset=first.col_offset,
        end_lineno=last.end_lineno,
        end_col_offset=last.end_col_offset,
    )
    indent = " " * first.col_offset
    lines = [line for text in texts for line in text.split("\n")]
    return TextChange(kind, place, f"\n{indent}".join(lines))


def _unindented(program: Program, node: ast.stmt) -> str:
    """Return the text of a statement without the indentation of its place."""
    first, *rest = program.text(node).split("\n")
    column = node.col_offset
    return "\n".join([first, *(one[column:] if not one[:column].strip() else one for one in rest)])


def _expressions(function: ast.FunctionDef, *, is_bare: bool) -> Iterator[ast.expr]:
    """Yield where an expression may be changed; for a rule about any value, only whole ones."""
    for node in _inside(function):
        if not is_bare:
            if isinstance(node, ast.expr) and not is_assigned(node):
                yield node
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) and node.value is not None:
            yield node.value
        elif isinstance(node, (ast.Call, ast.BinOp)):
            some = node.args if isinstance(node, ast.Call) else [node.left, node.right]
            some = [*some, *([node.func.value] if _is_method(node) else [])]  # type: ignore[union-attr]
            yield from (
                one for one in some if open_name(one) and not open_name(one).startswith("#")
            )


def _is_method(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        waiting: list[ast.AST] = [statement]
        while waiting:
            node = waiting.pop(0)
            yield node
            skipped = "annotation"
            for name, value in ast.iter_fields(node):
                children = value if isinstance(value, list) else [value]
                waiting += [
                    one
                    for one in children
                    if name != skipped
                    and isinstance(one, ast.AST)
                    and not isinstance(one, ast.JoinedStr)
                ]


def _bodies(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body


def _filled(
    rule: LearntRule, bound: Mapping[str, ast.AST], function: ast.FunctionDef, line: int
) -> Iterator[list[str]]:
    """Yield the new code as texts, with the open names filled in all ways that may be meant."""
    made = _made(rule.new)
    names = {key: one for each in rule.new for one in ast.walk(each) if (key := open_name(one))}
    free = [
        k for k, one in names.items() if k not in bound and k[0] != "#" and text_of(one) not in made
    ]
    is_known = not rule.is_specific and (bool(rule.old) or len(free) > 1)
    choices = [_fillings(key, function, line, is_known=is_known) for key in free]
    for chosen in islice(product(*choices), 2 * MOST_FILLINGS):
        values = {**bound, **dict(zip(free, chosen, strict=True))}
        yield [ast.unparse(ast.fix_missing_locations(_with(one, values))) for one in rule.new]


def _made(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that some statements make for themselves: none that they read before."""
    made: set[str] = set()
    read: set[str] = set()
    for node in nodes:
        inside = list(ast.walk(node))
        loops = (one.target for one in inside if isinstance(one, (ast.For, ast.comprehension)))
        made |= {text_of(one) for target in loops for one in ast.walk(target)}
        changed = [one.target for one in inside if isinstance(one, ast.AugAssign)]
        names = [one for one in inside if isinstance(one, (ast.Name, ast.Attribute))]
        read |= {text_of(one) for one in names if not is_assigned(one) or one in changed} - made
        made |= {text_of(one) for one in names if is_assigned(one)} - read
    return made


def _fillings(key: str, function: ast.FunctionDef, line: int, *, is_known: bool) -> list[ast.AST]:
    """Return what an open name may be: itself, if it is there, or else the first other names.

    Only itself with `is_known`: a rule that fits everywhere would have too many forms.
    """
    if key.startswith("self."):
        return [ast.parse(key, mode="eval").body]
    passed = [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]
    stored = [
        one.id
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and is_assigned(one) and one.lineno < line
    ]
    known = dict.fromkeys(name for name in (*passed, *stored) if name != "self")
    chosen = [key] if key in known else [] if is_known else list(known)[:MOST_FILLINGS]
    return [ast.Name(name, ast.Load()) for name in chosen]


def _with(node: ast.AST, values: Mapping[str, ast.AST]) -> ast.AST:
    return with_parts(node, lambda part: copy.deepcopy(values.get(open_name(part))))
