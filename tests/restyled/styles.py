"""Ways to write the same program otherwise. Knows no mistake and no course."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

Style = Callable[[ast.stmt], ast.stmt]
NAMES = {
    "W_query": "to_q",
    "W_key": "to_k",
    "W_value": "to_v",
    "out_proj": "output",
    "norm1": "ln_1",
    "norm2": "ln_2",
}
"""Attributes of modules, and what others call them."""
FUNCTIONS = (
    "transpose",
    "masked_fill",
    "softmax",
    "unsqueeze",
    "sum",
    "amax",
    "exp",
    "mean",
    "tril",
)
"""Methods of tensors that torch also has as functions."""


def einsum(tree: ast.stmt) -> ast.stmt:
    """Every `@` is an einsum."""

    class Change(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
            self.generic_visit(node)
            if not isinstance(node.op, ast.MatMult):
                return node
            right, letters = node.right, "...ij,...jk->...ik"
            if _is_last_two_swapped(right):
                assert isinstance(right, ast.Call)
                assert isinstance(right.func, ast.Attribute)
                right, letters = right.func.value, "...ij,...kj->...ik"
            return _call("torch.einsum", ast.Constant(letters), node.left, right)

    return _changed(Change(), tree)


def functions(tree: ast.stmt) -> ast.stmt:
    """`torch.softmax(x, -1)` in place of `x.softmax(-1)`, and the like."""

    class Change(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            self.generic_visit(node)
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in FUNCTIONS:
                return node
            if isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "super"):
                return node
            called = _call(f"torch.{node.func.attr}", node.func.value, *node.args)
            called.keywords = node.keywords
            return called

    return _changed(Change(), tree)


def one_thing_a_line(tree: ast.stmt) -> ast.stmt:
    """No expression within an expression: everything has a name of its own."""

    class Change(ast.NodeTransformer):
        def __init__(self) -> None:
            self.before: list[ast.stmt] = []
            self.count = 0

        def named(self, node: ast.expr) -> ast.expr:
            self.count += 1
            name = f"step_{self.count}"
            self.before.append(ast.Assign([ast.Name(name, ast.Store())], node))
            return ast.Name(name, ast.Load())

        def lifted(self, node: ast.expr) -> ast.expr:
            """The same with its operands and arguments computed in lines before."""
            if isinstance(node, ast.BinOp):
                node.left, node.right = self.name(node.left), self.name(node.right)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if isinstance(node.func.value, (ast.Call, ast.BinOp)) and not _is_super(node.func):
                    node.func.value = self.name(node.func.value)
                node.args = [self.name(argument) for argument in node.args]
            return node

        def name(self, node: ast.expr) -> ast.expr:
            if isinstance(node, (ast.BinOp, ast.Call)) and not _is_lazy(node):
                return self.named(self.lifted(node))
            return node

        def visit_Assign(self, node: ast.Assign) -> ast.Assign | list[ast.stmt]:
            return self.split(node)

        def visit_Return(self, node: ast.Return) -> ast.Return | list[ast.stmt]:
            return self.split(node)

        def split(self, node: ast.Assign | ast.Return) -> list[ast.stmt]:
            if node.value is None or _is_lazy(node.value):
                return [node]
            self.before = []
            node.value = self.lifted(node.value)
            return [*self.before, node]

    return _changed(Change(), tree)


def merged(tree: ast.stmt) -> ast.stmt:
    """What has a name and is used once, in the next line, stands in that line."""

    class Change(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
            uses = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
            node.body = _merged(node.body, uses)
            return node

    return _changed(Change(), tree)


def renamed(tree: ast.stmt) -> ast.stmt:
    """Other names for everything that is the author's own business."""

    class Change(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
            stored = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_stored(n)]
            arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
            own = [name for name in dict.fromkeys(stored) if name not in arguments]
            new = {name: f"tmp{number}" for number, name in enumerate(own)}
            for name in ast.walk(node):
                if isinstance(name, ast.Name):
                    name.id = new.get(name.id, name.id)
            self.generic_visit(node)
            return node

        def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
            self.generic_visit(node)
            node.attr = NAMES.get(node.attr, node.attr)
            return node

    return _changed(Change(), tree)


