"""Test isolation by running probes as student code in a real jail.

The report comes from what the probes could do, not from which calls returned success.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..course.course import find_course
from ..grade.evidence import Outcome
from ..submission.submission import Submission, digest_of
from ..wire.isolation_record import IsolationRecord
from .engine import Engine, EngineError, Options
from .isolation_probes import PROBES, IsolationProbe
from .result import Result

CONTROL_LIMIT_S = 30
STEM = "t1_isolation"
RUBRIC = f"""\
course: isolation
seed: isolation
assignments: {{t1: {STEM}}}
exercises:
  t1.isolation:
    targets: [{", ".join(probe.name for probe in PROBES)}]
    criteria:
      probes: {{points: 1, visibility: public}}
"""
SUITE = """
import pytest

class TestProbes:
    @pytest.mark.parametrize("name", {names!r})
    def test_probe(self, student, expect, name):
        '''What is not allowed does not succeed.'''
        found = getattr(student, name)()
        expect.true(found != "done", observed="it succeeded", expected="a refusal")
"""
REFERENCE = "".join(f"def {probe.name}():\n    return 'refused'\n\n" for probe in PROBES)


@dataclass(frozen=True)
class IsolationFinding:
    """One property of isolation, as it was seen."""

    probe: IsolationProbe
    holds: bool
    """True if the probe failed in the jail."""
    succeeds_outside: bool
    """True if the same probe succeeded outside: otherwise its failing in the jail says nothing."""
    observed: str


@dataclass(frozen=True)
class IsolationReport:
    """A tier, what the worker says of it, and what was seen of it."""

    tier: str
    isolation: IsolationRecord | None
    findings: tuple[IsolationFinding, ...]

    @property
    def broken(self) -> tuple[IsolationFinding, ...]:
        """Return the promises of the tier that were seen not to hold."""
        mine = (finding for finding in self.findings if self.tier in finding.probe.promised)
        return tuple(finding for finding in mine if not finding.holds)


def isolation_report(tier: str | None = None, without: tuple[str, ...] = ()) -> IsolationReport:
    """Try every probe in a jail of `tier`, or of the best tier that can be reached.

    Raises EngineError if that tier can't be reached.
    """
    with tempfile.TemporaryDirectory(prefix="grader-isolation-") as folder, _facts(folder) as facts:
        sources = {probe.name: probe.source(**facts) for probe in PROBES}
        succeeded = {name for name, source in sources.items() if _succeeds(source, name, folder)}
        result = _graded(Path(folder) / "course", sources, tier, without)
    seen = {_name(row.check): row for row in result.observations}
    findings = []
    for probe in PROBES:
        row = seen[probe.name]
        if row.outcome is Outcome.COULD_NOT_CHECK:
            raise EngineError(f"the probe {probe.name} could not be run: {row.for_staff}")
        holds = row.outcome is not Outcome.FAILED
        findings.append(IsolationFinding(probe, holds, probe.name in succeeded, row.observed))
    return IsolationReport(result.tier, result.isolation, tuple(findings))


def reached(root: Path) -> IsolationRecord | None:
    """Return the isolation of a worker here, as the worker itself reports it; None if none began.

    It is read from one trivial check in a course that is written to `root`. Seconds faster than
    `isolation_report`, which tries every property.

    Raises EngineError if nothing can be graded.
    """
    return _graded(root, {}, None, ()).isolation


def _name(check: str) -> str:
    """Return the probe's name: `...::test_probe[fork]` -> `fork`."""
    return check.rpartition("[")[2].removesuffix("]")


@contextmanager
def _facts(folder: str) -> Iterator[dict[str, object]]:
    """Set up a file, a port and a process of ours for the probes to reach for."""
    canary = Path(folder) / "private" / "canary"
    canary.parent.mkdir()
    canary.write_text("canary", encoding="utf-8")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as other,
    ):
        try:
            yield {
                "canary": str(canary),
                "folder": str(canary.parent),
                "port": server.getsockname()[1],
                "process": other.pid,
                "python": sys.executable,
                "nonce": secrets.token_hex(8),
            }
        finally:
            other.kill()


def _succeeds(source: str, name: str, folder: str) -> bool:
    """Run the probe in an ordinary process of ours, as a control; return whether it succeeded."""
    command = [sys.executable, "-S", "-c", f"{source}\nprint({name}())"]
    environment = {**os.environ, "GRADER_CANARY": "1", "TMPDIR": folder}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=CONTROL_LIMIT_S, env=environment
        )
    except subprocess.TimeoutExpired:
        return False
    return done.stdout.strip() == "done"


def _graded(
    root: Path, sources: Mapping[str, str], tier: str | None, without: tuple[str, ...]
) -> Result:
    files = {
        "rubric.yaml": RUBRIC,
        f"reference/{STEM}.py": REFERENCE,
        f"assignments/{STEM}.py": "\n",
        f"tests/suites/{STEM}/public/test_isolation.py": SUITE.format(
            names=[probe.name for probe in PROBES]
        ),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    data = {f"{STEM}.py": "\n".join(sources.values()).encode()}
    submission = Submission(id="isolation", files=data, digest=digest_of(data), path="isolation")
    with Engine(find_course(root), Options(isolation=tier, without=without)) as engine:
        return next(iter(engine.grade([submission])))
