"""The jail, property by property, each beside a control that shows the test can fail."""

from __future__ import annotations

import ast
import json
import os
import runpy
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.course.course import find_course
from grader.engine.engine import Engine, EngineError, Options
from grader.engine.isolation_test import isolation_report
from grader.grade.evidence import Outcome
from grader.judge.calls.client import Client
from grader.judge.calls.worker_process import WorkerStarter
from grader.judge.checks.namespace import Student
from grader.worker.jail import landlock
from tests.support.clients import STEM, remote_client, student_of, worker_source
from tests.support.courses import submission, write_course
from tests.support.families import child_pids, is_alive

ROOT = Path(__file__).resolve().parents[2]
BATTERY = ROOT / "tests" / "e2e" / "torch_battery.py"
OPERATIONS = [
    node.name
    for node in ast.parse(BATTERY.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and not node.args.args
    if node.name != "drawn"
]
JAILED = ("full", "partial")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a jail"),
    pytest.mark.skipif(
        os.environ.get("GRADER_NO_JAIL") == "1", reason="this machine was said to have none"
    ),
]


def call(files: dict[str, str], name: str, source: WorkerStarter) -> Any:
    client = remote_client(source, files, (name,))
    try:
        return getattr(student_of(client), name)()
    finally:
        client.close()


# ---- what holds ------------------------------------------------------------------------------

NOT_PREVENTED = {
    ("full", ()): set(),
    ("partial", ()): {"ask_about_file"},
    # Without one layer: what that layer alone prevented. The rest is prevented twice.
    ("full", ("seccomp",)): {"fork"},
    ("full", ("landlock",)): set(),
    ("partial", ("seccomp",)): {"ask_about_file", "fork", "gain_namespace"},
    ("partial", ("landlock",)): {
        "ask_about_file", "read_file", "list_folder", "write_file", "see_processes",
    },
}  # fmt: skip
PREVENTED_BY_ITS_OWN_USER = {"ask_about_file", "read_file", "list_folder", "write_file"}
"""In the partial tier, besides, where root grades and Python lies where anybody may read."""
EVERYTHING_BUT = {"take_memory", "read_own_environment"}


@pytest.mark.parametrize(("tier", "without"), NOT_PREVENTED, ids=str)
def test_what_a_submission_can_still_do(tier: str, without: tuple[str, ...]) -> None:
    seen = isolation_report(tier, without)
    assert [f.probe.name for f in seen.findings if not f.succeeds_outside] == []
    own_user = "own user" in seen.isolation.enforced and tier == "partial"
    prevented = PREVENTED_BY_ITS_OWN_USER if own_user else set()
    found = {f.probe.name for f in seen.findings if not f.holds}
    assert found == NOT_PREVENTED[tier, without] - prevented
    assert seen.tier == ("none" if without else tier)


def test_without_a_jail_a_submission_can_do_almost_everything() -> None:
    """The control of all of the above: the probes do work as student code."""
    seen = isolation_report("none")
    assert {f.probe.name for f in seen.findings if f.holds} == EVERYTHING_BUT
    assert seen.broken == ()


@pytest.mark.skipif(not IS_ROOT, reason="the tests run as an ordinary user already")
@pytest.mark.parametrize("tier", JAILED)
def test_the_same_holds_for_an_ordinary_user(tier: str) -> None:
    code = (
        "import json, os; from grader.engine.isolation_test import isolation_report; "
        f"seen = isolation_report({tier!r}); print(json.dumps([os.getuid(), seen.tier, "
        "[f.probe.name for f in seen.findings if not f.succeeds_outside], "
        "[f.probe.name for f in seen.findings if not f.holds]]))"
    )
    done = as_ordinary_user([sys.executable, "-c", code])
    uid, reached, unseen, broken = json.loads(done.stdout)
    assert uid != 0
    assert (reached, unseen, set(broken)) == (tier, [], NOT_PREVENTED[tier, ()])


def as_ordinary_user(command: list[str]) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-m", "tests.support.ordinary_user", *command])


SEE_PARTIAL = """
import json
from grader.engine.isolation_test import isolation_report
seen = isolation_report("partial")
broken = [finding.probe.name for finding in seen.broken]
print(json.dumps([seen.isolation.enforced, seen.isolation.weak, broken]))
"""


@pytest.mark.skipif(not IS_ROOT, reason="only root can become somebody else")
@pytest.mark.parametrize("way_is_open", [True, False], ids=["open", "as it is"])
def test_in_partial_root_becomes_nobody_where_nobody_can_reach_python(way_is_open: bool) -> None:
    command = [sys.executable, "-c", SEE_PARTIAL]
    done = as_ordinary_user(["--stay-root", *command]) if way_is_open else run(command)
    enforced, weak, broken = json.loads(done.stdout)
    assert broken == []
    assert ("own user" in enforced) != ("the same user as the grader" in weak)
    if way_is_open:
        assert "own user" in enforced


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


