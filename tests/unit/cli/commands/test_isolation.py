"""`grader doctor --isolation` tells what was seen, and what would give more."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.commands.doctor import isolation
from grader.engine.isolation_probes import PROBES
from grader.engine.isolation_test import IsolationFinding, IsolationReport
from grader.wire.isolation_record import IsolationRecord


def seen(tier: str, *, fails: str = "", fails_outside: str = "") -> IsolationReport:
    findings = tuple(
        IsolationFinding(probe, probe.name != fails, probe.name != fails_outside, "")
        for probe in PROBES
    )
    record = IsolationRecord(tier, reason="no tier full: mount", weak=("stat",))
    return IsolationReport(tier, record, findings)


def test_a_tier_that_keeps_its_promises(capsys: pytest.CaptureFixture[str]) -> None:
    assert isolation.run(lambda: seen("full")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "isolation full (no tier full: mount)"
    assert lines[1] == "holds          files of others can't be read"
    assert lines[-2] == "weak           stat"
    assert lines[-1] == "next: grader check"
    assert len(lines) == len(PROBES) + 3


def test_a_promise_that_is_broken_is_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert isolation.run(lambda: seen("full", fails="fork")) == 3
    out = capsys.readouterr().out
    assert "does not hold  no process can be started" in out
    assert "next: grade nothing hidden here; the tier breaks its promise: fork" in out


def test_what_a_tier_never_promised_is_no_broken_promise() -> None:
    assert isolation.run(lambda: seen("partial", fails="ask_about_file")) == 0
    assert isolation.run(lambda: seen("none", fails="fork")) == 0


def test_a_probe_without_its_control_is_said_to_prove_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    isolation.run(lambda: seen("full", fails_outside="connect"))
    assert "not proven: it failed outside as well" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("apparmor", "namespaces", "platform", "says"),
    [
        ("1", "96000", "linux", "apparmor_restrict_unprivileged_userns=0"),
        ("0", "0", "linux", "user.max_user_namespaces"),
        ("0", "96000", "linux", "container"),
        ("", "", "darwin", "on Linux"),
    ],
)
def test_the_hint_is_for_this_system(
    tmp_path: Path, apparmor: str, namespaces: str, platform: str, says: str
) -> None:
    files = tmp_path / "apparmor", tmp_path / "namespaces"
    for file, text in zip(files, (apparmor, namespaces), strict=True):
        if text:
            file.write_text(f"{text}\n", encoding="ascii")
    assert says in isolation.hint(*files, platform)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_every_probe_is_a_function_of_its_name(probe: object) -> None:
    facts = {
        "canary": "/x/y", "folder": "/x", "port": 1, "process": 2, "python": "/p", "nonce": "n",
    }  # fmt: skip
    found: dict[str, object] = {}
    source = probe.source(**facts)  # type: ignore[attr-defined]
    exec(compile(source, "<probe>", "exec"), found)
    assert callable(found[probe.name])  # type: ignore[attr-defined]
