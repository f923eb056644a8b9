"""Run suites with pytest: collect once, then run the same items many times.

This is the only module that touches pytest's inside. Pinned by `pytest>=9,<10` and a contract test.
`pytest.main` per submission would cost 36 ms per 40 checks, stock tracebacks 11 ms per failing one,
and both would print test source.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session

UNUSED_PLUGINS = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "legacypath",
    "logging", "monkeypatch", "pastebin", "recwarn", "setuponly", "setupplan", "stepwise",
    "subtests", "terminal", "threadexception", "tmpdir", "unittest", "unraisableexception",
    "warnings",
)  # fmt: skip


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
        arguments = ["-c", os.devnull, f"--rootdir={root}", "--noconftest", "--assert=plain"]
        arguments += ["--import-mode=importlib", "--strict-markers", "-p", "no:terminalprogress"]
        for name in UNUSED_PLUGINS:
            arguments += ["-p", f"no:{name}"]
        config = _prepareconfig([*arguments, *map(str, files)], [*plugins, problems])
        config.option.tbstyle = "no"  # belongs to the terminal plugin, which is off
        config.addinivalue_line("markers", "fresh: inputs depend on the submission")
        config.addinivalue_line("markers", "alone: runs in a worker of its own")
        config._do_configure()
        self._session = Session.from_config(config)
        config.hook.pytest_sessionstart(session=self._session)
        try:
            self._session.perform_collect()
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
