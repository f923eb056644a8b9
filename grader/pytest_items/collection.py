"""Collect the public checks of the submissions that pytest comes across, and grade them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from grader.course.course import CourseError
from grader.course.rubric_file import RubricError
from grader.submission.submission import SubmissionError
from grader.text.language import _

from .grading import FolderGrading
from .items import PASSES, AssignmentFile, CheckItem, counted

SUFFIXES = (".py", ".ipynb")
INSTALLED = frozenset({"site-packages", "dist-packages"})
"""The folders of installed packages: an environment may lie in a submission's folder."""


class ItemCollection:
    """The hooks of `pytest --grader`."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._folders: dict[Path, FolderGrading | None] = {}
        self._items: list[CheckItem] = []
        self._reported: dict[str, bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Refuse to go on with a plug-in that lies among the submissions.

        Settings of pytest that lie there can name one. A conftest.py is not loaded at all, and what
        is installed there is not the submission's.
        """
        folders = [one if one.is_dir() else one.parent for one in self._requested]
        manager = self._config.pluginmanager
        installed = [plug_in for plug_in, _package in manager.list_plugin_distinfo()]
        for plug_in in manager.get_plugins() - set(installed):
            file = Path(getattr(plug_in, "__file__", None) or "/").absolute()
            if any(map(file.is_relative_to, folders)) and not INSTALLED.intersection(file.parts):
                sentence = _(
                    "{file} is a plug-in of pytest in the folder of the submission, and could "
                    "change what a check says. Next: take it out of the settings of pytest",
                    file=file,
                )
                raise pytest.UsageError(f"--grader: {sentence}")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Take the files of assignments, which pytest would import if it took them itself."""
        collected = yield
        if file_path.suffix not in SUFFIXES or not self._is_requested(file_path):
            return collected
        grading = self._grading(file_path.parent)
        stems = (
            []
            if grading is None
            else [stem for stem, name in grading.files.items() if name == file_path.name]
        )
        if grading is None or not stems:
            return collected
        file: AssignmentFile = AssignmentFile.from_parent(parent, path=file_path)
        file.grading, file.stem = grading, stems[0]
        return [file]

    @property
    def _requested(self) -> list[Path]:
        """Return the files and folders that pytest was started with."""
        return [Path(one.partition("::")[0]).absolute() for one in self._config.args]

    def _is_requested(self, file: Path) -> bool:
        """Tell whether a file is to be collected: pytest looks into the folders above as well."""
        return any(map(file.is_relative_to, self._requested))

    def _grading(self, folder: Path) -> FolderGrading | None:
        """Return the grading of a folder, begun once; None if there is no course for it."""
        if folder not in self._folders:
            try:
                self._folders[folder] = FolderGrading(folder)
            except (CourseError, RubricError) as error:
                raise pytest.UsageError(f"--grader: {error}") from None
            except SubmissionError:
                self._folders[folder] = None  # no folder of a submission
        return self._folders[folder]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Take note of the exercises that were chosen, so that only they are graded."""
        self._items = [item for item in items if isinstance(item, CheckItem)]
        for grading in filter(None, self._folders.values()):
            own = [one.check.exercise for one in self._items if one.grading is grading]
            grading.want(own)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what pytest reports, to compare it with what the grader saw."""
        if report.when == "call":
            self._reported[report.nodeid] = report.passed

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what the grader itself saw, whatever other plug-ins made of it."""
        if not self._items or self._config.option.collectonly or not self._reported:
            return
        passed = [item for item in self._items if item.seen.outcome in PASSES]
        terminalreporter.write_line(counted(len(passed), len(self._items)))
        for item in self._differing():
            sentence = _("{check}: another plug-in changed this result", check=item.check.id)
            terminalreporter.write_line(sentence, red=True)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the run if another plug-in changed a result, and end the processes."""
        if self._reported and self._differing():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_unconfigure(self) -> None:
        """End the processes that grade."""
        for grading in filter(None, self._folders.values()):
            grading.close()

    def _differing(self) -> list[CheckItem]:
        """Return the items that pytest reports as passed and the grader does not."""
        return [
            item
            for item in self._items
            if self._reported.get(item.nodeid) and item.seen.outcome not in PASSES
        ]
