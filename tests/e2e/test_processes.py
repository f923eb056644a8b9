"""What dies is replaced, what hangs is killed, and nothing outlives the parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, EngineError, Options
from grader.engine.job import job_for
from grader.grade.evidence import NOT_YOURS, Outcome
from tests.support.courses import submission, write_course
from tests.support.families import child_pids, is_alive

REFERENCE = "def work(step):\n    return step\n"
SUITE = """
    import pytest

    class TestOutputs:
        @pytest.mark.parametrize("step", range(3))
        def test_step(self, student, expect, step):
            '''Every step is returned.'''
            expect.true(student.work(step) == step, observed="another step", expected="the step")
"""
SLOW = "import time\n\ndef work(step):\n    time.sleep(0.4)\n    return step\n"
PASSED = [Outcome.PASSED] * 3

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, uses pidfds")


@pytest.fixture
def course_root(tmp_path: Path) -> Path:
    return write_course(tmp_path / "toy", targets="work", reference=REFERENCE, suite=SUITE)


@contextmanager
def killing(pick: Callable[[], int | None]) -> Iterator[None]:
    """Kill the process that `pick` names as soon as it names one, a moment into its work."""

    def wait_and_kill() -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            pid = pick()
            if pid is not None:
                time.sleep(0.5)
                os.kill(pid, signal.SIGKILL)
                return
            time.sleep(0.01)

    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("victim", ["judge", "zygote", "nursery"])
def test_a_killed_process_costs_no_submission_its_grade(course_root: Path, victim: str) -> None:
    with Engine(find_course(course_root)) as engine:

        def pick() -> int | None:
            state = engine._lanes[0] if engine._lanes else None
            if state is None or not state.ready or not state.lane.pids:
                return None
            if victim == "nursery":
                return engine._tree.starter.pid  # type: ignore[attr-defined]
            return state.lane.pids[0 if victim == "judge" else 1]

        waiting = [submission({"t1_toy.py": SLOW}, f"student-00{n}") for n in (1, 2)]
        with killing(pick):
            results = {r.submission.id: r for r in engine.grade(waiting)}
    assert {id: [o.outcome for o in result.observations] for id, result in results.items()} == {
        "student-001": PASSED,
        "student-002": PASSED,
    }


def test_a_killed_judge_is_replaced_in_spawn_mode(course_root: Path) -> None:
    with Engine(find_course(course_root), Options(spawn=True)) as engine:

        def pick() -> int | None:
            state = engine._lanes[0]
            return state.lane.pids[0] if state.ready else None

        with killing(pick):
            (result,) = engine.grade([submission({"t1_toy.py": SLOW})])
    assert [o.outcome for o in result.observations] == PASSED


def test_a_killed_worker_costs_the_check_under_way_and_no_other(course_root: Path) -> None:
    source = """
        import os

        def work(step):
            if step == 1:
                os.kill(os.getpid(), 9)
            return step
    """
    with Engine(find_course(course_root)) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": source})])
    found = [o.outcome for o in result.observations]
    assert found == [Outcome.PASSED, Outcome.STUDENT_ERROR, Outcome.PASSED]


def test_a_hang_that_swallows_every_exception_costs_one_check(course_root: Path) -> None:
    source = """
        import signal

        def work(step):
            for number in range(1, 65):
                if number not in (9, 19, 32, 33):
                    signal.signal(number, signal.SIG_IGN)
            while step == 1:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
            return step
    """
    with Engine(find_course(course_root)) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": source})])
    found = [o.outcome for o in result.observations]
    assert found == [Outcome.PASSED, Outcome.TIMED_OUT, Outcome.PASSED]


def test_sleeping_is_the_students_and_not_the_machines_fault(course_root: Path) -> None:
    source = "import time\n\ndef work(step):\n    step == 2 and time.sleep(60)\n    return step\n"
    with Engine(find_course(course_root)) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": source})])
    found = [o.outcome for o in result.observations]
    assert found == [Outcome.PASSED, Outcome.PASSED, Outcome.TIMED_OUT]


def test_a_busy_machine_is_no_reason_for_a_verdict(course_root: Path) -> None:
    """An endless loop times out, and a long computation does not, while others have most of the
    processor."""
    source = """
        import time

        def work(step):
            until = time.process_time() + (1.2 if step == 0 else 0)
            while step == 1 or time.process_time() < until:
                pass
            return step
    """
    cpu = min(os.sched_getaffinity(0))
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        with Engine(find_course(course_root)) as engine:
            (result,) = engine.grade([submission({"t1_toy.py": source})])
    finally:
        os.sched_setaffinity(0, allowed)
        for other in others:
            other.kill()
            other.wait()
    found = [o.outcome for o in result.observations]
    assert found == [Outcome.PASSED, Outcome.TIMED_OUT, Outcome.PASSED]


def files_below(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("left-behind")]


def test_daemons_and_files_of_a_submission_end_with_it(course_root: Path, tmp_path: Path) -> None:
    note = tmp_path / "daemon.pid"
    source = f"""
        import os, time

        def work(step):
            open("left-behind", "w").write("x")
            if step == 0 and os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    with open({str(note)!r}, "w") as file:
                        file.write(str(os.getpid()))
                    while True:
                        time.sleep(0.1)
                os._exit(0)
            time.sleep(0.2)
            return step
    """
    # The tiers with a jail let nothing be forked or left behind in the first place.
    with Engine(find_course(course_root), Options(isolation="none")) as engine:
        scratch = Path(engine._tree.scratch)
        (first,) = engine.grade([submission({"t1_toy.py": source})])
        (second,) = engine.grade([submission({"t1_toy.py": REFERENCE}, "student-002")])
        daemon = int(note.read_text())
        until = time.monotonic() + 5
        # The zygote kills it first and removes the folder then, while this process goes on.
        while (is_alive(daemon) or files_below(scratch)) and time.monotonic() < until:
            time.sleep(0.02)
        assert (is_alive(daemon), files_below(scratch)) == (False, [])
    assert [o.outcome for o in first.observations] == PASSED
    assert [o.outcome for o in second.observations] == PASSED
    assert not scratch.exists()


@pytest.mark.parametrize(
    "mode",
    [[], ["--isolation", "partial"], ["--isolation", "none"], ["--spawn"]],
    ids=["best", "partial", "none", "spawn"],
)
def test_nothing_outlives_a_killed_parent(
    course_root: Path, tmp_path: Path, mode: list[str]
) -> None:
    student = tmp_path / "student-001"
    student.mkdir()
    text = "import time\n\ndef work(step):\n    while True:\n        time.sleep(1)\n"
    (student / "t1_toy.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "grader", "check", str(student), "--course", str(course_root)]
    folder = tmp_path / "tmp"
    folder.mkdir()
    with tempfile.TemporaryFile() as output:
        parent = subprocess.Popen(
            [*command, *mode],
            stdout=output,
            stderr=output,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(folder)},
        )
        until = time.monotonic() + 30
        wanted = 3 if mode == ["--spawn"] else 4
        while len(family := child_pids(parent.pid)) < wanted and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.5)
        # One of them may be between two workers at that moment.
        family = sorted({*family, *child_pids(parent.pid)})
        parent.kill()
        parent.wait()
    time.sleep(1.0)
    assert len(family) >= wanted
    assert [pid for pid in family if is_alive(pid)] == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("tier", ["full", "partial", "none", "spawn"])
def test_nothing_of_a_killed_judge_is_alive_after_a_second(
    course_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: str
) -> None:
    """Its worker is busy, and in tier none has files and a child of its own."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    busy = """
        import os, time

        def work(step):
            try:
                open("left-behind", "w").close()
                os.fork()
            except OSError:
                pass
            while True:
                pass
    """
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    isolation = "none" if tier == "spawn" else tier
    options = Options(isolation=isolation, spawn=tier == "spawn")
    with Engine(find_course(course_root), options) as engine:
        list(engine.grade([submission({"t1_toy.py": REFERENCE})]))
        judge, zygote = engine._lanes[0].lane.pids
        engine._send(engine._lanes[0], job_for(submission({"t1_toy.py": busy}), ["t1_toy"]))
        time.sleep(1.2)
        family = [judge, zygote, *child_pids(zygote)]
        os.kill(judge, signal.SIGKILL)
        until = time.monotonic() + 1.0
        while any(is_alive(pid) for pid in family[1:]) and time.monotonic() < until:
            time.sleep(0.01)
        left = [pid for pid in family[1:] if is_alive(pid)]
        files = list(folder.rglob("*"))
    assert (len(family) >= 3, left) == (True, [])
    assert files == []
    assert Path("/proc/self/mountinfo").read_text(encoding="utf-8") == mounts


def test_a_suite_that_does_not_import_is_told_with_its_line(tmp_path: Path) -> None:
    broken = "import no_such_thing\n"
    root = write_course(tmp_path, targets="work", reference=REFERENCE, suite=broken)
    with Engine(find_course(root)) as engine, pytest.raises(EngineError, match="no_such_thing"):
        list(engine.grade([submission({"t1_toy.py": REFERENCE})]))


def test_a_rubric_that_speaks_of_what_is_not_there_grades_nobody(tmp_path: Path) -> None:
    """All of it is told at once, each with its place, and none of it is a student's fault."""
    suite = """
        class TestOutput:
            def test_step(self, student, expect):
                '''The step is returned.'''
                expect.true(student.work(1) == 1, observed="another", expected="the step")
        """
    root = write_course(tmp_path, targets="work, wrok", reference=REFERENCE, suite=suite)
    with (root / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write("    banned: [torch.softmx]\n")
    with Engine(find_course(root)) as engine, pytest.raises(EngineError) as told:
        list(engine.grade([submission({"t1_toy.py": REFERENCE})]))
    assert [line.partition("rubric.yaml:")[2] for line in str(told.value).splitlines()] == [
        "6:21  exercises.t1.toy.targets[1]: reference/t1_toy.py has no 'wrok' - did you mean "
        "'work'?",
        "8:7  exercises.t1.toy.criteria.outputs: no check earns its points - did you mean "
        "'output', as in tests/suites/t1_toy/public/test_toy.py:3?",
        "9:14  exercises.t1.toy.banned[0]: torch has no 'softmx' - did you mean 'softmax'?",
    ]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("pass", "compared nothing"),
        ("pytest.skip('later')", "skipped"),
        ("pytest.xfail('never')", "skipped"),
        ("assert student.work(1) == 2", "AssertionError"),
        ("expect.true(False, observed='a', expected='b')", "the reference itself does not pass"),
        ("raise KeyError('ours')", "KeyError"),
    ],
    ids=["no expectation", "skip", "xfail", "bare assert", "reference fails", "error"],
)
def test_a_check_that_proves_nothing_could_not_check(tmp_path: Path, body: str, why: str) -> None:
    suite = f"""
        import pytest

        class TestOutputs:
            def test_it(self, student, expect):
                '''It is checked.'''
                {body}
    """
    root = write_course(tmp_path, targets="work", reference=REFERENCE, suite=suite)
    with Engine(find_course(root)) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": REFERENCE})])
    (seen,) = result.observations
    assert seen.outcome is Outcome.COULD_NOT_CHECK
    assert why in seen.staff
    assert seen.observed == NOT_YOURS


