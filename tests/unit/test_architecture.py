"""Who may import whom. The tree is the architecture, and this holds it to its word."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "grader"
READERS = (
    "ast",
    "tokenize",
    "nbformat",
    "pickle",
    "marshal",
    "yaml",
    "xml.etree.ElementTree.parse",
)
AUTHORS_ONLY = (
    "grader.commands.stubs",
    "grader.demos",
    "grader.examples",
    "grader.handout",
    "grader.judge.stubs",
    "grader.misconceptions",
    "grader.mistakes",
    "grader.notebooks",
    "grader.scaffold",
    "grader.schema",
    "grader.stubs",
    "grader.translated_handout",
    "grader.validate",
    "grader.yaml_source",
)
"""Trusted modules that parse text of the course's author."""
PURE = ("grader.evidence", "grader.rubric", "grader.score")
UNTRUSTED = ("grader.wire", "grader.worker", "grader.parcel", "grader.language")
"""What a worker's process holds; `parcel` is how its source gets there."""
TORCH_SIDE = ("grader.judge", "grader.worker", "grader.wire", "grader.nursery")
"""The only parts that may import torch; none of them runs in the parent."""


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def imports(path: Path, name: str) -> Iterator[str]:
    """The dotted names that a module imports, at its top or inside a function."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else []), *([node.module or ""])]).strip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def is_in(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def offences(tree: dict[str, Path]) -> list[str]:
    """Every import that the design forbids, as one line."""
    return sorted(
        {
            f"{name} imports {target}: {reason}"
            for name, path in tree.items()
            for target in imports(path, name)
            if (reason := reason_against(name, target, tree))
        }
    )


def reason_against(name: str, target: str, tree: dict[str, Path]) -> str:
    ours = is_in(target, "grader") and target != "grader"
    if ours and is_in(name, *UNTRUSTED) and not is_in(target, *UNTRUSTED):
        return "the untrusted side knows nothing but the wire"
    if ours and is_in(name, "grader.wire") and not is_in(target, "grader.wire"):
        return "the wire knows neither of its ends"
    if is_in(target, "grader.commands") and not is_in(name, "grader.cli", "grader.commands"):
        return "only the command line imports commands"
    if is_in(target, "grader.cli") and not is_in(name, "grader.__main__"):
        return "nothing imports the command line"
    if is_in(target, "torch") and not is_in(name, *TORCH_SIDE):
        return "the parent never imports torch"
    if is_in(target, "reference", "assignments", "tests"):
        return "the engine knows no course"
    if is_in(name, *PURE) and is_in(target, "os", "subprocess", "socket", "random", "time"):
        return "a pure module reads no clock and touches no system"
    return ""


def reachable(name: str, tree: dict[str, Path]) -> set[str]:
    """Everything that importing `name` may import, through modules of ours."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        for target in imports(tree[current], current):
            if target not in found:
                found.add(target)
                waiting += [target] if target in tree else []
    return found


def test_every_import_keeps_its_direction() -> None:
    assert offences(modules()) == []


def test_a_students_text_is_parsed_by_workers_only() -> None:
    """Parents and judges see names and bytes of a submission, and cells by our own scanner."""
    trusted = {name: path for name, path in modules().items() if not is_in(name, *UNTRUSTED)}
    parsing = {
        name
        for name, path in trusted.items()
        if any(is_in(target, *READERS) for target in imports(path, name))
    }
    assert {name for name in parsing if not is_in(name, *AUTHORS_ONLY)} == set()
    assert {"grader.stubs", "grader.yaml_source"} <= parsing


@pytest.mark.parametrize("name", PURE)
def test_pure_modules_reach_no_torch(name: str) -> None:
    assert not any(is_in(target, "torch", *TORCH_SIDE) for target in reachable(name, modules()))


def test_the_command_line_reaches_the_reports() -> None:
    """The positive control: reaching through imports does work."""
    assert {"grader.commands.check", "grader.report.terminal", "rich.console"} <= reachable(
        "grader.cli", modules()
    )


@pytest.mark.parametrize(
    ("file", "source", "offence"),
    [
        pytest.param(
            "worker/main.py",
            "def f():\n    from grader.rubric import Rubric\n",
            "grader.worker.main imports grader.rubric: "
            "the untrusted side knows nothing but the wire",
            id="worker to rubric",
        ),
        pytest.param(
            "worker/main.py",
            "from ..judge import compare\n",
            "grader.worker.main imports grader.judge.compare: "
            "the untrusted side knows nothing but the wire",
            id="relative import",
        ),
        pytest.param(
            "wire/codec.py",
            "import grader.worker.main\n",
            "grader.wire.codec imports grader.worker.main: the wire knows neither of its ends",
            id="wire to worker",
        ),
        pytest.param(
            "score.py",
            "import torch.nn as nn\n",
            "grader.score imports torch.nn: the parent never imports torch",
            id="score to torch",
        ),
        pytest.param(
            "batch.py",
            "from grader.commands.check import run\n",
            "grader.batch imports grader.commands.check: only the command line imports commands",
            id="batch to commands",
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
    path.parent.mkdir(exist_ok=True)
    path.write_text(source, encoding="utf-8")
    name = "grader." + file.removesuffix(".py").replace("/", ".")

    assert offence in offences({name: path})
