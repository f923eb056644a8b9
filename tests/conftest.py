"""How many tests run at the same time, in which order, and in which language."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from grader.text.language import ENGLISH, use_language
from tests.support.shared import shared
from tests.support.turns import waiting
from tests.support.warm import WarmNurseries, warm

# Of processes that tests start, too; before anything of ours reads it.
os.environ["LANGUAGE"] = ENGLISH
# Commands that are told begin with `grader`, as where a virtual environment is active.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# `make test &` begins with Ctrl-C ignored, and so would every program that a test sends it to.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine makes slow examples, and proves nothing by it.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("busy"), max_examples=10)
settings.load_profile("busy")

MOST = 4
"""Each of them may grade in two processes of its own."""
T = TypeVar("T")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    # One more than there are cores: limits of time are waited for without computing. With
    # `-n logical`, for tests that wait for nothing, as many: each of them collects everything.
    more = int(config.getoption("numprocesses") == "auto")
    return min(MOST, (os.cpu_count() or 1) + more)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    # Where there is no xdist there is nothing to deal.
    from tests.support.scheduling import LongestFirst

    if config.getvalue("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return LongestFirst(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    files = {item.nodeid: item.nodeid.partition("::")[0] for item in items}
    later = waiting(files.values())
    left_out = [item for item in items if files[item.nodeid] in later]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if files[item.nodeid] not in later]
    if hasattr(config, "workerinput"):
        from tests.support.scheduling import in_order

        in_order(items)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[], T]], T]:
    """Make something once in a run, by its name, for all of its processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "shared"
    return partial(shared, folder)


@pytest.fixture(scope="session")
def nurseries() -> Iterator[WarmNurseries]:
    """The nurseries of all files that are not about processes, in one process of the run."""
    kept = WarmNurseries()
    yield kept
    kept.close()


@pytest.fixture(scope="module")
def warm_nursery(nurseries: WarmNurseries) -> Iterator[None]:
    """Begin the engines of a file from a nursery that is kept: for files not about processes."""
    with warm(nurseries):
        yield


@pytest.fixture
def no_kept_nursery(nurseries: WarmNurseries) -> None:
    """End what other files keep: this test counts the descriptors that processes inherit."""
    nurseries.close()


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """What one test speaks, no other one does."""
    yield
    use_language(ENGLISH)