@pytest.mark.parametrize("moment", ["loading", "checking"])
def test_workers_that_somebody_else_kills_cost_nothing(course_root: Path, moment: str) -> None:
    at_once = "import time\ntime.sleep(1.5)\n\ndef work(step):\n    return step\n"
    killed = []
    with Engine(find_course(course_root)) as engine:

        def kill_all() -> None:
            state = engine._lanes[0]
            for pid in child_pids(state.lane.pids[1]):
                if not child_pids(pid):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

        def kill_at_work() -> None:
            while not (engine._lanes and engine._lanes[0].ready):
                time.sleep(0.01)
            time.sleep(0.7)
            kill_all()

        thread = threading.Thread(target=kill_at_work)
        thread.start()
        text = SLOW if moment == "checking" else at_once
        (result,) = engine.grade([submission({"t1_toy.py": text})])
        thread.join()
    assert [o.outcome for o in result.observations] == PASSED
    assert killed


def test_a_submission_that_is_killed_again_and_again_is_told_so(course_root: Path) -> None:
    source = "import os\n\ndef work(step):\n    os.kill(os.getpid(), 9)\n"
    with Engine(find_course(course_root), Options(isolation="none")) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": source})])
    assert [o.outcome for o in result.observations] == [Outcome.STUDENT_ERROR] * 3
    assert "was killed" in result.observations[0].observed