HIDE = """
import os, sys
from pathlib import Path
from grader.worker.jail import allowed, kernel, tree
root, base = sys.argv[1:]
kernel.unshare(kernel.NEWNS, "mounts")
kernel.mount("", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
kernel.mount("tmpfs", base, "tmpfs")
entry = root + "/python3.12/os.py"
files = allowed.Allowed((entry,), (root,), ())
tree._fill(base, files, {path: path for path in (entry, root, *allowed.DEVICES)})
print(sorted(str(path.relative_to(base + root)) for path in Path(base + root).rglob("*")))
try:
    Path(base + root + "/python3.12/new").touch()
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.skipif(not IS_ROOT, reason="needs to mount")
def test_other_pythons_among_the_libraries_are_hidden(tmp_path: Path) -> None:
    """As on systems that keep libraries and site-packages in one folder."""
    root = tmp_path / "lib64"
    for name in (
        "libc.so.6",
        "python3.12/os.py",
        "python3.12/site-packages/grader/engine/engine.py",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    (tmp_path / "base").mkdir()
    done = run([sys.executable, "-c", HIDE, str(root), str(tmp_path / "base")])
    files, refused = done.stdout.splitlines()
    assert ast.literal_eval(files) == ["libc.so.6", "python3.12", "python3.12/os.py"]
    assert refused == "Read-only file system"


LOOK_INTO = """
import os, subprocess, sys

def opens(pid):
    try:
        with open(f"/proc/{pid}/mem", "rb"):
            return True
    except PermissionError:
        return False

def look():
    with subprocess.Popen(["echo; sleep 9"], stdout=subprocess.PIPE, shell=True) as child:
        child.stdout.readline()  # until then it is not yet what it will be
        seen = [opens(child.pid), opens(os.getppid())]
        child.kill()
    return seen
"""


def test_even_without_a_jail_no_user_looks_into_our_processes(tmp_path: Path) -> None:
    """As root this is tried in a process of an ordinary user: root may look anywhere."""
    if IS_ROOT:
        name = "test_even_without_a_jail_no_user_looks_into_our_processes"
        pytest_on = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        as_ordinary_user([*pytest_on, f"{__file__}::{name}"])
        return
    suite = """
        class TestOutputs:
            def test_look(self, student, expect):
                '''A process of its own can be looked into, and its parent can not.'''
                seen = student.look()
                expect.true(seen == [True, False], observed=str(seen), expected="[True, False]")
    """
    reference = "def look():\n    return [True, False]\n"
    course = write_course(tmp_path, targets="look", reference=reference, suite=suite)
    with Engine(find_course(course), Options(isolation="none")) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": LOOK_INTO})])
    assert [(o.outcome, o.observed) for o in result.observations] == [(Outcome.PASSED, "")]


# ---- what there is in a full jail ------------------------------------------------------------

LOOK_AROUND = """
import os, resource, stat, tempfile

def look():
    def is_open(fd):
        try:
            return stat.S_IFMT(os.fstat(fd).st_mode)
        except OSError:
            return None

    with tempfile.TemporaryFile() as file:
        scratch = file.write(b"x" * 1000)
    kinds = {fd: is_open(fd) for fd in range(1024)}
    status = {
        "root": sorted(os.listdir("/")),
        "dev": sorted(os.listdir("/dev")),
        "descriptors": sorted(fd for fd, kind in kinds.items() if kind is not None),
        "folders": [fd for fd, kind in kinds.items() if kind == stat.S_IFDIR],
        "pids": [os.getpid(), os.getppid()],
        "host": os.uname().nodename,
        "uid": os.getuid(),
        "groups": len([g for g in os.getgroups() if g != 65534]),
        "environment": sorted(os.environ),
        "scratch": scratch,
        "core": list(resource.getrlimit(resource.RLIMIT_CORE)),
        "packages": sorted(os.listdir(next(
            path for path in __import__("sys").path if os.path.isdir(path + "/torch")
        ))),
    }
    return repr(status)
