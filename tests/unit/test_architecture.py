"""Who may import whom. The tree is the architecture, and this holds it to its word.

The rules are those of `docs/architecture.md`: one ordered list of packages, five rules beside it,
and no circle anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from grader import cli

PACKAGE = Path(cli.__path__[0]).parent

FLOORS = (
    "cli",
    "live",
    "pytest_items",
    "watching",
    "validate",
    "scaffold",
    "release",
    "class_report",
    "export",
    "batch",
    "store",
    "report",
    "engine",
    "processes",
    "judge",
    "messages",
    "handouts",
    "worker",
    "submission",
    "grade",
    "course",
    "sealed",
    "wire",
    "files",
    "statistics",
    "text",
)
"""Every package from the top floor down. A package imports only what stands below it."""

MAY_PARSE = ("course", "handouts", "scaffold", "validate", "worker")
"""Packages that parse Python, notebooks or YAML: an author's text, or a student's in a worker."""
PARSERS = ("ast", "tokenize", "yaml", "nbformat", "pickle", "marshal")
WRITES_CODE = ("grader.processes.bootstrap", "marshal")
"""Our own compiled code is read by processes that have it from us, and by no other."""
MAY_IMPORT_TORCH = ("wire", "worker", "judge", "processes")
"""None of them runs in the parent."""
DETERMINED = ("course", "grade", "statistics", "submission")
"""Packages whose results hang on what they are given, and on nothing else."""
UNDETERMINED = (
    "datetime",
    "multiprocessing",
    "random",
    "secrets",
    "signal",
    "socket",
    "subprocess",
    "threading",
    "time",
)

Rule = Callable[[str, str], str]
"""Importing package or module, imported module -> why not, or nothing."""


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path, name: str) -> Iterator[str]:
    """Yield the dotted names that a module imports, at its top or inside a function."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else []), *([node.module or ""])]).strip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def is_in(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def floor_of(name: str) -> str:
    """Return the package of ours that a dotted name is in, or nothing.

    >>> floor_of("grader.judge.calls.client"), floor_of("torch.nn"), floor_of("grader")
    ('judge', '', '')
    """
    parts = name.split(".")
    return parts[1] if parts[0] == "grader" and len(parts) > 1 and parts[1] in FLOORS else ""


def command_of(name: str) -> str:
    """Return the command of `grader` that a dotted name is of, or nothing.

    >>> command_of("grader.cli.commands.check.watch"), command_of("grader.cli.commands")
    ('check', '')
    """
    return name.split(".")[3] if name.startswith("grader.cli.commands.") else ""


def reason_against(name: str, target: str) -> str:
    """Return why the design forbids this import, or nothing."""
    own, other = floor_of(name), floor_of(target)
    if own and other and own != other:
        if other == "cli":
            return "nothing imports the command line"
        if own == "worker" and other not in ("wire", "text"):
            return "the untrusted side knows nothing but the wire and its words"
        if FLOORS.index(own) > FLOORS.index(other):
            return f"{own} stands below {other}"
    if command_of(target) and command_of(name) != command_of(target):
        return "a command is named, and knows no other"
    if is_in(target, "torch") and own not in MAY_IMPORT_TORCH:
        return "the parent never imports torch"
    if is_in(target, *PARSERS) and own not in MAY_PARSE and (name, target) != WRITES_CODE:
        return "a parser is for authors' text, or runs in a worker"
    if is_in(target, *UNDETERMINED) and own in DETERMINED:
        return "what a grade hangs on takes no clock, process or randomness"
    if is_in(target, "reference", "assignments", "tests"):
        return "the engine knows no course"
    return ""


def offences(tree: Mapping[str, Path]) -> list[str]:
    """Return every import that the design forbids, as one line."""
    return sorted(
        {
            f"{name} imports {target}: {reason}"
            for name, path in tree.items()
            for target in imports(path, name)
            if (reason := reason_against(name, target))
        }
    )


