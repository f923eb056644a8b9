"""Edits made wherever the same thing stands, in a function or in a statement: arguments ignored.

Somebody who forgets an argument forgets it at every place, and one place changed alone is another
mistake, or an error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .calls import call_without
from .change import Program, TextChange
from .names import both, without_texts

TENSORS = {
    "argument detached": ("{}.detach()",),
    "argument in float32": ("{}.float()",),
    "argument in half precision": ("{}.half().float()",),
    "argument inverted": ("~{}",),
    "argument turned": ("{}.mT", "{}.transpose(0, 1)", "{}.flip(0)", "{}.flip(-1)", "{}.flip(-2)"),
    "the first for all": ("{0}[:1].expand_as({0})", "{0}[:, :1].expand_as({0})"),
    "the last for all": ("{0}[-1:].expand_as({0})", "{0}[:, -1:].expand_as({0})"),
    "the mean for all": ("{0}.mean(0, keepdim=True).expand_as({0})",),
}
"""What is taken for a tensor that was passed, by the kind of mistake."""
NUMBERS = ("1", "2", "4", "8", "16")
"""Sizes that people write down in place of an argument."""


def argument_ignored(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Write down a size, or the default, in place of an argument."""
    for argument, default in _arguments(node):
        others = [] if default is None else [program.text(default)]
        if _is_annotated(argument, "int"):
            others += NUMBERS
        if _is_annotated(argument, "bool"):
            others += ["True", "False"]
        for other in dict.fromkeys(others):
            yield from _in_place_of(program, node, "argument ignored", argument, other)


def argument_negated(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Take a shift the other way round."""
    for argument, _default in _arguments(node):
        if _is_annotated(argument, "int"):
            other = f"-{argument.arg}"
            yield from _in_place_of(program, node, "argument negated", argument, other)


def another_argument(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Use another argument of the same kind: a width for a number of heads."""
    every = [argument for argument, _default in _arguments(node)]
    for argument in every:
        for other in every:
            if other is not argument and _annotation(other) == _annotation(argument):
                kind = "another argument"
                yield from _in_place_of(program, node, kind, argument, other.arg)


def argument_made_otherwise(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Go on with a tensor turned, cut off from its gradient, or with one sample of it for all."""
    for argument, _default in _arguments(node):
        annotation = _annotation(argument)
        if not annotation.startswith("torch.Tensor"):
            continue
        name = argument.arg
        for kind, forms in TENSORS.items():
            for form in forms:
                other = form.format(name)
                if "None" in annotation:
                    other = f"None if {name} is None else {other}"
                yield from _in_place_of(program, node, kind, argument, other)


def keyword_left_out(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Leave out an argument that several calls are given by the same name: a device, an axis."""
    if not isinstance(node, ast.FunctionDef):
        return
    by_text: dict[str, list[tuple[ast.expr, str]]] = {}
    for call in _inside(node):
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            assert isinstance(call, ast.Call)
            text = f"{keyword.arg}={program.text(keyword.value)}"
            places = by_text.setdefault(text, [])
            places.append((call, call_without(program, call, keyword)))
    for text, places in by_text.items():
        if len(places) > 1 and not _is_nested([call for call, _text in places]):
            yield _change(program, node, "keyword left out", places, (text, ""))


def _arguments(node: ast.AST) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the arguments of a function, each with its default."""
    if isinstance(node, ast.FunctionDef):
        some = [*node.args.posonlyargs, *node.args.args]
        defaults = [None] * (len(some) - len(node.args.defaults)) + [*node.args.defaults]
        yield from zip(some, defaults, strict=True)
        yield from zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)


def _annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else ""


def _is_annotated(argument: ast.arg, kind: str) -> bool:
    return _annotation(argument) == kind


def _in_place_of(
    program: Program, node: ast.AST, kind: str, argument: ast.arg, other: str
) -> Iterator[TextChange]:
    """Yield another text wherever a function uses the argument, and where one statement does."""
    assert isinstance(node, ast.FunctionDef)
    shown = argument.arg, other
    uses = [list(_uses(statement, argument.arg)) for statement in node.body]
    every = [one for own in uses for one in own]
    if every and all(isinstance(one.ctx, ast.Load) for one in every):
        for some in [every, *uses]:
            if some:
                places = [(one, f"({other})") for one in some]
                yield _change(program, node, kind, places, shown)


def _uses(statement: ast.stmt, name: str) -> Iterator[ast.Name]:
    for one in without_texts(statement):
        if isinstance(one, ast.Name) and one.id == name:
            yield one


def _inside(node: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in node.body:
        yield from without_texts(statement)


def _is_nested(nodes: Sequence[ast.AST]) -> bool:
    """Tell whether one of the nodes stands in another."""
    inside = {id(part) for node in nodes for part in ast.walk(node) if part is not node}
    return any(id(node) in inside for node in nodes)


def _change(
    program: Program,
    node: ast.FunctionDef,
    kind: str,
    places: Sequence[tuple[ast.expr, str]],
    shown: tuple[str, str],
) -> TextChange:
    """Return all places of a function changed, from the first changed statement to the last."""
    changed = {id(place) for place, _text in places}
    steps = [one for one in node.body if any(id(part) in changed for part in ast.walk(one))]
    span = both(steps[0], steps[-1])
    return TextChange(kind, span, program.with_texts(span, places), shown)


OPERATORS = (
    argument_ignored,
    argument_negated,
    another_argument,
    argument_made_otherwise,
    keyword_left_out,
)
