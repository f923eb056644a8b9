"""Proves that tests notice mistakes in what makes a grade, and lines taken out of the leak check.

Each mutant of a module (`tools/mutants.py`; of the leak check `tools/removals.py`) is given to the
unit tests of its package, in a process of its own: `make mutate`. A mutant that passes them
survives. It is either a test that is missing, or equal to the original: then
`tools/equivalent_mutants.yaml` says why. An entry there that no survivor needs is an error as well.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import Any

import hypothesis
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.mutants import Mutant, mutants, mutated  # noqa: E402
from tools.removals import removals  # noqa: E402

STATED = ROOT / "tools" / "equivalent_mutants.yaml"
LIMIT_CPU_S = 60
"""The tests of one mutant take a few seconds; one that runs for ever is noticed."""
LIMIT_BYTES = 4 << 30
# Hypothesis is imported here, once for all mutants, and pytest would warn of that. pytest rewrites
# the assertions of a package that has a plugin of its own: it would load the module itself, without
# the mistake.
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning",
           "--assert=plain")  # fmt: skip
NOT_LOADED = 70
"""Exit code: the tests ran without the module that was to be loaded for them."""


@dataclass(frozen=True)
class Target:
    """A module of the package, and the tests that have to notice its mutants."""

    path: str
    tests: tuple[str, ...]
    removing: bool = False
    """Lines are taken out, in place of mistakes that are made."""
    about: str = ""
    """What the names of the mutants have to match, where only a part of the module counts."""

    def mutants(self, source: str) -> list[Mutant]:
        """Return the mutants of the module's source that count."""
        made = removals(source) if self.removing else mutants(source)
        return [one for one in made if re.search(self.about, one.name)]

    @property
    def module(self) -> str:
        """Return the dotted name of the module."""
        return self.path.removesuffix(".py").replace("/", ".")


OF_LEAKS = ("tests/unit/release/test_leaks.py", "tests/unit/release/test_grader_wheel.py")
LEAK_CHECK = (
    Target("grader/release/leaks.py", OF_LEAKS, removing=True),
    Target("grader/release/secrets.py", OF_LEAKS, removing=True),
    Target("grader/release/wheel.py", OF_LEAKS, removing=True, about="leak|_file_of|_SHARED"),
    Target(
        "grader/release/kit.py",
        ("tests/unit/release/test_kit_search.py",),
        removing=True,
        about="leak",
    ),
)
OF_GRADE = ("tests/unit/grade",)
OF_RUBRIC = (
    "tests/unit/course/test_cycles.py",
    "tests/unit/course/test_rubric.py",
    "tests/unit/course/test_schema.py",
    "tests/unit/course/test_yaml_source.py",
    "tests/unit/course/test_follow_through.py",
    "tests/unit/course/test_questions.py",
    "tests/unit/course/test_refusals.py",
)
TARGETS = (
    *LEAK_CHECK,
    Target("grader/grade/score.py", OF_GRADE),
    Target("grader/grade/evidence.py", OF_GRADE),
    Target("grader/grade/lateness.py", ("tests/unit/grade/test_lateness.py",)),
    Target("grader/grade/totals.py", ("tests/unit/grade/test_totals.py",)),
    Target("grader/grade/places.py", OF_GRADE),
    Target("grader/grade/right_lines.py", OF_GRADE),
    Target("grader/grade/counterexample.py", OF_GRADE),
    Target("grader/course/rubric.py", OF_RUBRIC),
    Target("grader/course/rubric_file.py", OF_RUBRIC),
    # What a key means is read on a page of docs.
    Target(
        "grader/course/rubric_form.py", (*OF_RUBRIC, "tests/unit/tools/test_reference_pages.py")
    ),
    Target("grader/course/rubric_rules.py", OF_RUBRIC),
    Target("grader/course/schema.py", OF_RUBRIC),
    Target("grader/course/yaml_source.py", OF_RUBRIC),
    Target("grader/course/yaml_syntax.py", OF_RUBRIC),
    Target("grader/course/follow_through.py", OF_RUBRIC),
    Target("grader/course/cycles.py", OF_RUBRIC),
    Target("grader/course/questions.py", OF_RUBRIC),
    Target("grader/course/mark_schemes.py", ("tests/unit/course/test_mark_schemes.py", *OF_RUBRIC)),
    Target("grader/course/late.py", ("tests/unit/grade/test_lateness.py", *OF_RUBRIC)),
    Target("grader/course/totals.py", ("tests/unit/grade/test_totals.py", *OF_RUBRIC)),
    Target("grader/course/feedback.py", OF_RUBRIC),
    Target("grader/course/attempts.py", OF_RUBRIC),
    Target("grader/course/public_view.py", ("tests/unit/course/test_public_view.py",)),
    Target("grader/course/rubric_place.py", ("tests/unit/course/test_rubric_place.py", *OF_RUBRIC)),
)