"""


def test_a_full_jail_holds_what_was_put_there_and_nothing_else() -> None:
    with worker_source("fork", "full") as source:
        found = ast.literal_eval(call({f"{STEM}.py": LOOK_AROUND}, "look", source))
    packages = found.pop("packages")
    root = found.pop("root")
    assert found == {
        "dev": ["null", "random", "urandom", "zero"],
        "descriptors": [0, 1, 2, 3],
        "folders": [],
        "pids": [1, 0],
        "host": "grader",
        "uid": 65534,
        "groups": 0,
        "environment": ["HOME", "LANG", "OMP_NUM_THREADS", "PATH", "TMPDIR"],
        "scratch": 1000,
        "core": [0, 0],
    }
    assert {"box", "dev", "proc"} <= set(root)
    assert {"tmp", "home", "mnt", "var", "sys", "run", "boot"}.isdisjoint(root)
    assert "torch" in packages
    assert {"pytest", "_pytest", "rich", "click", "grader", "yaml"}.isdisjoint(packages)


ESCAPES = """
import ctypes, os

LIBC = ctypes.CDLL(None, use_errno=True)

def attempt(function, *args):
    try:
        result = function(*args)
    except (OSError, ValueError) as error:
        return type(error).__name__
    return "done" if result is None or not isinstance(result, int) or result >= 0 else "refused"

def escapes():
    return repr({
        "write to the libraries": attempt(open, os.__file__, "a"),
        "write to the root": attempt(os.mkdir, "/new"),
        "link": attempt(os.symlink, "/", "link"),
        "hard link": attempt(os.link, os.__file__, "hard"),
        "change mode": attempt(os.chmod, ".", 0o777),
        "device": attempt(os.mknod, "device", 0o060600, os.makedev(8, 0)),
        "other user": attempt(os.setuid, 0),
        "own session": attempt(os.setsid),
        "signal all": attempt(os.kill, -1, 9),
        "signal the group": attempt(os.kill, 0, 9),
        "limits of others": LIBC.prlimit(2, 7, None, None),
        "raise a limit": attempt(__import__("resource").setrlimit, 0, (-1, -1)),
        "unix socket": attempt(__import__("socket").socket, 1, 1),
        "signals to others by descriptor": attempt(__import__("fcntl").fcntl, 3, 8, 2),
        "type into a terminal": attempt(__import__("fcntl").ioctl, 0, 0x5412, b"x"),
        "anonymous file outside the limits": attempt(os.memfd_create, "m"),
        "shared memory": LIBC.shmget(0, 4096, 0o1600),
        "trace me": LIBC.prctl(38, 0, 0, 0, 0),
        "no dump": LIBC.prctl(4, 1, 0, 0, 0),
        "clone3": LIBC.syscall(435, None, 0),
        "proc": attempt(os.listdir, "/proc/self/task"),
    })
"""
HELD = {
    "write to the libraries": "PermissionError",
    "write to the root": "PermissionError",
    "link": "PermissionError",
    "hard link": "PermissionError",
    "change mode": "PermissionError",
    "device": "PermissionError",
    "other user": "PermissionError",
    "own session": "PermissionError",
    "signal all": "PermissionError",
    "signal the group": "PermissionError",
    "limits of others": -1,
    "raise a limit": "ValueError",
    "unix socket": "PermissionError",
    "signals to others by descriptor": "PermissionError",
    "type into a terminal": "OSError",
    "anonymous file outside the limits": "PermissionError",
    "shared memory": -1,
    "trace me": -1,
    "no dump": -1,
    "clone3": -1,
}


@pytest.mark.parametrize("tier", JAILED)
def test_ways_out_are_shut(tier: str) -> None:
    with worker_source("fork", tier) as source:
        found = ast.literal_eval(call({f"{STEM}.py": ESCAPES}, "escapes", source))
    proc = found.pop("proc")
    assert {
        **found,
        "write to the root": "PermissionError",
        "write to the libraries": "PermissionError",
    } == HELD
    assert proc == ("FileNotFoundError" if tier == "full" else "PermissionError")


KILLED_BY = {
    "ptrace": "ctypes.CDLL(None).ptrace(0, 0, None, None)",
    "mount": "ctypes.CDLL(None).mount(b'none', b'/box', b'tmpfs', 0, None)",
    "setns": "ctypes.CDLL(None).setns(3, 0)",
    "kill -9 of itself": "__import__('os').kill(__import__('os').getpid(), 9)",
    "the 32-bit entry": "ctypes.CDLL(None).syscall(0x40000000 + 39)",
}


@pytest.mark.parametrize("tier", JAILED)
@pytest.mark.parametrize("name", KILLED_BY)
def test_what_no_honest_submission_does_ends_it(tmp_path: Path, tier: str, name: str) -> None:
    if name == "the 32-bit entry" and os.uname().machine != "x86_64":
        pytest.skip("there is only one entry on this machine")
    deed = KILLED_BY[name]
    student = f"import ctypes\n\ndef work(step):\n    step == 1 and {deed}\n    return step\n"
    with Engine(find_course(toy(tmp_path)), Options(isolation=tier)) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": student})])
    found = [o.outcome for o in result.observations]
    assert found == [Outcome.PASSED, Outcome.STUDENT_ERROR, Outcome.PASSED]


SUITE = """
    import pytest

    class TestOutputs:
        @pytest.mark.parametrize("step", range(3))
        def test_step(self, student, expect, step):
            '''Every step is returned.'''
            expect.true(student.work(step) == step, observed="another step", expected="the step")
