"""Mutants: each small mistake is made once, given to the tests, and accounted for."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutants import Mutant, mutants, mutated
from tools.mutate import ROOT, TARGETS, Target, stated, surviving, verdict

A, B, C = (Mutant(name, 1, number) for number, name in enumerate("abc"))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        pytest.param("x = a == b", ["module: `a == b` -> `a != b`"], id="comparison"),
        pytest.param("x = a < b", ["module: `a < b` -> `a <= b`"], id="bound"),
        pytest.param("x = a is b in c", ["module: `a is b in c` -> `a is not b in c`",
                     "module: `a is b in c` -> `a is b not in c`"], id="chain"),
        pytest.param("x = a * b", ["module: `a * b` -> `a / b`"], id="arithmetic"),
        pytest.param("x = a and b", ["module: `a and b` -> `a or b`"], id="and"),
        pytest.param("x = a or not b", ["module: `a or not b` -> `a and (not b)`",
                     "module: `not b` -> `b`"], id="or not"),
        pytest.param("x = 1", ["module: `1` -> `2`"], id="number"),
        pytest.param("x = True", ["module: `True` -> `False`"], id="truth"),
        pytest.param("x = ('a', '', b'b')", ["module: `'a'` -> `''`", "module: `''` -> `'mutated'`",
                     "module: `b'b'` -> `b''`"], id="texts"),
        pytest.param("def f():\n    return a", ["f: `return a` -> `return None`"], id="return"),
        pytest.param("class C:\n    def f(self):\n        return",  [], id="bare return"),
        pytest.param("def f():\n    return None", [], id="none is returned already"),
        pytest.param("class C:\n    def f(self):\n        g(self)", ["C.f: `g(self)` -> `pass`"],
                     id="statement"),
        pytest.param("x += y", ["module: `x += y` -> `pass`", "module: `x += y` -> `x -= y`"],
                     id="in place"),
        pytest.param("x = a if b else c", ["module: `b` -> `not b`"], id="condition"),
        pytest.param("x = [a for a in b if c]", ["module: `c` -> `not c`"], id="filter"),
        pytest.param("if a == b:\n    x = y", ["module: `a == b` -> `a != b`"], id="once"),
        pytest.param("x = a + a + a", ["module: `a + a + a` -> `a + a - a`",
                     "module: `a + a` -> `a - a`"], id="nested"),
        pytest.param("f(1)\ng(1)", ["module: `f(1)` -> `pass`", "module: `1` -> `2`",
                     "module: `g(1)` -> `pass`", "module: `1` -> `2` (2)"], id="the same twice"),
        pytest.param('"""Words."""\nimport a\nfrom b import c\n__all__ = ["a"]\nx: "T" = y'
                     '\nT = TypeVar("T")\nz = f"{x} {1}"', [], id="nothing to change"),
    ],
)  # fmt: skip
def test_each_mistake_is_made(source: str, names: list[str]) -> None:
    assert [mutant.name for mutant in mutants(source)] == names


def test_a_mutant_has_one_mistake_and_the_lines_of_the_original() -> None:
    source = "def f(a):\n    g(a)\n    return a + 1"
    texts = [ast.unparse(mutated(source, mutant)) for mutant in mutants(source)]
    assert texts == [
        "def f(a):\n    pass\n    return a + 1",
        "def f(a):\n    g(a)\n    return None",
        "def f(a):\n    g(a)\n    return a - 1",
        "def f(a):\n    g(a)\n    return a + 2",
    ]
    for mutant in mutants(source):
        function = mutated(source, mutant).body[0]
        assert isinstance(function, ast.FunctionDef)
        assert [statement.lineno for statement in function.body] == [2, 3]
    assert [mutant.line for mutant in mutants(source)] == [2, 3, 3, 3]


def test_a_survivor_is_accounted_for_by_a_reason_and_by_nothing_else() -> None:
    found = verdict([A, B, C], [A, B], ["b", "c", "d"])
    assert (found.made, found.survivors) == (3, (A, B))
    assert found.unstated == (A,)
    assert found.stale == ("c", "d")


def test_what_is_said_to_be_equal_is_a_mutant_of_a_target_and_has_a_reason() -> None:
    targets = {target.path: target for target in TARGETS}
    for path, reasons in stated().items():
        source = (ROOT / path).read_text(encoding="utf-8")
        made = {mutant.name for mutant in targets[path].mutants(source)}
        assert [name for name in reasons if name not in made] == []
        assert [name for name, reason in reasons.items() if not reason.strip()] == []


def test_what_a_target_names_is_there() -> None:
    for target in TARGETS:
        assert (ROOT / target.path).is_file()
        assert [path for path in target.tests if not (ROOT / path).exists()] == []


def test_only_what_no_test_notices_survives(tmp_path: Path) -> None:
    (tmp_path / "summed.py").write_text("def f(a):\n    print(a)\n    return a + 1\n")
    (tmp_path / "test_summed.py").write_text(
        "from summed import f\n\n\ndef test_f():\n    assert f(2) == 3\n"
    )
    done = _survivors(tmp_path, Target("summed.py", ("test_summed.py",)))
    assert done.stdout.splitlines()[-1:] == ["['f: `print(a)` -> `pass`']"], done.stderr


def test_mistakes_in_the_package_of_a_pytest_plugin_are_noticed() -> None:
    """pytest imports such a package by itself, to rewrite its assertions."""
    done = _survivors(
        ROOT, Target("grader/course/cycles.py", ("tests/unit/course/test_cycles.py",))
    )
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


def test_tests_that_import_another_module_prove_nothing(tmp_path: Path) -> None:
    (tmp_path / "summed.py").write_text("def f(a):\n    return a + 1\n")
    (tmp_path / "test_other.py").write_text("def test_f():\n    pass\n")
    done = _survivors(tmp_path, Target("summed.py", ("test_other.py",)))
    assert done.stderr.splitlines()[-1:] == [
        "summed.py: its tests import another module of that name, or none"
    ]


def _survivors(folder: Path, target: Target) -> subprocess.CompletedProcess[str]:
    """Print the survivors of a module, in a process of its own: pytest is run in forks of it."""
    script = (
        "from pathlib import Path\n"
        "from tests.unit.tools.test_mutate import survivors_of\n"
        f"print(survivors_of(Path({str(folder)!r}), {target.path!r}, {target.tests!r}))"
    )
    path = os.pathsep.join([str(ROOT), str(folder)])
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def survivors_of(folder: Path, path: str, tests: tuple[str, ...]) -> list[str]:
    """Return the names of a module's survivors."""
    made = mutants((folder / path).read_text(encoding="utf-8"))
    return [mutant.name for mutant in surviving(folder, Target(path, tests), made, jobs=2)]
