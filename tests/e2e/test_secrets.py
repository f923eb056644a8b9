"""What student code can find in its own process, and the same search where it must find all."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome
from tests.support.courses import submission, write_course
from tests.support.families import child_pids

PACKAGE = Path(__file__).resolve().parents[2] / "grader"
SCAN = '''
import os
import re

# Not itself an example of what it looks for.
PATTERN = re.compile(rb"CANARY([a-z]+)-[0-9a-f]{24}")


def readable(pid):
    """The readable memory of a process but for library files, a mapping at a time."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps.read().splitlines():
            span, mode = line.split()[:2]
            low, high = (int(part, 16) for part in span.split("-"))
            if mode[0] != "r" or (mode[1] != "w" and ".so" in line):
                continue
            try:
                memory.seek(low)
                yield memory.read(high - low)
            except (OSError, ValueError, OverflowError):
                continue


def scan(pid="self"):
    """Which canaries are in the memory, environment, arguments, mappings and open files of a
    process."""
    found = set()
    for data in readable(pid):
        found.update(match[1].decode() for match in PATTERN.finditer(data))
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        found.update(match[1].decode() for match in PATTERN.finditer(target.encode()))
        place = f"/proc/{pid}/fd/{name}"
        if os.path.isfile(place):
            with open(place, "rb") as file:
                found.update(match[1].decode() for match in PATTERN.finditer(file.read(1 << 24)))
    for name in ("environ", "cmdline", "maps", "mountinfo"):
        with open(f"/proc/{pid}/{name}", "rb") as file:
            found.update(match[1].decode() for match in PATTERN.finditer(file.read()))
    return sorted(found)