def other_arithmetic(tree: ast.stmt) -> ast.stmt:
    """Factors the other way round, and roots by division."""

    class Change(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
            self.generic_visit(node)
            if isinstance(node.op, ast.Mult):
                return ast.BinOp(node.right, ast.Mult(), node.left)
            if isinstance(node.op, ast.Pow) and _is_minus_a_half(node.right):
                root = ast.BinOp(node.left, ast.Pow(), ast.Constant(0.5))
                return ast.BinOp(ast.Constant(1.0), ast.Div(), root)
            return node

    return _changed(Change(), tree)


def where(tree: ast.stmt) -> ast.stmt:
    """`torch.where` in place of `masked_fill`, and no `~`."""

    class Change(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            self.generic_visit(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "masked_fill":
                mask, fill = node.args
                return _call("torch.where", mask, fill, node.func.value)
            return node

        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
            self.generic_visit(node)
            if isinstance(node.op, ast.Invert):
                return _call("torch.logical_not", node.operand)
            return node

    return _changed(Change(), tree)


def functional_layers(tree: ast.stmt) -> ast.stmt:
    """Linear layers are applied by `nn.functional.linear`."""
    layers = {
        target.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("nn.Linear(")
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }

    class Change(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            self.generic_visit(node)
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in layers:
                return node
            parts = [ast.Attribute(node.func, name, ast.Load()) for name in ("weight", "bias")]
            return _call("nn.functional.linear", *node.args, *parts)

    return _changed(Change(), tree)


STYLES: dict[str, Style] = {
    "einsum": einsum,
    "functions": functions,
    "one_thing_a_line": one_thing_a_line,
    "merged": merged,
    "renamed": renamed,
    "other_arithmetic": other_arithmetic,
    "where": where,
    "functional_layers": functional_layers,
}


def restyled(source: str, definitions: list[str], style: Style) -> str:
    """The program with these definitions written in another style; the same text if that changes
    nothing."""
    body = []
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in definitions:
            before = ast.unparse(node)
            after = ast.unparse(ast.fix_missing_locations(style(copy.deepcopy(node))))
            if before == after:
                return source
            body.append(after)
        else:
            body.append(ast.unparse(node))
    return "\n\n".join(body) + "\n"


def _changed(change: ast.NodeTransformer, tree: ast.stmt) -> ast.stmt:
    found = change.visit(tree)
    assert isinstance(found, ast.stmt)
    return found


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.parse(name, mode="eval").body, list(arguments), [])


def _is_last_two_swapped(node: ast.expr) -> bool:
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return called and ast.unparse(node).endswith(".transpose(-2, -1)")


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_super(node: ast.Attribute) -> bool:
    return "super()" in ast.unparse(node.value)


def _is_lazy(node: ast.expr) -> bool:
    """Whether parts of it may not be computed at all, or more than once."""
    lazy = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.Compare)
    return any(isinstance(part, (*lazy, ast.Starred)) for part in ast.walk(node))


def _is_minus_a_half(node: ast.expr) -> bool:
    return ast.unparse(node) == "-0.5"


def _merged(body: list[ast.stmt], uses: list[str]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in body:
        last = found[-1] if found else None
        name = _single_name(last)
        simple = isinstance(statement, (ast.Assign, ast.Return))
        if last is not None and name and simple and uses.count(name) == 2:
            assert isinstance(last, ast.Assign)
            inside = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
            if len(inside) == 1 and not _is_stored(inside[0]):
                found[-1] = _put(statement, name, last.value)
                continue
        found.append(statement)
    return found


def _single_name(statement: ast.stmt | None) -> str:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""


def _put(statement: ast.stmt, name: str, value: ast.expr) -> ast.stmt:
    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return value if node.id == name else node

    return _changed(Put(), statement)
