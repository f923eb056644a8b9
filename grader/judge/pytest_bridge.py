"""The only place that touches pytest's inside: collect once, run the same items many times.

Pinned by `pytest>=9,<10` and a contract test. `pytest.main` per submission would cost 36 ms per
40 checks, stock tracebacks 11 ms per failing one, and both would print test source.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session
from _pytest.runner import CallInfo, runtestprotocol

UNUSED_PLUGINS = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "legacypath",
    "logging", "monkeypatch", "pastebin", "recwarn", "setuponly", "setupplan", "stepwise",
    "subtests", "terminal", "threadexception", "tmpdir", "unittest", "unraisableexception",
    "warnings",
)  # fmt: skip


@dataclass(frozen=True)
class Phase:
    """What one phase of one item raised."""

    when: str
    error: BaseException | None
    trace: TracebackType | None


class CollectionFailed(Exception):
    """A suite can't be collected: the author's fault. The text has file and line."""


class Recorder:
    """Our report hook: keeps the exception itself, formats nothing."""

    def __init__(self) -> None:
        self.phases: list[Phase] = []
        self.problems: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: CallInfo[None]
    ) -> pytest.TestReport:
        error = call.excinfo.value if call.excinfo else None
        self.phases.append(Phase(call.when, error, call.excinfo.tb if call.excinfo else None))
        return pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed" if error else "passed",
            longrepr=None,
            when=call.when,  # type: ignore[arg-type]
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(str(report.longrepr))


class Suites:
    """A collected pytest session over suite files.

    Raises:
        CollectionFailed: a file has an error.
    """

    def __init__(self, files: Sequence[Path], root: Path, plugins: Sequence[object]) -> None:
        self._recorder = Recorder()
        # Neither the environment nor an ini file of the submission or the course may steer us.
        for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
            os.environ.pop(name, None)
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        arguments = ["-c", os.devnull, f"--rootdir={root}", "--noconftest", "--assert=plain"]
        arguments += ["--import-mode=importlib", "--strict-markers", "-p", "no:terminalprogress"]
        for name in UNUSED_PLUGINS:
            arguments += ["-p", f"no:{name}"]
        config = _prepareconfig([*arguments, *map(str, files)], [*plugins, self._recorder])
        config.option.tbstyle = "no"  # belongs to the terminal plugin, which is off
        config.addinivalue_line("markers", "fresh: inputs depend on the submission")
        config._do_configure()
        self._session = Session.from_config(config)
        config.hook.pytest_sessionstart(session=self._session)
        try:
            self._session.perform_collect()
        except pytest.UsageError as error:
            raise CollectionFailed("\n".join([*self._recorder.problems, str(error)])) from None
        if self._recorder.problems:
            raise CollectionFailed("\n".join(self._recorder.problems))

    @property
    def items(self) -> list[pytest.Function]:
        return [item for item in self._session.items if isinstance(item, pytest.Function)]

    def run(self, item: pytest.Function) -> list[Phase]:
        """Run one item with all its fixtures and return what its phases raised."""
        self._recorder.phases = []
        self._session.shouldfail = self._session.shouldstop = False
        _forget_instance(item)
        runtestprotocol(item, log=False, nextitem=None)
        return self._recorder.phases


def _forget_instance(item: Any) -> None:
    """pytest 9 keeps the instance of the test class on the item: state would leak into re-runs."""
    for name in ("_instance", "_obj"):
        item.__dict__.pop(name, None)