'''
SUITE = """
CANARY = {suite!r}


class TestOutputs:
    def test_search(self, student, expect):
        '''What a search of its own process finds.'''
        found = student.scan()
        expect.true(found == [], observed=f"found {{found}}", expected="nothing")
"""
PLANTED = ("course", "key", "other", "reference", "suite")

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="no process of the grader lets another one of its user look into it",
)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def family(engine: Engine) -> list[int]:
    """The nursery, its judges and zygotes, and what these started."""
    return [engine._tree.starter.pid, *child_pids(engine._tree.starter.pid)]  # type: ignore[attr-defined]


def canary(kind: str) -> str:
    return f"CANARY{kind}-{secrets.token_hex(12)}"


def planted_course(tmp_path: Path) -> Path:
    """A course on a path that is a canary itself, with a canary in every secret part."""
    root = tmp_path / canary("course")
    reference = f"CANARY = {canary('reference')!r}\n\ndef scan():\n    return []\n"
    suite = SUITE.format(suite=canary("suite"))
    return write_course(root, targets="scan", reference=reference, suite=suite, seed=canary("key"))


def namespace() -> dict[str, object]:
    found: dict[str, object] = {}
    exec(SCAN, found)
    return found


@needs_root
@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
def test_a_worker_finds_no_secret_and_the_judge_holds_them_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spawn: bool
) -> None:
    monkeypatch.setenv("COURSE_TOKEN", canary("environment"))
    course = find_course(planted_course(tmp_path))
    search = namespace()["scan"]
    assert callable(search)
    first = {"t1_toy.py": f"# {canary('other')}\ndef scan():\n    return []\n"}
    with Engine(course, Options(spawn=spawn, isolation="none")) as engine:
        honest = next(iter(engine.grade([submission(first, "student-001")])))
        curious = next(iter(engine.grade([submission({"t1_toy.py": SCAN}, "student-002")])))
        processes = dict(zip(("judge", "source"), engine._lanes[0].lane.pids, strict=True))
        if not spawn:
            processes["nursery"] = engine._tree.starter.pid  # type: ignore[attr-defined]
        found = {name: search(str(pid)) for name, pid in processes.items()}
    assert [o.outcome for o in honest.observations] == [Outcome.PASSED]
    assert [o.observed for o in curious.observations] == [""]
    assert [o.outcome for o in curious.observations] == [Outcome.PASSED]
    assert set(PLANTED) - {"other"} <= set(found.pop("judge"))
    assert found == {name: [] for name in found}


@needs_root
def test_the_search_finds_what_a_submission_itself_holds(tmp_path: Path) -> None:
    course = find_course(planted_course(tmp_path))
    files = {"t1_toy.py": SCAN + f"\nMINE = {canary('mine')!r}\n"}
    with Engine(course, Options(isolation="none")) as engine:
        result = next(iter(engine.grade([submission(files)])))
    assert result.observations[0].observed == "found ['mine']"


@needs_root
@pytest.mark.parametrize("tier", ["full", "partial"])
def test_seen_from_outside_only_the_judge_holds_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: str
) -> None:
    """In a jail a submission can't search itself; we search every process while it runs."""
    monkeypatch.setenv("COURSE_TOKEN", canary("environment"))
    mine = f"MINE = {canary('mine')!r}\n"
    slow = mine + "import time\n\ndef scan():\n    time.sleep(1.9)\n    return []\n"
    course = find_course(planted_course(tmp_path))
    search = namespace()["scan"]
    assert callable(search)
    found: dict[int, list[str]] = {}
    with Engine(course, Options(isolation=tier)) as engine:

        def look() -> None:
            until = time.monotonic() + 30
            # The worker under way is known by its own canary, and is one of the two youngest: they
            # are searched first, and again and again, for they end first.
            while ["mine"] not in found.values() and time.monotonic() < until:
                for pid in family(engine)[:-3:-1]:
                    with suppress(OSError):
                        found[pid] = search(str(pid))
            for pid in family(engine):
                if pid not in found:
                    with suppress(OSError):
                        found[pid] = search(str(pid))

        first = {"t1_toy.py": f"# {canary('other')}\ndef scan():\n    return []\n"}
        list(engine.grade([submission(first, "student-001")]))
        looker = threading.Thread(target=look)
        looker.start()
        # On a busy machine a worker may be gone before it was searched.
        while looker.is_alive() and ["mine"] not in found.values():
            list(engine.grade([submission({"t1_toy.py": slow}, "student-002")]))
        looker.join()
        judge = engine._lanes[0].lane.pids[0]
    assert set(PLANTED) <= set(found.pop(judge)) | {"other"}
    assert [names for names in found.values() if names] == [["mine"]]
    # The nursery, the zygote, the worker; around a full jail's zygote there is one more.
    assert len(found) >= (4 if tier == "full" else 3)


@needs_root
def test_the_package_may_lie_inside_the_course(tmp_path: Path) -> None:
    """As with `pip install -e .`: no process of the untrusted side learns the path."""
    root = planted_course(tmp_path)
    shutil.copytree(PACKAGE, root / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    student = tmp_path / "student-001"
    student.mkdir()
    (student / "t1_toy.py").write_text(SCAN, encoding="utf-8")
    command = [sys.executable, "-m", "grader", "check", str(student), "--course", str(root)]
    done = subprocess.run(
        [*command, "--isolation", "none"],
        cwd=root,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


LIVE = """
import pathlib

import grader

{before}
{scan}
grader.check(scan, course={root!r})
"""


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("", "['course']"),
        ("TEXT = pathlib.Path({root!r}, 'rubric.yaml').read_text()", "['course', 'key']"),
    ],
    ids=["by grader.check", "read by the kernel itself"],
)
def test_a_copy_of_a_kernel_holds_no_seed(tmp_path: Path, before: str, found: str) -> None:
    """Where a course lies the kernel was told; the second case is the control."""
    root = str(planted_course(tmp_path))
    text = LIVE.format(before=before.format(root=root), scan=SCAN, root=root)
    (tmp_path / "kernel.py").write_text(text, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, str(tmp_path / "kernel.py")],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert f"found {found}" in done.stdout, done.stdout + done.stderr


LISTENING = {
    "wire/frame.py": (
        "        size = sum(view.nbytes for view in views)\n",
        "        if self._wait != self._poll:\n"  # only a channel to a worker has a wait of its own
        "            with open({log!r}, 'ab') as log:\n"
        "                log.write(text + b''.join(views))\n",
    ),
    "wire/control.py": (
        '    data = json.dumps(message, separators=(",", ":")).encode()\n',
        "    try:\n"
        "        with open({log!r}, 'ab') as log:\n"
        "            log.write(data)\n"
        "    except OSError:\n"  # in a jail
        "        pass\n",
    ),
}


@pytest.mark.parametrize("tier", ["full", "partial"])
def test_no_message_to_the_untrusted_side_holds_a_secret(tmp_path: Path, tier: str) -> None:
    """A copy of the package writes down what is sent to workers, zygotes and the nursery."""
    root, log = planted_course(tmp_path), tmp_path / "log"
    shutil.copytree(PACKAGE, root / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    for name, (line, more) in LISTENING.items():
        file = root / "grader" / name
        assert file.read_text().count(line) == 1
        file.write_text(file.read_text().replace(line, line + more.format(log=str(log))))
    student = tmp_path / "student-001"
    student.mkdir()
    text = f"# {canary('mine')}\ndef scan():\n    return ['wrong']\n"
    (student / "t1_toy.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "grader", "check", str(student), "--course", str(root)]
    done = subprocess.run(
        [*command, "--isolation", tier],
        cwd=root,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "TOKEN": canary("environment")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (1, ""), done.stdout
    sent = log.read_bytes()
    pattern = namespace()["PATTERN"]
    found = {match[1] for match in pattern.finditer(sent)}  # type: ignore[attr-defined]
    assert found == {b"mine"}
    assert b'"pair"' in sent and b'"start"' in sent and b'"load"' in sent and b'"call"' in sent


def test_nothing_drawn_in_a_worker_predicts_a_draw_of_the_judge(tmp_path: Path) -> None:
    reference = """
        import torch

        def draws():
            return torch.zeros(1), torch.zeros(1)
    """
    suite = """
        import torch

        class TestOutputs:
            def test_prediction(self, student, probe, expect):
                '''Nothing drawn by the student is drawn here.'''
                before = torch.rand(4096, dtype=torch.float64)
                inherited, seeded = student.draws()
                ours = torch.cat([
                    before,
                    torch.rand(4096, dtype=torch.float64),
                    probe.rand(4096),
                    torch.rand(4096).double(),
                ])
                theirs = torch.cat([inherited, seeded]).double()
                common = torch.isin(theirs[theirs != 0], ours).sum().item()
                expect.true(common == 0, observed=f"{common} common draws", expected="none")
                expect.true(theirs.numel() > 0, observed="no draws", expected="draws")
    """
    student = """
        import torch

        AHEAD = torch.rand(8192, dtype=torch.float64)

        def draws():
            return AHEAD, torch.rand(8192, dtype=torch.float64)
    """
    course = find_course(write_course(tmp_path, targets="draws", reference=reference, suite=suite))
    with Engine(course) as engine:
        result = next(iter(engine.grade([submission({"t1_toy.py": student})])))
    assert [(o.outcome, o.observed) for o in result.observations] == [(Outcome.PASSED, "")]
