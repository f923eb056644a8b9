"""The contract with pytest's inside: if one of these fails, a new pytest changed under us."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest

from grader.judge.checks.pytest_bridge import CollectionFailed, Suites

SUITE = '''
import pytest

RUNS = []


class TestState:
    shared = []

    def test_instance_is_new(self):
        """A."""
        assert not hasattr(self, "seen")
        self.seen = True
        RUNS.append(1)

    @pytest.mark.parametrize("n", [1, 2])
    def test_parameters(self, n, offered):
        """B."""
        assert offered == "offered"
        assert n < 2

    @pytest.mark.fresh
    def test_marked(self):
        """C."""
        pytest.skip("no")
'''


class Offer:
    @pytest.fixture
    def offered(self) -> str:
        return "offered"


@pytest.fixture
def suites(tmp_path: Path) -> Suites:
    path = tmp_path / f"test_suite_{uuid.uuid4().hex}.py"  # a name is imported once a process
    path.write_text(SUITE, encoding="utf-8")
    return Suites([path], tmp_path, [Offer()])


def errors(suites: Suites) -> list[str | None]:
    """What each item raised, by the name of its type."""
    found = []
    for item in suites.items:
        raised = [phase.error for phase in suites.run(item) if phase.error is not None]
        found.append(type(raised[0]).__name__ if raised else None)
    return found


def test_items_are_collected_once_and_run_alike_any_number_of_times(suites: Suites) -> None:
    wanted = [None, None, "AssertionError", "Skipped"]
    assert [errors(suites) for _ in range(4)] == [wanted] * 4


def test_every_phase_is_reported_with_its_exception(suites: Suites) -> None:
    phases = suites.run(suites.items[2])
    assert [phase.when for phase in phases] == ["setup", "call", "teardown"]
    assert [phase.error is not None for phase in phases] == [False, True, False]


def test_marks_are_there(suites: Suites) -> None:
    marked = [item.name for item in suites.items if item.get_closest_marker("fresh")]
    assert marked == ["test_marked"]


def test_the_environment_and_the_submission_do_not_steer_pytest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conftest.py").write_text("raise SystemExit('conftest was read')")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "")
    monkeypatch.chdir(tmp_path)
    suites = Suites([tmp_path / "test_suite.py"], tmp_path, [Offer()])
    assert len(suites.items) == 4
    assert os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] == "1"


@pytest.mark.parametrize(
    ("text", "message"),
    [("import nothing_like_it\n", "nothing_like_it"), ("def broken(:\n", "SyntaxError")],
    ids=["import", "syntax"],
)
def test_a_file_that_cannot_be_collected_is_told(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / f"test_broken_{message}.py"  # a module name is imported once a process
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CollectionFailed, match=message):
        Suites([path], tmp_path, [])


FIXTURES = """
import pytest


@pytest.fixture
def own(offered):
    return [offered]


class TestTools:
    def test_given(self, offered, own):
        assert offered is own[0] is not None

    @pytest.mark.parametrize("offered", [7])
    def test_parametrized(self, offered):
        assert offered == 7


class TestOverridden:
    @pytest.fixture
    def offered(self):
        return "the suite's"

    def test_own(self, offered):
        assert offered == "the suite's"
"""


def test_tools_are_handed_over_unless_the_suite_has_its_own(tmp_path: Path) -> None:
    path = tmp_path / f"test_suite_{uuid.uuid4().hex}.py"
    path.write_text(FIXTURES, encoding="utf-8")
    given: list[str] = []

    def give(name: str) -> object:
        given.append(name)
        return "offered"

    suites = Suites([path], tmp_path, [Offer()])
    errors = [p.error for item in suites.items for p in suites.run(item, give, ["offered"])]
    assert errors == [None] * 9
    assert given == ["offered"]
