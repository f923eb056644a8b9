"""A sealed course grades as the open one does, and only the judge holds what is sealed."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from grader.course.course import find_course
from grader.release.sealing import sealed_course
from grader.sealed.ciphers import new_key
from grader.sealed.key import KEY_VARIABLE, AuthorKey
from tests.support.families import child_pids, is_alive
from tests.support.guide import blocks
from tests.support.memory import holds, started_with

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
CASES = ("causal_off_by_one", "mha_scale_by_model_width", "syntax_error")
KEY = new_key()
LIMIT_S = 240
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a sealed course needs a jail")


def sealed_in(place: Path, root: Path, key: AuthorKey = KEY) -> Path:
    file = place / "course.sealed"
    file.write_bytes(sealed_course(find_course(root), key, date(2099, 12, 31), date(2026, 11, 1)))
    return file


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "grader", *words]


def environ(key: str = KEY.grading.text) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), KEY_VARIABLE: key}


def grader(
    place: Path, *words: str, key: str = KEY.grading.text
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), cwd=place, capture_output=True, text=True, env=environ(key)
    )


def untimed(file: Path) -> Any:
    """Return what a record says, but for how long things took."""
    record = json.loads(file.read_text(encoding="utf-8"))
    record.pop("timings", None)
    return record


# ---- the same marks ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(
    tmp_path_factory: pytest.TempPathFactory, once: Callable[..., str]
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Return the results of a class by the open and by the sealed course, and of both, in turn."""
    place = tmp_path_factory.mktemp("sealed")
    for name in CASES:
        shutil.copytree(ROOT / "tests" / "corpus" / name, place / "class" / name)
    sealed_in(place, ROOT)
    only = ("--only", "a2.causal_mask", "--only", "a3.mha", "-j", "2")
    for out, course in (("open", str(ROOT)), ("sealed", "course.sealed")):
        done = grader(place, "batch", "class", "--out", out, "--course", course, *only)
        assert done.returncode == 3 or done.returncode == 1, done.stderr
    again = grader(place, "batch", "class", "--out", "open", "--course", "course.sealed", *only)
    return place, again


@pytest.mark.parametrize("name", CASES)
def test_a_sealed_course_says_the_same_of_a_submission(
    graded: tuple[Path, subprocess.CompletedProcess[str]], name: str
) -> None:
    place, _again = graded
    opened, sealed = (
        untimed(place / out / "records" / f"{name}.json") for out in ("open", "sealed")
    )
    assert sealed == opened
    assert sealed["exercises"]


def test_a_sealed_course_makes_the_same_gradebook(
    graded: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    place, again = graded
    opened, sealed = ((place / out / "gradebook.csv").read_bytes() for out in ("open", "sealed"))
    assert sealed == opened
    assert again.stdout.count("3 of 3 were graded before and nothing has changed") == 1


# ---- who knows what ---------------------------------------------------------------------------

SLOW = "# marker 7f3a91\n\ndef box_blur(images, side):\n    return sum(iter(int, 1))\n"
"""Without end, and not in a loop of Python's: each check waits for its whole limit."""
SECRETS = {
    "key": KEY.grading.cipher,
    "key as text": KEY.grading.text[30:90].encode(),
    "suite": b"wanted[:, :2, :2] = torch.tensor([[4.0, 2.0], [2.0, 1.0]], dtype=torch.float64)",
    "reference": b"windows = wide.unfold(1, side, 1).unfold(2, side, 1)  # B R C K K",
    "mistake": b"+if side % 2 == 0 or side < 2:",
}
MARKER = {"submission": b"# marker 7f3a91"}
SEALED_PART = {"suite", "reference", "mistake"}
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="looks into processes of the grader")


