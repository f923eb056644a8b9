"""A worker that is forked from a spawner is in all that it can see one that was exec'd."""

from __future__ import annotations

import json
import re
import sys

import pytest

from tests.support.clients import STEM, remote_client, student_of, worker_source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks a process with torch")

SOURCE = """
import ctypes, gc, json, os, re, resource, signal, sys, threading

def surroundings():
    limits = [getattr(resource, name) for name in sorted(dir(resource)) if "RLIMIT_" in name]
    handlers = [str(signal.getsignal(n)) for n in sorted(signal.valid_signals())]
    handlers = [re.sub("0x[0-9a-f]+", "", one) for one in handlers]
    status = open("/proc/self/status").read()
    paths = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    links = [os.readlink(path) for path in paths if os.path.lexists(path)]
    seen = {
        "argv": sys.argv, "flags": str(sys.flags), "path": sys.path,
        "environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0o22),
        "modules": sorted(sys.modules),
        "handlers": handlers,
        "masks": re.findall("(?:Sig|Shd)(?!Q)[A-Z][a-z]+:.*|Threads:.*|NoNewPrivs:.*", status),
        "limits": [resource.getrlimit(limit) for limit in limits if limit != resource.RLIMIT_AS],
        "descriptors": sorted(re.sub("[0-9]+", "0", link) for link in links),
        "dumpable": ctypes.CDLL(None).prctl(3, 0, 0, 0, 0),
        "dies with": ctypes.CDLL(None).prctl(2, ctypes.byref(ctypes.c_int()), 0, 0, 0),
        "leads": os.getsid(0) == os.getpid(), "threads": threading.active_count(),
        "collector": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count() > 100_000],
        "children": open(f"/proc/self/task/{os.getpid()}/children").read(),
    }
    return json.dumps(seen)
"""
"""Everything of a process that a submission could tell it by, but for its number and its age."""


def surroundings(kind: str) -> dict[str, object]:
    with worker_source(kind) as source:
        client = remote_client(source, {f"{STEM}.py": SOURCE}, ("surroundings",))
        told = student_of(client).surroundings()
        client.close()
    seen = json.loads(re.sub(r"grader-test-\w+/\d+-\d+", "its own folder", told))
    assert isinstance(seen, dict)
    return seen


def test_a_forked_worker_sees_what_an_execd_one_sees() -> None:
    forked, execd = surroundings("warm spawn"), surroundings("spawn")

    assert {name: (seen, execd[name]) for name, seen in forked.items() if seen != execd[name]} == {}


def test_the_worker_of_a_jail_sees_something_else() -> None:
    """The positive control: what differs between two kinds of workers is told."""
    forked, jailed = surroundings("warm spawn"), surroundings("fork")

    assert {name for name, seen in forked.items() if seen != jailed[name]} >= {"modules"}
