"""`grader doctor` names what is missing and the exact fix."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from grader.commands import doctor
from grader.commands.doctor import Finding
from grader.engine import EngineError


@pytest.mark.parametrize(
    ("name", "has_fix", "says"),
    [
        pytest.param("Linux", False, "Linux 6 (x86_64)", id="Linux"),
        pytest.param("Darwin", False, "works with --spawn", id="macOS"),
        pytest.param("Windows", True, "WSL", id="Windows"),
    ],
)
def test_the_system(name: str, has_fix: bool, says: str) -> None:
    finding = doctor.system(name, "6", "x86_64")

    assert bool(finding.fix) is has_fix
    assert says in finding.found + finding.fix


def test_an_old_python_is_told_what_to_do() -> None:
    assert doctor.python((3, 10, 4), "/bin/python3") == Finding(
        "python", "3.10.4 at /bin/python3", "Python 3.11 or newer: make setup PYTHON=python3.12"
    )
    assert doctor.python((3, 11, 0), "/bin/python3").fix == ""


@pytest.mark.parametrize(
    ("code", "out", "err", "finding"),
    [
        pytest.param(0, "2.13.0+cpu\n", "", Finding("torch", "2.13.0+cpu"), id="good"),
        pytest.param(
            1,
            "",
            "Traceback\nModuleNotFoundError: No module named 'torch'\n",
            Finding("torch", "ModuleNotFoundError: No module named 'torch'", "make setup"),
            id="absent",
        ),
        pytest.param(-11, "", "", Finding("torch", "its import crashes", "make setup"), id="crash"),
        pytest.param(
            0,
            "2.5.1\n",
            "",
            Finding("torch", "2.5.1", "torch>=2.6,<3: make setup TORCH=index"),
            id="old",
        ),
    ],
)
def test_torch(
    monkeypatch: pytest.MonkeyPatch, code: int, out: str, err: str, finding: Finding
) -> None:
    done = subprocess.CompletedProcess[str]([], code, out, err)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)

    assert doctor.torch() == finding


ENFORCED = {"enforced": ["descriptors", "seccomp"]}


@pytest.mark.parametrize(
    ("found", "finding"),
    [
        pytest.param(
            {"tier": "full", **ENFORCED},
            Finding("isolation", "full: descriptors, seccomp"),
            id="full",
        ),
        pytest.param(
            {"tier": "partial", "reason": "no tier full: mount: refused", **ENFORCED},
            Finding(
                "isolation",
                "partial (no tier full: mount: refused): descriptors, seccomp",
                advice="enough for check and ci; grader batch needs full: grader doctor "
                "--isolation",
            ),
            id="partial",
        ),
        pytest.param(
            {"tier": "none", "reason": "no Landlock", **ENFORCED},
            Finding(
                "isolation",
                "none (no Landlock): descriptors, seccomp",
                advice="hidden criteria are not graded like this: grader doctor --isolation",
            ),
            id="none",
        ),
    ],
)
def test_the_isolation(found: dict[str, object], finding: Finding) -> None:
    assert doctor.isolation(lambda folder: found) == finding


def test_no_isolation_at_all_is_missing() -> None:
    def look(folder: Path) -> dict[str, object]:
        raise EngineError("isolation can't be had\nhere")

    assert doctor.isolation(look) == Finding(
        "isolation", "isolation can't be had here", "grader doctor --isolation"
    )


def test_the_real_isolation_is_found_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    finding = doctor.isolation()
    assert finding.fix == ""
    assert "limits" in finding.found
    assert list(tmp_path.iterdir()) == []


def test_advice_is_printed_and_nothing_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = Finding("isolation", "partial: seccomp", advice="enough for check and ci")
    monkeypatch.setattr(doctor, "examine", lambda: [finding])

    assert doctor.run() == 0
    assert capsys.readouterr().out == (
        "ok       isolation  partial: seccomp\n"
        "                    enough for check and ci\n"
        "next: grader check\n"
    )


def test_all_is_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: [Finding("torch", "2.13.0")])

    assert doctor.run() == 0
    assert capsys.readouterr().out == "ok       torch  2.13.0\nnext: grader check\n"


def test_what_is_missing_is_an_exit_code_of_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = [Finding("python", "3.12.1"), Finding("torch", "not there", "make setup")]
    monkeypatch.setattr(doctor, "examine", lambda: findings)

    assert doctor.run() == 3
    assert capsys.readouterr().out == (
        "ok       python  3.12.1\n"
        "missing  torch   not there\n"
        "                 fix: make setup\n"
        "next: mend torch, then run grader doctor again\n"
    )