@dataclass
class Snapshot:
    """What each process of a run holds, and what was left when it was aborted."""

    parent: int
    held: dict[int, set[str]] = field(default_factory=dict)
    started: dict[int, bytes] = field(default_factory=dict)
    core_limits: dict[int, str] = field(default_factory=dict)
    written: bytes = b""
    cores: list[Path] = field(default_factory=list)

    @property
    def judges(self) -> set[int]:
        return {pid for pid, held in self.held.items() if held >= SEALED_PART | {"key"}}

    @property
    def workers(self) -> set[int]:
        mine = {self.parent} | self.judges
        return {pid for pid, held in self.held.items() if "submission" in held and pid not in mine}


def look(parent: int) -> Snapshot:
    snapshot = Snapshot(parent)
    for pid in (parent, *child_pids(parent)):
        if is_alive(pid):
            snapshot.started[pid] = started_with(pid)
            snapshot.held[pid] = holds(pid, {**SECRETS, **MARKER})
            snapshot.core_limits[pid] = core_limit(pid)
    return snapshot


def core_limit(pid: int) -> str:
    lines = Path(f"/proc/{pid}/limits").read_text(encoding="ascii").splitlines()
    return next(line for line in lines if line.startswith("Max core file size")).split()[4]


def unlimited_cores() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def running_students(parent: int) -> list[int]:
    """Return the workers that compute: started by a zygote, and at work for half a second."""
    nursery = direct_children(parent)
    ours = [pid for one in nursery for pid in direct_children(one)]
    workers = [pid for one in ours for pid in child_pids(one)]
    return [pid for pid in workers if computed_s(pid) > 0.5]


def direct_children(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def computed_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(parent: int, number: signal.Signals) -> None:
    """Send a signal to a process and to all that it has started."""
    for pid in (parent, *child_pids(parent)):
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """Two submissions that take long are graded side by side; look at it, and abort everything."""
    place = tmp_path_factory.mktemp("snapshot")
    for number in (1, 2):
        (place / "class" / f"student-00{number}").mkdir(parents=True)
        (place / "class" / f"student-00{number}" / "f1_filters.py").write_text(SLOW, "utf-8")
    sealed_in(place, TOY)
    words = ("batch", "class", "--out", "out", "--course", "course.sealed", "-j", "2")
    with (place / "output").open("wb") as output:
        parent = subprocess.Popen(
            command(*words), cwd=place, env=environ(), stdout=output, stderr=output,
            preexec_fn=unlimited_cores,
        )  # fmt: skip
    result = Snapshot(parent.pid)
    until = time.monotonic() + LIMIT_S
    while len(result.judges) < 2 or not result.workers:
        send(parent.pid, signal.SIGCONT)
        time.sleep(0.2)
        assert time.monotonic() < until and parent.poll() is None, (place / "output").read_text()
        if len(running_students(parent.pid)) == 2:
            send(parent.pid, signal.SIGSTOP)
            result = look(parent.pid)
    send(parent.pid, signal.SIGABRT)
    send(parent.pid, signal.SIGCONT)
    parent.wait()
    result.cores = [*place.glob("core*"), *Path("/").glob("core*")]
    files = [path for path in place.rglob("*") if path.is_file() and path.name != "course.sealed"]
    result.written = b"".join(path.read_bytes() for path in files)
    return result


@ROOT_ONLY
def test_only_the_judges_hold_the_sealed_part(snapshot: Snapshot) -> None:
    holders = {pid for pid, held in snapshot.held.items() if held & SEALED_PART}
    assert len(holders) == 2
    assert holders == snapshot.judges
    assert snapshot.parent not in holders


@ROOT_ONLY
def test_only_the_parent_and_the_judges_hold_the_key(snapshot: Snapshot) -> None:
    holders = {pid for pid, held in snapshot.held.items() if held & {"key", "key as text"}}
    assert holders == {snapshot.parent, *snapshot.judges}


@ROOT_ONLY
def test_a_worker_holds_the_submission_and_no_secret(snapshot: Snapshot) -> None:
    assert snapshot.workers
    assert {frozenset(snapshot.held[pid]) for pid in snapshot.workers} == {frozenset(MARKER)}


@ROOT_ONLY
def test_the_key_is_in_the_environment_of_the_parent_and_of_nobody_else(snapshot: Snapshot) -> None:
    text = KEY.grading.text.encode()
    assert len(snapshot.started) >= 6
    assert [pid for pid, data in snapshot.started.items() if text in data] == [snapshot.parent]


@ROOT_ONLY
def test_no_process_may_leave_a_core_file(snapshot: Snapshot) -> None:
    """Although the command was started without any limit on these."""
    assert set(snapshot.core_limits.values()) == {"0"}
    assert snapshot.cores == []


@ROOT_ONLY
@pytest.mark.skipif(
    Path("/proc/sys/kernel/core_pattern").read_text().strip() != "core"
    if Path("/proc/sys/kernel/core_pattern").exists()
    else True,
    reason="core files go elsewhere here",
)
def test_a_process_that_does_not_mind_leaves_a_core_file_with_the_key(tmp_path: Path) -> None:
    """The positive control of the test above."""
    program = f"import os; key = os.environ[{KEY_VARIABLE!r}]; os.abort()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environ(), preexec_fn=unlimited_cores
    )
    assert done.returncode == -signal.SIGABRT
    assert any(KEY.grading.text.encode() in path.read_bytes() for path in tmp_path.glob("core*"))