def files_imported(tree: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return which of our files each of our files imports."""
    return {
        name: {target for target in imports(path, name) if target in tree and target != name}
        for name, path in tree.items()
    }


def folders_imported(tree: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return which of our folders each of our folders imports."""
    folder = {
        name: name if path.name == "__init__.py" else name.rpartition(".")[0]
        for name, path in tree.items()
        if floor_of(name)  # the root holds the version and the way in, and is no folder of these
    }
    of_files = files_imported(tree)
    found: dict[str, set[str]] = {}
    for name in folder:
        targets = of_files[name] & set(folder)
        # `from . import sibling` names the folder as well as the file: only the file is meant.
        meant = {one for one in targets if not any(is_in(o, one) for o in targets - {one})}
        found.setdefault(folder[name], set()).update({folder[one] for one in meant})
    # A folder that stands in another is a part of it: between these two there is no direction.
    return {
        name: {one for one in targets if not is_in(one, name) and not is_in(name, one)}
        for name, targets in found.items()
    }


def circles(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return one line for each group of nodes that reach each other.

    >>> circles({"a": ["b"], "b": ["a", "c"], "c": []})
    ['a, b']
    """
    reached = {node: _reached(graph, node) for node in graph}
    groups = {
        tuple(sorted({node, *(other for other in reached[node] if node in reached.get(other, ()))}))
        for node in graph
    }
    return sorted(", ".join(group) for group in groups if len(group) > 1)


def _reached(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for node in graph.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def test_every_import_keeps_its_direction() -> None:
    assert offences(modules()) == []


def test_every_package_has_its_floor() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(FLOORS)


def test_no_module_stands_at_the_root() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_files_import_in_no_circle() -> None:
    assert circles(files_imported(modules())) == []


def test_folders_import_in_no_circle() -> None:
    assert circles(folders_imported(modules())) == []


@pytest.mark.parametrize("package", DETERMINED)
def test_what_a_grade_hangs_on_reaches_no_torch(package: str) -> None:
    tree = modules()
    graph = {name: set(imports(path, name)) for name, path in tree.items()}
    own = [name for name in tree if is_in(name, f"grader.{package}")]
    assert not any(is_in(target, "torch") for name in own for target in _reached(graph, name))


def test_the_command_line_reaches_the_reports() -> None:
    """The positive control: reaching through imports does work."""
    graph = {name: set(imports(path, name)) for name, path in modules().items()}
    assert {"grader.report.content", "grader.report.terminal", "rich.console"} <= _reached(
        graph, "grader.cli.commands.check"
    )


@pytest.mark.parametrize(
    ("file", "source", "offence"),
    [
        pytest.param(
            "worker/main.py",
            "def f():\n    from grader.course.rubric import Rubric\n",
            "grader.worker.main imports grader.course.rubric: "
            "the untrusted side knows nothing but the wire and its words",
            id="worker to rubric",
        ),
        pytest.param(
            "worker/main.py",
            "from ..judge import compare\n",
            "grader.worker.main imports grader.judge.compare: "
            "the untrusted side knows nothing but the wire and its words",
            id="relative import",
        ),
        pytest.param(
            "wire/codec.py",
            "import grader.worker.main\n",
            "grader.wire.codec imports grader.worker.main: wire stands below worker",
            id="wire to worker",
        ),
        pytest.param(
            "grade/score.py",
            "import torch.nn as nn\n",
            "grader.grade.score imports torch.nn: the parent never imports torch",
            id="score to torch",
        ),
        pytest.param(
            "grade/score.py",
            "from time import monotonic\n",
            "grader.grade.score imports time: "
            "what a grade hangs on takes no clock, process or randomness",
            id="score to clock",
        ),
        pytest.param(
            "judge/main.py",
            "import ast\n",
            "grader.judge.main imports ast: a parser is for authors' text, or runs in a worker",
            id="judge to parser",
        ),
        pytest.param(
            "batch/batch.py",
            "from grader.cli.commands import check\n",
            "grader.batch.batch imports grader.cli.commands: nothing imports the command line",
            id="batch to commands",
        ),
        pytest.param(
            "cli/commands/new.py",
            "from grader.cli.commands.stubs import render\n",
            "grader.cli.commands.new imports grader.cli.commands.stubs: "
            "a command is named, and knows no other",
            id="command to command",
        ),
        pytest.param(
            "judge/main.py",
            "import reference.a1_attention\n",
            "grader.judge.main imports reference.a1_attention: the engine knows no course",
            id="judge to course",
        ),
    ],
)
def test_a_forbidden_import_is_found(tmp_path: Path, file: str, source: str, offence: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    name = "grader." + file.removesuffix(".py").replace("/", ".")

    assert offence in offences({name: path})