@dataclass(frozen=True)
class Verdict:
    """The survivors of one module, and what is wrong with what is stated of them."""

    made: int
    survivors: tuple[Mutant, ...]
    unstated: tuple[Mutant, ...]
    stale: tuple[str, ...]
    """Names of mutants that are stated to be equal, and do not exist or were noticed."""


def verdict(made: Iterable[Mutant], survivors: Iterable[Mutant], stated: Iterable[str]) -> Verdict:
    """Return what is to be said of a module's mutants, by what is stated of them."""
    made, survivors, stated = tuple(made), tuple(survivors), tuple(stated)
    names = {mutant.name for mutant in survivors}
    return Verdict(
        len(made),
        survivors,
        tuple(mutant for mutant in survivors if mutant.name not in stated),
        tuple(name for name in stated if name not in names),
    )


class _Loader(SourceFileLoader):
    """Loads one module with a mistake in it; `None` loads it as it is."""

    def __init__(self, name: str, path: str, mutant: Mutant | None) -> None:
        super().__init__(name, path)
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        code: Any = source if self.mutant is None else mutated(source, self.mutant)
        return compile(code, self.path, "exec", dont_inherit=True)


@dataclass(frozen=True)
class _Finder(MetaPathFinder):
    """Finds the module that is to be loaded with a mistake before anybody else does."""

    loader: _Loader

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if fullname != self.loader.name:
            return None
        return spec_from_file_location(fullname, self.loader.path, loader=self.loader)


class _QuickestFirst:
    """Runs properties after all other tests: these are quicker."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: item.get_closest_marker("hypothesis") is not None)


def _tested(root: Path, target: Target, mutant: Mutant | None) -> int:
    """Fork a process that tests a mutant; return its id. It ends with 0 if nothing was noticed."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        code = _run(root, target, mutant)
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)


def _run(root: Path, target: Target, mutant: Mutant | None) -> int:
    if mutant is not None:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_CPU_S, LIMIT_CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    os.chdir(root)
    loader = _Loader(target.module, str(root / target.path), mutant)
    sys.meta_path.insert(0, _Finder(loader))
    # The same examples for every mutant, and no deadline that a busy machine might miss.
    hypothesis.settings.register_profile("mutants", database=None, deadline=None, derandomize=True)
    hypothesis.settings.load_profile("mutants")
    code = int(pytest.main([*OPTIONS, *target.tests], plugins=[_QuickestFirst()]))
    return code if code or _is_loaded_by(loader) else NOT_LOADED


def _is_loaded_by(loader: _Loader) -> bool:
    return getattr(sys.modules.get(loader.name), "__loader__", None) is loader


def surviving(root: Path, target: Target, made: Iterable[Mutant], jobs: int) -> Iterator[Mutant]:
    """Yield the mutants that the tests do not notice, `jobs` at a time.

    Raises:
        SystemExit: the tests do not pass on the module as it is, or do not import the module that
            is made for them.
    """
    status = os.waitpid(_tested(root, target, None), 0)[1]
    if os.waitstatus_to_exitcode(status) == NOT_LOADED:
        raise SystemExit(f"{target.path}: its tests import another module of that name, or none")
    if status:
        raise SystemExit(f"{target.path}: its tests fail without any mistake; run them first")
    waiting, running = list(made)[::-1], dict[int, Mutant]()
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[_tested(root, target, mutant)] = mutant
        process, status = os.wait()
        tested = running.pop(process)
        if status == 0:
            print(f"  passes all tests: {target.path}:{tested.line}  {tested.name}", flush=True)
            yield tested


def stated(path: Path = STATED) -> Mapping[str, Mapping[str, str]]:
    """Return the reason why each mutant that survives is equal to the original, by module."""
    found: dict[str, dict[str, str]] = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    return found


def main(arguments: list[str]) -> int:
    """Test the mutants of the modules named, or of all; return 1 if any is not accounted for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="such as grader/grade/score.py")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    targets = [one for one in TARGETS if not options.modules or one.path in options.modules]
    if unknown := set(options.modules) - {one.path for one in targets}:
        parser.error(f"no target: {', '.join(sorted(unknown))}")
    reasons, failed = stated(), False
    for target in targets:
        made = target.mutants((ROOT / target.path).read_text(encoding="utf-8"))
        survivors = surviving(ROOT, target, made, options.jobs)
        found = verdict(made, survivors, reasons.get(target.path, ()))
        failed |= bool(found.unstated or found.stale)
        _tell(target, found)
    return int(failed)


def _tell(target: Target, found: Verdict) -> None:
    killed, equal = found.made - len(found.survivors), len(found.survivors) - len(found.unstated)
    print(f"{target.path}: {found.made} mutants, {killed} noticed, {equal} equal to the original")
    for mutant in found.unstated:
        print(f"  without a reason: {target.path}:{mutant.line}  {mutant.name}")
    for name in found.stale:
        print(f"  stale in {STATED.name}: {name}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