@ROOT_ONLY
def test_nothing_that_was_written_has_a_secret(snapshot: Snapshot) -> None:
    assert {name for name, secret in SECRETS.items() if secret in snapshot.written} == set()
    assert MARKER["submission"] in snapshot.written  # the control: the class itself


# ---- what is refused --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("refusals")
    sealed_in(place, TOY)
    (place / "work").mkdir()
    shutil.copy(TOY / "reference" / "f1_filters.py", place / "work")
    return place


GUIDE = (ROOT / "docs" / "sealed.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in blocks(GUIDE) for line in block.text.splitlines() if "grader " in line
]


def test_the_commands_of_the_page_make_a_course_and_grade_with_it(tmp_path: Path) -> None:
    """In their order; `grader doctor` is tested with sealed courses elsewhere."""
    shutil.copytree(TOY, tmp_path, dirs_exist_ok=True)
    (tmp_path / "class" / "student-001").mkdir(parents=True)
    shutil.copy(TOY / "reference" / "f1_filters.py", tmp_path / "class" / "student-001")
    assert len(COMMANDS) == 4
    new, seal, doctor, batch = COMMANDS
    assert doctor.endswith("grader doctor --course course.sealed")

    done = [on_the_page(tmp_path, one) for one in (new, seal, batch)]

    assert [one.returncode for one in done] == [0, 0, 1], done
    assert "wrote course.sealed: 3 exercises, to be used until " in done[1].stdout
    record = json.loads((tmp_path / "results" / "records" / "student-001.json").read_bytes())
    assert record["points"] == "14"
    assert not {*tmp_path.glob("*.key")}


def on_the_page(place: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the page, on a day that has not passed whenever this is run."""
    line = line.replace("2027-06-30", "2099-12-31")
    line = re.sub(r"\bgrader (?=release|batch)", f"'{sys.executable}' -m grader ", line)
    plain = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    return subprocess.run(
        ["bash", "-c", line], cwd=place, capture_output=True, text=True,
        env={**plain, "PYTHONPATH": str(ROOT), "LANGUAGE": "en"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "key", "message"),
    [
        pytest.param(("--isolation", "none"), KEY, "not graded without isolation", id="no jail"),
        pytest.param(("--spawn",), KEY, "leave out --spawn", id="spawn"),
        pytest.param((), new_key(), "this course was sealed with the key", id="another key"),
    ],
)
def test_a_sealed_course_is_refused_in_words(
    toy: Path, words: tuple[str, ...], key: AuthorKey, message: str
) -> None:
    line = ("check", "work", "--course", "course.sealed", *words)
    done = grader(toy, *line, key=key.grading.text)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert key.grading.text not in done.stderr