"""
RIGHT = "def work(step):\n    return step\n"


def toy(root: Path) -> Path:
    return write_course(root / "toy", targets="work", reference=RIGHT, suite=SUITE)


# ---- torch -----------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=JAILED)
def jailed(request: pytest.FixtureRequest) -> Iterator[tuple[Client, Student]]:
    with worker_source("fork", request.param) as source:
        text = BATTERY.read_text(encoding="utf-8")
        client = remote_client(source, {f"{STEM}.py": text}, tuple(OPERATIONS))
        yield client, student_of(client)
        client.close()


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of torch.jit
        return runpy.run_path(str(BATTERY))


@pytest.mark.parametrize("name", OPERATIONS)
def test_torch_works_in_a_jail(
    jailed: tuple[Client, Student], expected: dict[str, Any], name: str
) -> None:
    client, student = jailed
    client.start_check(lambda call: 1.0)  # type: ignore[attr-defined]
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        wanted = expected[name]()
    assert same(getattr(student, name)(), wanted)


def same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, torch.Tensor):
        return torch.allclose(found, wanted)
    if isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    return bool(found == wanted)


# ---- what is left ----------------------------------------------------------------------------


def mounts() -> list[str]:
    return Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("tier", JAILED)
def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: str) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    before = mounts()
    with Engine(find_course(toy(tmp_path)), Options(isolation=tier, workers=2)) as engine:
        waiting = [submission({"t1_toy.py": RIGHT}, f"student-00{n}") for n in range(4)]
        results = list(engine.grade(waiting))
        nursery = engine._tree.starter.pid  # type: ignore[attr-defined]
        family = [nursery, *child_pids(nursery)]
    assert [r.tier for r in results] == [tier] * 4
    assert len(family) >= 5
    until = time.monotonic() + 1
    while any(is_alive(pid) for pid in family) and time.monotonic() < until:
        time.sleep(0.01)
    assert [pid for pid in family if is_alive(pid)] == []
    assert mounts() == before
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_worker_ends_with_its_zygote(tmp_path: Path) -> None:
    """Even one that is busy and whose judge has not noticed."""
    slow = "import time\n\ndef work(step):\n    time.sleep(1.5)\n    return step\n"
    with Engine(find_course(toy(tmp_path)), Options(isolation="full")) as engine:
        list(engine.grade([submission({"t1_toy.py": RIGHT})]))
        outer = engine._lanes[0].lane.pids[1]
        jailed = child_pids(outer)
        os.kill(outer, 9)
        until = time.monotonic() + 1
        while any(is_alive(pid) for pid in jailed) and time.monotonic() < until:
            time.sleep(0.01)
        assert len(jailed) >= 2
        assert [pid for pid in jailed if is_alive(pid)] == []
        (result,) = engine.grade([submission({"t1_toy.py": slow}, "student-002")])
    assert result.tier == "full"


# ---- which tier ------------------------------------------------------------------------------

HALF_A_KERNEL = """
import errno, json, sys
from grader.worker.jail import bpf, kernel, seccomp
from grader.worker.jail.numbers import NUMBERS
from grader.course.course import find_course
from grader.engine.engine import Engine, EngineError, Options
from tests.support.courses import submission

refused, root, wanted = json.loads(sys.argv[1])
numbers = {**NUMBERS[kernel.architecture()], "landlock_create_ruleset": 444}
program = bpf.load(bpf.NUMBER)
for name in refused:
    program += bpf.when_equal(numbers[name], bpf.give(bpf.fail(errno.EPERM)))
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
seccomp.install(bpf.encode([*program, *bpf.give(bpf.ALLOW)]))
try:
    with Engine(find_course(__import__("pathlib").Path(root)), Options(isolation=wanted)) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": "def work(step): return step"})])
    seen = [o.outcome for o in result.observations]
    print(json.dumps([result.tier, result.isolation.reason, seen]))
except EngineError as error:
    print(json.dumps(["refused", str(error), []]))
