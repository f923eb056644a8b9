"""What deals tests to processes, and what these share."""

from __future__ import annotations

import base64
import marshal
import multiprocessing
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.course.course import find_course
from grader.engine import engine, process_tree
from grader.engine.engine import Engine, Options
from grader.engine.lanes import cores
from grader.grade.evidence import Outcome, could_not_check
from grader.processes.bootstrap import Bootstrap, pack
from grader.submission.submission import Submission
from tests import conftest
from tests.e2e import test_corpus as corpus
from tests.support.busy import ATTEMPTS, STARVED, graded
from tests.support.one_processor import one_processor
from tests.support.scheduling import FIRST, rank, unit
from tests.support.shared import shared
from tests.support.turns import ALWAYS, IS_WHOLE, in_turn, waiting
from tests.support.warm import WarmNurseries, warm, warm_spawner
from tests.unit.samples import SampleResult, observations, submission

ORDER = ("right", "broken", "starved")
ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests/toy_course"
CORPUS = "tests/e2e/test_corpus.py::test_every_submission_gets_its_grade"


def test_a_part_of_a_file_is_dealt_by_itself() -> None:
    assert unit(f"{CORPUS}[spawn-right_plain]") == "tests/e2e/test_corpus.py[spawn-"
    assert unit(f"{CORPUS}[fork-right_plain]") == "tests/e2e/test_corpus.py"
    assert unit("tests/unit/text/test_points.py::test_it[spawn-1]") == (
        "tests/unit/text/test_points.py"
    )


def test_what_takes_longest_begins_first() -> None:
    nodes = ["tests/unit/x.py::a", "tests/e2e/y.py::a", f"{CORPUS}[fork-z]", f"{CORPUS}[spawn-z]"]

    assert sorted(nodes, key=rank) == nodes[::-1]


@pytest.mark.parametrize("place", [place for place, _part in FIRST])
def test_what_is_named_is_there(place: str) -> None:
    assert (ROOT / place).exists()


def test_no_entry_hides_a_later_one() -> None:
    behind = [(a, b) for at, a in enumerate(FIRST) for b in FIRST[at + 1 :]]

    assert [(a, b) for a, b in behind if b[0].startswith(a[0]) and not a[1]] == []


def test_every_submission_is_graded_by_forked_and_by_spawned_workers() -> None:
    assert corpus.GRADED["fork"] == corpus.NAMES
    assert list(corpus.GRADED["spawn"]) == list(in_turn(corpus.NAMES, 4))
    assert corpus.GRADED.keys() == corpus.WAYS.keys()
    assert corpus.WAYS["spawn"] == corpus.WAYS["exec"]
    least = 8 if IS_WHOLE else 16
    assert min((least + 1) * len(names) for names in corpus.GRADED.values()) >= len(corpus.NAMES)
    assert corpus.WAYS["fork"].workers > corpus.WAYS["spawn"].workers


@pytest.mark.parametrize("first", [0, 7, 4361])
def test_turns_in_a_row_take_everything_once(first: int) -> None:
    things = tuple(range(10))
    taken = [in_turn(things, 3, str(first + more)) for more in range(3)]
    assert sorted(one for part in taken for one in part) == list(things)


FILES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/**/test_*.py"))


def test_files_on_grades_and_isolation_are_made_at_each_turn_and_all_others_in_theirs() -> None:
    left_out = [waiting(FILES, turn) for turn in ("8", "9", "10")]
    made = [{*FILES} - each for each in left_out]
    assert {*ALWAYS} <= set.intersection(*made)
    assert set.union(*made) == {*FILES}
    assert all(file.startswith("tests/e2e/") for each in left_out for file in each)
    assert [file for file in ALWAYS if file not in FILES] == []


def test_without_a_turn_everything_is_taken() -> None:
    assert in_turn("abc", 3, "") == ("a", "b", "c")
    assert waiting(FILES, "") == frozenset()
    assert "GRADER_TURN" not in (ROOT / "Makefile").read_text(encoding="utf-8")


def imported_by(bootstrap: Bootstrap, name: str) -> tuple[str, ...]:
    """Return the names that a shipped module takes at its top, of modules and out of them."""
    code = marshal.loads(base64.b64decode(bootstrap.modules[name][0]))
    return tuple(code.co_names)


@pytest.mark.skipif(sys.platform != "linux", reason="forks a process with torch")
def test_spawners_fork_within_a_block_and_nowhere_else() -> None:
    spawner = "grader.processes.spawner"
    tree: Any = process_tree
    with warm_spawner():
        lent = tree.pack()

    assert "warm_spawner" in imported_by(lent, spawner)
    assert "warm_spawner" not in imported_by(pack(), spawner)
    assert tree.pack is pack


def test_engines_begin_from_kept_nurseries_within_a_block_and_nowhere_else() -> None:
    of_engines: Any = engine
    own = of_engines.begin
    with warm(WarmNurseries()):
        assert of_engines.begin is not own
    assert of_engines.begin is own


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no processor can be chosen")
def test_as_many_processes_as_there_are_processors_have_one_for_their_engines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowed = os.sched_getaffinity(0)
    found = []
    for number in range(len(allowed) + 1):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", f"gw{number}")
        with one_processor():
            found.append(os.sched_getaffinity(0))
    assert found == [*({one} for one in sorted(allowed)), allowed]
    assert os.sched_getaffinity(0) == allowed


