"""Find code that fits a pattern; patterns are written as code.

softmax(...)          a call of that name, of whatever owner, with any arguments
_.view(_, _)          a method with two arguments; `_` is any expression
_ / _number           `_number` is a number, `_name` a name or an attribute
_.masked_fill(...);   with a semicolon: on its own, what it gives is thrown away
if _name: ...         a statement, whatever is in it
return _  # last      the last line that fits; else it is the first
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

ANY, NUMBER, NAME = "_", "_number", "_name"
_CALL = re.compile(r"(?P<owner>_\.)?(?P<name>[^\W\d]\w*)\(\.\.\.\);?")
_WORD = re.compile(r"[^\W\d]\w*")
_WILD = frozenset({ANY, NUMBER, NAME}) | frozenset(keyword.kwlist)
_SKIPPED = frozenset({"ctx", "type_comment", "lineno", "col_offset", "end_lineno", "kind"})


@dataclass(frozen=True)
class CodePattern:
    """One pattern."""

    key: tuple[type[ast.AST], str]
    """The node type and name that every node that fits has."""
    node: ast.AST | None
    """None for a call with any arguments: every node with the key fits."""
    method: bool = False
    """True if the called function must be an attribute of something; used if `node` is None."""
    alone: bool = False
    """True if the code must stand as a statement of its own, its value thrown away."""
    last: bool = False
    """True if the last line that fits is meant, and not the first."""

    def fits(self, node: ast.AST) -> bool:
        """Tell whether a node that has the pattern's key fits the pattern."""
        if self.node is not None:
            return fits(self.node, node)
        return not self.method or isinstance(node.func, ast.Attribute)  # type: ignore[attr-defined]


def pattern(text: str) -> CodePattern:
    """Parse the text of a pattern. Raises SyntaxError."""
    code, _, remark = text.partition("#")
    code, last = code.strip(), remark.strip() == "last"
    alone = code.endswith(";")
    call = _CALL.fullmatch(code)
    if call is not None:  # most patterns are of this kind, and to parse one takes its time
        return CodePattern((ast.Call, call["name"]), None, bool(call["owner"]), alone, last)
    body = ast.parse(code).body
    if len(body) != 1:
        raise SyntaxError(f"one statement makes a pattern: {text!r}")
    node = body[0]
    shape = node.value if isinstance(node, ast.Expr) else node
    return CodePattern(_key(shape), shape, False, alone, last)


class Patterns:
    """Groups of patterns, each group under a key, the better patterns first."""

    def __init__(self, groups: Mapping[str, Sequence[str]], words: Set[str] | None = None) -> None:
        """Parse the patterns; skip those with a word that is not among `words`, a text's words."""
        self._index: dict[tuple[type[ast.AST], str], list[tuple[str, int, CodePattern]]] = {}
        for key, texts in groups.items():
            for rank, text in enumerate(texts):
                if words is None or words_of(text.partition("#")[0]) - _WILD <= words:
                    made = pattern(text)
                    self._index.setdefault(made.key, []).append((key, rank, made))
        self._kinds = {kind for kind, _ in self._index}
        if ast.Name in self._kinds:
            self._kinds.add(ast.Attribute)

    def may_fit(self, node: ast.AST) -> bool:
        """Tell whether any pattern is for a node of this type."""
        return type(node) in self._kinds

    def matching(self, node: ast.AST, alone: bool) -> Iterable[tuple[str, int, bool]]:
        """Yield group and rank of each pattern that a node fits, and whether it is marked last."""
        kind, name = _key(node)
        for wanted in (name, "") if name else ("",):
            for key, rank, made in self._index.get((kind, wanted), ()):
                if (alone or not made.alone) and made.fits(node):
                    yield key, rank, made.last


def words_of(text: str) -> set[str]:
    """Return every word that code is made of, numbers aside."""
    return set(_WORD.findall(text))


def _key(node: ast.AST) -> tuple[type[ast.AST], str]:
    """Return the key of a node: its type, and a name.

    The name is that of a called function, a variable or an attribute, or of an operator; else it is
    empty.
    """
    if isinstance(node, ast.Call):
        return ast.Call, _tail(node.func)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return ast.Name, "" if _tail(node) in (ANY, NAME) else _tail(node)
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.UnaryOp)):
        return type(node), type(node.op).__name__
    return type(node), ""


def _tail(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def fits(wanted: object, node: object) -> bool:
    """Tell whether a tree has the shape of a pattern's tree."""
    match wanted:
        case ast.Name(id="_"):
            return isinstance(node, ast.expr)
        case ast.Constant(value=value) if value is ...:
            return True
        case ast.Name(id="_number"):
            return _is_number(node)
        case ast.Name(id="_name"):
            return isinstance(node, (ast.Name, ast.Attribute))
        case ast.Name(id=name):
            return isinstance(node, ast.AST) and _tail(node) == name
        case ast.Attribute(value=owner, attr=name):
            owned = isinstance(node, ast.Attribute) and name in (ANY, node.attr)
            return owned and fits(owner, node.value)  # type: ignore[attr-defined]
        case ast.Constant(value=value):
            return isinstance(node, ast.Constant) and _same(value, node.value)
        case ast.Call():
            return isinstance(node, ast.Call) and _call_fits(wanted, node)
        case ast.AST():
            return type(wanted) is type(node) and _fields_fit(wanted, node)
        case list():
            return isinstance(node, list) and _list_fits(wanted, node)
    return wanted == node


def _fields_fit(wanted: ast.AST, node: object) -> bool:
    names = [name for name in wanted._fields if name not in _SKIPPED]
    if isinstance(wanted, (ast.If, ast.For)) and not wanted.orelse:
        names.remove("orelse")
    return all(fits(getattr(wanted, name), getattr(node, name)) for name in names)


def _list_fits(wanted: list[object], nodes: list[object]) -> bool:
    if wanted and _is_rest(wanted[-1]):
        wanted = wanted[:-1]
        nodes = nodes[: len(wanted)]
    return len(wanted) == len(nodes) and all(map(fits, wanted, nodes))


def _call_fits(wanted: ast.Call, node: ast.Call) -> bool:
    is_open = bool(wanted.args) and _is_rest(wanted.args[-1])
    args = wanted.args[:-1] if is_open else wanted.args
    if not fits(wanted.func, node.func) or len(node.args) < len(args):
        return False
    if not is_open and len(node.args) + len(node.keywords) != len(args) + len(wanted.keywords):
        return False
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    return all(map(fits, args, node.args)) and all(
        keyword.arg in named and fits(keyword.value, named[keyword.arg])
        for keyword in wanted.keywords
    )


def _is_rest(node: object) -> bool:
    if isinstance(node, ast.Expr):
        node = node.value
    return isinstance(node, ast.Constant) and node.value is ...


def _is_number(node: object) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _same(wanted: object, value: object) -> bool:
    if isinstance(wanted, (int, float)) and isinstance(value, (int, float)):
        return wanted == value and isinstance(wanted, bool) == isinstance(value, bool)
    return type(wanted) is type(value) and wanted == value