"""


def with_less(root: Path, refused: list[str], wanted: str | None) -> tuple[str, str, list[str]]:
    """Grading where the kernel refuses some calls, as containers and distributions do."""
    done = subprocess.run(
        [sys.executable, "-c", HALF_A_KERNEL, json.dumps([refused, str(root), wanted])],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    tier, reason, seen = json.loads(done.stdout)
    return tier, reason, seen


@pytest.mark.parametrize(
    ("refused", "tier", "reason"),
    [
        ([], "full", ""),
        (["mount"], "partial", "no tier full: mount"),
        (["unshare"], "partial", "no tier full: "),
        (["pivot_root"], "partial", "no tier full: pivot_root"),
        (["landlock_create_ruleset"], "full", ""),
        (["mount", "landlock_create_ruleset"], "none", "no tier partial: Landlock"),
        (["seccomp"], "none", "no tier partial: seccomp"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else None,
)
def test_a_kernel_that_refuses_a_step_gives_the_next_tier_and_says_why(
    tmp_path: Path, refused: list[str], tier: str, reason: str
) -> None:
    found = with_less(toy(tmp_path), refused, None)
    assert found[0] == tier
    assert reason in found[1]
    assert found[2] == ["passed"] * 3


def test_a_tier_that_was_asked_for_is_never_replaced_by_a_weaker_one(tmp_path: Path) -> None:
    tier, why, _ = with_less(toy(tmp_path), ["mount"], "full")
    assert tier == "refused"
    assert "mount" in why
    assert "Next: grader doctor --isolation" in why
    assert "--isolation partial" in why


def with_hidden(root: Path) -> Path:
    """The toy course with its suite moved to where hidden criteria are."""
    course = toy(root)
    folder = course / "tests" / "suites" / "t1_toy"
    (folder / "public" / "test_toy.py").rename(folder / "test_toy.py")
    rubric = course / "rubric.yaml"
    rubric.write_text(rubric.read_text().replace("public", "hidden"), encoding="utf-8")
    return course


def test_hidden_criteria_are_not_graded_without_isolation_unless_asked_for(
    tmp_path: Path,
) -> None:
    course = with_hidden(tmp_path)
    nothing = ["mount", "landlock_create_ruleset"]
    tier, why, _ = with_less(course, nothing, None)
    assert (tier, "--isolation none" in why) == ("refused", True)
    assert with_less(course, nothing, "none")[0] == "none"
    assert with_less(course, ["mount"], None)[0] == "partial"


def test_hidden_criteria_and_spawn_need_the_same_words(tmp_path: Path) -> None:
    course = find_course(with_hidden(tmp_path))
    with pytest.raises(EngineError, match="--isolation none"), Engine(course, Options(spawn=True)):
        pass
    with Engine(course, Options(spawn=True, isolation="none")) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": RIGHT})])
    assert result.tier == "none"
    assert "--spawn" in str(result.isolation and result.isolation.reason)


def test_a_tier_that_changes_while_grading_stops_it(tmp_path: Path) -> None:
    with Engine(find_course(toy(tmp_path)), Options(isolation=None)) as engine:
        list(engine.grade([submission({"t1_toy.py": RIGHT})]))
        assert engine._tiers.tiers == (engine._lanes[0].lane.tier,)
        engine._lanes[0].lane.tier = "none" if engine._tiers.tiers != ("none",) else "full"
        with pytest.raises(EngineError, match="changed from"):
            list(engine.grade([submission({"t1_toy.py": RIGHT}, "student-002")]))
            engine._take_in_tiers()


# ---- older Landlock --------------------------------------------------------------------------

WITH_VERSION = """
import sys
from grader.worker.jail import kernel, landlock
rules = landlock.Ruleset(int(sys.argv[1]))
rules.allow(["/usr", "/lib", *sys.argv[3:]], landlock.READ)
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
rules.enforce()
try:
    print(open(sys.argv[2]).read())
except PermissionError:
    print("refused")
"""


@pytest.mark.skipif(landlock.abi() == 0, reason="no Landlock in this kernel")
@pytest.mark.parametrize("version", range(1, max(2, landlock.abi() + 1)))
@pytest.mark.parametrize("allowed", [True, False], ids=["allowed", "not allowed"])
def test_every_version_of_landlock_refuses_what_is_not_allowed(
    tmp_path: Path, version: int, allowed: bool
) -> None:
    canary = tmp_path / "canary"
    canary.write_text("canary", encoding="utf-8")
    command = [sys.executable, "-c", WITH_VERSION, str(version), str(canary)]
    done = subprocess.run(
        [*command, *([str(tmp_path)] if allowed else [])],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == ("canary" if allowed else "refused"), done.stderr
