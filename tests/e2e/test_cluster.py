"""A class graded on a Dask cluster gives the gradebook of one machine, also if a worker dies.

Three workers, one of which is killed; one worker; four shards; and the local pool, all of them in
tier `full`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from grader.store.store import STORE_FILE, open_store

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
STUDENTS = 8
LIMIT_S = 240.0
EDITS = {2: ("return right, down", "return down, right"), 5: ("[-1, 0, 1]", "[1, 0, -1]")}
"""Whose reference is changed, and how; `student-003` hands in the stub."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class with right, wrong and unwritten submissions, and its gradebook by the local pool."""
    made = tmp_path_factory.mktemp("cluster")
    for number in range(STUDENTS):
        student = made / "class" / f"student-{number:03}"
        student.mkdir(parents=True)
        source = TOY / ("assignments" if number == 3 else "reference") / "f1_filters.py"
        text = source.read_text(encoding="utf-8")
        if number in EDITS:
            assert EDITS[number][0] in text
            text = text.replace(*EDITS[number])
        (student / "f1_filters.py").write_text(text, encoding="utf-8")
    assert batch(made, "local", "-j", "2").returncode == 1
    return made


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    scratch = tmp_path_factory.mktemp("dask")
    with LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
        local_directory=str(scratch),
    ) as made:  # fmt: skip
        yield made


def command(out: str, *more: str) -> list[str]:
    course = ("--course", str(TOY), "--only", "f1.sobel", "--isolation", "full")
    return [sys.executable, "-m", "grader", "batch", "class", "--out", out, *course, *more]


def batch(place: Path, out: str, *more: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command(out, *more), cwd=place, capture_output=True, text=True, env=environ
    )


def gradebook(place: Path, out: str) -> bytes:
    return (place / out / "gradebook.csv").read_bytes()


def address(cluster: LocalCluster) -> str:
    return str(cluster.scheduler_address).replace("tcp://", "dask://")


def busy_worker(client: Client) -> int:
    """The process of a worker that has a submission at hand."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        pids = client.run(os.getpid)
        at_work = [pids[name] for name, keys in client.processing().items() if keys]
        if at_work:
            return int(at_work[0])
        time.sleep(0.05)
    raise AssertionError("no worker got anything to do")


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def left_behind(client: Client) -> tuple[list[str], list[Path]]:
    """What workers keep of us in memory, and of the course on disk."""
    kept = client.run(lambda dask_worker: [*dask_worker.plugins])
    folders = client.run(lambda dask_worker: [*Path(dask_worker.local_directory).iterdir()])
    return (
        [name for names in kept.values() for name in names if "grader" in name],
        [name for names in folders.values() for name in names if "course" in name.name],
    )


def test_a_worker_that_is_killed_loses_nothing(place: Path, cluster: LocalCluster) -> None:
    words = command("killed", "--cluster", address(cluster), "--format", "json-lines", "--quiet")
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (
        Client(cluster, set_as_default=False) as client,
        subprocess.Popen(words, cwd=place, env=environ, text=True, stdout=subprocess.PIPE) as run,
    ):
        assert run.stdout is not None
        first = json.loads(run.stdout.readline())
        assert left_behind(client) != ([], [])
        os.kill(busy_worker(client), signal.SIGKILL)
        rest = [json.loads(line) for line in run.stdout]

    ids = [line["id"] for line in (first, *rest) if line["type"] == "submission"]
    assert sorted(ids) == [f"student-{number:03}" for number in range(STUDENTS)]
    # Each worker confines submissions as this machine does: the gradebook names the tier.
    assert b",full," in gradebook(place, "local")
    assert gradebook(place, "killed") == gradebook(place, "local")
    with open_store(place / "killed" / STORE_FILE) as store:
        assert len([*store.history()]) == STUDENTS


def test_one_worker_and_four_shards_give_the_same_to_the_byte(
    place: Path, cluster: LocalCluster
) -> None:
    cluster.scale(1)
    batch(place, "one", "--cluster", address(cluster))
    assert gradebook(place, "one") == gradebook(place, "local")

    shards = [f"part-{number}" for number in range(1, 5)]
    for number, part in enumerate(shards, start=1):
        batch(place, part, "--cluster", address(cluster), "--shard", f"{number}/4")
    merged = [sys.executable, "-m", "grader", "merge", "merged", *shards]
    assert (
        subprocess.run(merged, cwd=place, env={**os.environ, "PYTHONPATH": str(ROOT)}).returncode
        == 0
    )

    again = batch(place, "merged", "-j", "1")
    # What the cluster graded counts as graded on this machine: no code runs any more.
    assert f"{STUDENTS} of {STUDENTS} were graded before and nothing has changed" in again.stdout
    assert gradebook(place, "merged") == gradebook(place, "local")


def test_nothing_is_left_on_the_cluster(place: Path, cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as client:
        kept = left_behind(client)
        left = [children(pid) for pid in client.run(os.getpid).values()]

    assert kept == ([], [])
    assert [pid for pids in left for pid in pids] == []


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("dask://127.0.0.1:9",), "dask://127.0.0.1:9: the cluster cannot be used"),
        (("127.0.0.1:8786",), "expected the scheduler of a Dask cluster, such as dask://HOST:8786"),
        (("dask://127.0.0.1:9", "-j", "2"), "-j: with --cluster, its workers say how many"),
    ],
    ids=["nobody", "no address", "and jobs"],
)
def test_a_cluster_that_cannot_be_used_is_said(
    place: Path, more: tuple[str, ...], why: str
) -> None:
    done = batch(place, "nothing", "--cluster", *more)
    assert done.returncode == 2
    assert why in done.stderr