def test_a_run_of_one_process_uses_every_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    before = cores()
    with one_processor():
        assert cores() == before


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no processor can be chosen")
def test_lanes_are_spread_over_the_processors(nurseries: WarmNurseries) -> None:
    """Both processes of a lane, and the nursery is left as it was."""
    allowed = sorted(os.sched_getaffinity(0))
    source = b"def double(x):\n    return x * 2\n"
    several = [Submission(id=str(n), files={"t1.py": source}, digest=str(n), path="") for n in "ab"]
    with warm(nurseries, spread=True), Engine(find_course(TOY), Options(workers=2)) as running:
        before = os.sched_getaffinity(running._tree.starter.pid)  # type: ignore[attr-defined]
        list(running.grade(several))
        used = [[os.sched_getaffinity(pid) for pid in one.lane.pids] for one in running._lanes]
        after = os.sched_getaffinity(running._tree.starter.pid)  # type: ignore[attr-defined]

    assert used == [[{allowed[at % len(allowed)]}] * 2 for at in range(2)]
    assert after == before


ABOUT_PROCESSES = ("processes", "jail", "corpus", "secrets", "changing_tiers", "hurry", "watch")


def test_what_is_about_processes_has_its_own() -> None:
    lent = [path.stem for path in (ROOT / "tests/e2e").glob("*.py") if _is_lent(path)]

    assert [name for name in ABOUT_PROCESSES if f"test_{name}" in lent] == []
    assert [path.stem for path in (ROOT / "tests/attack").glob("*.py") if _is_lent(path)] == []
    assert len(lent) >= 20
    assert [f for f in ABOUT_PROCESSES if not (ROOT / f"tests/e2e/test_{f}.py").exists()] == []


def _is_lent(path: Path) -> bool:
    return "warm_nursery" in path.read_text(encoding="utf-8")


def test_what_the_quick_run_leaves_out_is_there() -> None:
    made = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    lists = dict(re.findall(r"^(SLOW_UNITS|SLOW_FILES) := (.*)$", made, re.MULTILINE))
    folders = lists["SLOW_UNITS"].partition(" $(SLOW_FILES:%=%.py)")[0].split()
    left_out = [*folders, *(f"{name}.py" for name in lists["SLOW_FILES"].split())]

    assert len(left_out) >= 8
    assert [name for name in left_out if not (ROOT / "tests/unit" / name).exists()] == []


@pytest.mark.parametrize(("asked", "more"), [("auto", 1), ("logical", 0)])
def test_tests_that_wait_for_nothing_take_no_more_processes_than_cores(
    asked: str, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    config: Any = SimpleNamespace(getoption={"numprocesses": asked}.get)

    assert conftest.pytest_xdist_auto_num_workers(config) == 2 + more


def _count(folder: Path) -> str:
    with (folder / "calls").open("a", encoding="utf-8") as file:
        file.write("made\n")
    return "a value"


def _ask(folder: Path) -> str:
    return shared(folder / "shared", "a name", lambda: _count(folder))


def test_several_processes_make_it_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(_ask, [tmp_path] * 4)

    assert found == ["a value"] * 4
    assert (tmp_path / "calls").read_text(encoding="utf-8") == "made\n"


def test_what_could_not_be_made_is_tried_again(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        shared(tmp_path, "a name", lambda: 1 // 0)

    assert shared(tmp_path, "a name", lambda: 1) == 1


class BusyAtFirst:
    """An engine that has no time for a submission the first time, and no reason for another."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def grade(self, submissions: Iterable[Submission], scopes: None) -> Iterator[SampleResult]:
        for one in submissions:
            staff = {"starved": STARVED, "broken": "a fault of ours"}.get(one.id, "")
            seen = could_not_check("s1.add/outputs/test_sum", "A title.", staff)
            is_first = one.id not in self.asked
            self.asked.append(one.id)
            yield SampleResult(one, (seen,) if staff and is_first else observations(Outcome.PASSED))


def test_only_what_starved_is_graded_again() -> None:
    engine: Any = BusyAtFirst()

    found = {one.submission.id: one for one in graded(engine, map(submission, ORDER))}

    assert engine.asked == [*ORDER, "starved"]
    outcomes = {id: one.observations[0].outcome for id, one in found.items()}
    assert outcomes == {
        "right": Outcome.PASSED,
        "broken": Outcome.COULD_NOT_CHECK,
        "starved": Outcome.PASSED,
    }


def test_who_always_starves_could_not_be_checked() -> None:
    engine: Any = BusyAtFirst()
    engine.asked = Never()

    (found,) = graded(engine, [submission("starved")])

    assert engine.asked.count == ATTEMPTS
    assert found.observations[0].outcome is Outcome.COULD_NOT_CHECK


class Never:
    """A list that counts and holds nothing."""

    count = 0

    def __contains__(self, item: object) -> bool:
        return False

    def append(self, item: object) -> None:
        self.count += 1
