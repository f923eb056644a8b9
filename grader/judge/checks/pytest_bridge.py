"""Run suites with pytest: collect once, then run the same items many times.

This is the only module that touches pytest's inside. Pinned by `pytest>=9,<10` and a contract test.
`pytest.main` per submission would cost 36 ms per 40 checks, stock tracebacks 11 ms per failing one,
and both would print test source.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session

from ...sealed.imports import imported, package_from_memory
from ...sealed.memory_path import SealedPath

UNUSED_PLUGINS = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "legacypath",
    "logging", "monkeypatch", "pastebin", "recwarn", "setuponly", "setupplan", "stepwise",
    "subtests", "terminal", "threadexception", "tmpdir", "unittest", "unraisableexception",
    "warnings",
)  # fmt: skip


SUITES = "suites"
"""The folder of all suites within `tests/`."""


@dataclass(frozen=True)
class Phase:
    """One phase of running an item (setup, call, teardown), and the exception that it raised."""

    when: str
    error: BaseException | None


class CollectionFailed(Exception):
    """A suite can't be collected: the author's fault. The text has file and line."""


class Problems:
    """A plugin that keeps the texts of what could not be collected."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.texts.append(str(report.longrepr))


class Suites:
    """A collected pytest session over suite files.

    Raises:
        CollectionFailed: a file has an error.
    """

    def __init__(self, files: Sequence[Path], root: Path, plugins: Sequence[object]) -> None:
        problems = Problems()
        # Neither the environment nor an ini file of the submission or the course may steer us.
        for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
            os.environ.pop(name, None)
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        sealed = [path for path in files if isinstance(path, SealedPath)]
        folder = root.parent if sealed else root  # pytest wants a folder, and this is a file
        arguments = ["-c", os.devnull, f"--rootdir={folder}", "--noconftest", "--assert=plain"]
        arguments += ["--import-mode=importlib", "--strict-markers", "-p", "no:terminalprogress"]
        for name in UNUSED_PLUGINS:
            arguments += ["-p", f"no:{name}"]
        on_disk = [] if sealed else map(str, files)
        config = _prepareconfig([*arguments, *on_disk], [*plugins, problems])
        config.option.tbstyle = "no"  # belongs to the terminal plugin, which is off
        config.addinivalue_line("markers", "fresh: inputs depend on the submission")
        config.addinivalue_line("markers", "alone: runs in a worker of its own")
        config._do_configure()
        self._session = Session.from_config(config)
        config.hook.pytest_sessionstart(session=self._session)
        try:
            _collect(self._session, sealed)
        except pytest.UsageError as error:
            raise CollectionFailed("\n".join([*problems.texts, str(error)])) from None
        if problems.texts:
            raise CollectionFailed("\n".join(problems.texts))

    @property
    def items(self) -> list[pytest.Function]:
        return [item for item in self._session.items if isinstance(item, pytest.Function)]

    def run(
        self,
        item: pytest.Function,
        give: Callable[[str], object] = lambda name: None,
        given: Sequence[str] = (),
    ) -> list[Phase]:
        """Run one item with all its fixtures and return what its phases raised.

        This does what pytest's own protocol does, without its reports, which nobody would use.
        Fixtures among `given` come from `give`, unless the suite has its own by that name: pytest
        takes ten times as long to set one up.
        """
        _forget_instance(item)
        item._initrequest()
        item.funcargs.update({name: give(name) for name in given if _is_plain(item, name)})
        state = self._session._setupstate
        phases = [_phase("setup", lambda: state.setup(item))]
        if phases[0].error is None:
            phases.append(_phase("call", item.runtest))
        phases.append(_phase("teardown", lambda: state.teardown_exact(None)))
        item._request = False  # type: ignore[assignment]
        item.funcargs = {}
        return phases


class MemoryModule(pytest.Module):
    """A suite of a sealed course, imported from memory."""

    def _getobj(self) -> ModuleType:
        path = self.path
        assert isinstance(path, SealedPath)
        try:
            return imported(f"{SUITES}.{'.'.join(_below_suites(path).with_suffix('').parts)}", path)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(path)]
            line = error.lineno if isinstance(error, SyntaxError) else (lines or [1])[-1]
            text = f"{path}:{line or 1}  {type(error).__name__}: {error}"
            raise self.CollectError(text) from None


def _collect(session: Session, sealed: Sequence[SealedPath]) -> None:
    """Collect the files of the command line, or those of a sealed course, which pytest can't open.

    Their nodes are made here then, and take the place of what the session would find on disk.
    """
    if not sealed:
        session.perform_collect()
        return
    package_from_memory(SUITES, sealed[0].parents[len(_below_suites(sealed[0]).parts) - 1])
    modules = [MemoryModule.from_parent(session, path=path) for path in sealed]
    session.collect = lambda: iter(modules)  # type: ignore[method-assign]
    session.perform_collect([])


def _below_suites(path: SealedPath) -> PurePosixPath:
    """Return the path of a suite below `tests/suites`."""
    parts = path.parts
    at = max(n for n in range(1, len(parts)) if parts[n - 1 : n + 1] == ("tests", SUITES))
    return PurePosixPath(*parts[at + 1 :])


def _phase(when: str, run: Callable[[], object]) -> Phase:
    try:
        run()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Phase(when, error)
    return Phase(when, None)


def _is_plain(item: pytest.Function, name: str) -> bool:
    """Tell whether the item asks for a fixture of that name and there is only one."""
    definitions = item._fixtureinfo.name2fixturedefs.get(name, ())
    parametrized = hasattr(item, "callspec") and name in item.callspec.params
    return len(definitions) == 1 and not parametrized


def _forget_instance(item: Any) -> None:
    """Remove the test class's instance, which pytest 9 keeps: state would leak into re-runs."""
    for name in ("_instance", "_obj"):
        item.__dict__.pop(name, None)
