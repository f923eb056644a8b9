"""Find the names that code binds, reads and changes at the top level of its module."""

from __future__ import annotations

import ast
import dis
from collections.abc import Collection, Iterable, Iterator, Set
from types import CodeType

from .trees import children, walk

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
_COSTLY = (
    ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.For, ast.AsyncFor, ast.While,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_GLOBAL_READS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_CHANGES_ARGUMENTS = frozenset(
    {"setattr", "delattr", "shuffle", "update_wrapper", "heapify", "heappush"}
)
_CHANGES_OWNER = frozenset(
    {"add", "append", "appendleft", "clear", "extend", "insert", "pop", "popleft", "popitem"}
    | {"remove", "reverse", "setdefault", "sort", "update"}
)
_REACHES_ANYTHING = frozenset({"exec", "globals", "vars", "locals"})
_SETTINGS = frozenset(
    {"manual_seed", "seed", "set_default_dtype", "set_printoptions"}
    | {"filterwarnings", "simplefilter"}
)


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run with the statement, not those inside functions and classes."""
    stack: list[ast.AST] = [node]
    while stack:
        item = stack.pop()
        yield item
        if isinstance(item, FUNCTIONS):
            stack += [*item.decorator_list, *_signature(item.args)]
            stack += [item.returns] if item.returns else []
        elif isinstance(item, ast.Lambda):
            stack += [d for d in (*item.args.defaults, *item.args.kw_defaults) if d]
        elif isinstance(item, ast.ClassDef):
            stack += [*item.decorator_list, *item.bases, *item.keywords]
        elif isinstance(item, ast.comprehension):
            stack += [item.iter, *item.ifs]
        else:
            stack += children(item)


def _signature(args: ast.arguments) -> list[ast.expr]:
    parameters = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    annotations = [p.annotation for p in parameters if p and p.annotation]
    return [*annotations, *args.defaults, *(d for d in args.kw_defaults if d)]


def costly(node: ast.AST) -> bool:
    """Tell whether running the statement calls something or loops."""
    return any(isinstance(item, _COSTLY) for item in own_nodes(node))


def bound(node: ast.AST) -> set[str]:
    """Return the names of the module that the statement itself sets or deletes."""
    names: set[str] = set()
    for item in own_nodes(node):
        match item:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(item.name)
            case ast.alias():
                names.add(item.asname or item.name.partition(".")[0])
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if item.name:
                names.add(item.name)
            case ast.MatchMapping(rest=str(name)):
                names.add(name)
    return names - {"*"}


def root(node: ast.AST) -> str | None:
    """Return the variable at the start of `name.attribute[index]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def touched(nodes: Iterable[ast.AST], changers: Collection[str] = ()) -> set[str]:
    """Return the names whose objects the nodes change in place.

    `changers` are functions that change their arguments.
    """
    roots: set[str | None] = set()
    for item in nodes:
        match item:
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                roots.add(root(item))
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                roots.add(root(item))
            case ast.AugAssign(target=ast.Name(id=name)):
                roots.add(name)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner))):
                roots.add(root(owner))
            case ast.Call():
                roots |= _touched_by_call(item, changers)
    return {name for name in roots if name is not None}


def _touched_by_call(call: ast.Call, changers: Collection[str]) -> set[str | None]:
    roots: set[str | None] = set()
    match call.func:
        case ast.Attribute(value=owner, attr=called):
            if called in _CHANGES_OWNER or called.endswith("_"):
                roots.add(root(owner))
        case ast.Name(id=called):
            pass
        case _:
            return roots
    if called in _CHANGES_ARGUMENTS or called in changers or called.endswith("_"):
        roots |= {root(argument) for argument in call.args}
        roots |= {root(keyword.value) for keyword in call.keywords}
    return roots


def callees(node: ast.AST) -> set[str]:
    """Return the plain names that the statement itself calls."""
    return {
        item.func.id
        for item in own_nodes(node)
        if isinstance(item, ast.Call) and isinstance(item.func, ast.Name)
    }


def reaches_anything(node: ast.AST) -> bool:
    """Tell whether the statement may set names that cannot be seen, or sets a seed or a default."""
    for item in own_nodes(node):
        match item:
            case ast.Call(func=ast.Name(id=name)) if name in _REACHES_ANYTHING:
                return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in _SETTINGS:
                return True
    return False


def declared_global(node: ast.AST) -> set[str]:
    """Return the names that functions inside the statement declare `global`."""
    return {name for item in walk(node) if isinstance(item, ast.Global) for name in item.names}


def global_reads(code: CodeType, among: Set[str]) -> set[str]:
    """Return those of the names that the code reads from its module, nested functions included."""
    reads, stack = set[str](), [code]
    while stack:
        item = stack.pop()
        stack += [const for const in item.co_consts if isinstance(const, CodeType)]
        # co_names also holds attributes; disassembling is slow, so only where it can matter
        hot = {name for name in item.co_names if name in among} - reads
        if hot:
            instructions = dis.get_instructions(item)
            reads |= {
                step.argval
                for step in instructions
                if step.opname in _GLOBAL_READS and step.argval in hot
            }
    return reads


def guarded_import_lines(tree: ast.AST) -> frozenset[int]:
    """Return the lines of imports whose failure the student's own code handles."""
    lines: set[int] = set()
    for item in walk(tree):
        if isinstance(item, ast.Try | ast.TryStar):
            guarded = any(_handles_import_error(h.type) for h in item.handlers)
        elif isinstance(item, ast.With):
            guarded = any(_suppresses(i.context_expr) for i in item.items)
        else:
            continue
        if guarded:
            inner = [n for part in item.body for n in walk(part)]
            lines |= {n.lineno for n in inner if isinstance(n, IMPORTS)}
    return frozenset(lines)


def _handles_import_error(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    names = {k.id for k in kinds if isinstance(k, ast.Name)}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _suppresses(context: ast.expr) -> bool:
    if not isinstance(context, ast.Call):
        return False
    name = context.func.attr if isinstance(context.func, ast.Attribute) else root(context.func)
    return name == "suppress" and any(_handles_import_error(a) for a in context.args)
