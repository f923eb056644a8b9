"""`grader doctor` names what is missing and the exact fix."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from grader.cli.commands.doctor import machine as doctor
from grader.cli.commands.doctor.course import course
from grader.cli.commands.doctor.machine import Requirement
from grader.course.course import find_course
from grader.engine.engine import EngineError
from grader.release.sealing import sealed_course
from grader.sealed.ciphers import new_key


@pytest.mark.parametrize(
    ("name", "has_fix", "says"),
    [
        pytest.param("Linux", False, "Linux 6 (x86_64)", id="Linux"),
        pytest.param("Darwin", False, "works with --spawn", id="macOS"),
        pytest.param("Windows", True, "WSL", id="Windows"),
    ],
)
def test_the_system(name: str, has_fix: bool, says: str) -> None:
    requirement = doctor.system(name, "6", "x86_64")

    assert bool(requirement.fix) is has_fix
    assert says in requirement.actual + requirement.fix


def test_an_old_python_is_told_what_to_do() -> None:
    assert doctor.python((3, 10, 4), "/bin/python3") == Requirement(
        "python", "3.10.4 at /bin/python3", "Python 3.11 or newer: make setup PYTHON=python3.12"
    )
    assert doctor.python((3, 11, 0), "/bin/python3").fix == ""


@pytest.mark.parametrize(
    ("code", "out", "err", "requirement"),
    [
        pytest.param(0, "2.13.0+cpu\n", "", Requirement("torch", "2.13.0+cpu"), id="good"),
        pytest.param(
            1,
            "",
            "Traceback\nModuleNotFoundError: No module named 'torch'\n",
            Requirement("torch", "ModuleNotFoundError: No module named 'torch'", "make setup"),
            id="absent",
        ),
        pytest.param(
            -11, "", "", Requirement("torch", "its import crashes", "make setup"), id="crash"
        ),
        pytest.param(
            0,
            "2.5.1\n",
            "",
            Requirement("torch", "2.5.1", "torch>=2.6,<3: make setup TORCH=index"),
            id="old",
        ),
    ],
)
def test_torch(
    monkeypatch: pytest.MonkeyPatch, code: int, out: str, err: str, requirement: Requirement
) -> None:
    done = subprocess.CompletedProcess[str]([], code, out, err)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)

    assert doctor.torch() == requirement


@pytest.mark.parametrize(
    ("system", "typed"),
    [
        pytest.param("linux", " --index-url https://download.pytorch.org/whl/cpu", id="no-cuda"),
        pytest.param("darwin", "", id="elsewhere"),
    ],
)
def test_without_a_clone_pip_gets_torch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str, typed: str
) -> None:
    monkeypatch.setattr(doctor, "CLONE", tmp_path)
    monkeypatch.setattr(sys, "platform", system)

    command = f"{sys.executable} -m pip install 'torch>=2.6,<3'{typed}"

    assert doctor.get_torch("make setup") == command


ENFORCED = {"enforced": ["descriptors", "seccomp"]}


@pytest.mark.parametrize(
    ("found", "requirement"),
    [
        pytest.param(
            {"tier": "full", **ENFORCED},
            Requirement("isolation", "full: descriptors, seccomp"),
            id="full",
        ),
        pytest.param(
            {"tier": "partial", "reason": "no tier full: mount: refused", **ENFORCED},
            Requirement(
                "isolation",
                "partial (no tier full: mount: refused): descriptors, seccomp",
                advice="enough for check and ci; grader batch needs full: grader doctor "
                "--isolation",
            ),
            id="partial",
        ),
        pytest.param(
            {"tier": "none", "reason": "no Landlock", **ENFORCED},
            Requirement(
                "isolation",
                "none (no Landlock): descriptors, seccomp",
                advice="hidden criteria are not graded like this: grader doctor --isolation",
            ),
            id="none",
        ),
    ],
)
def test_the_isolation(found: dict[str, object], requirement: Requirement) -> None:
    assert doctor.isolation(lambda folder: found) == requirement


def test_no_isolation_at_all_is_missing() -> None:
    def look(folder: Path) -> dict[str, object]:
        raise EngineError("isolation can't be had\nhere")

    assert doctor.isolation(look) == Requirement(
        "isolation", "isolation can't be had here", "grader doctor --isolation"
    )


def test_the_real_isolation_is_found_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    requirement = doctor.isolation()
    assert requirement.fix == ""
    assert "limits" in requirement.actual
    assert list(tmp_path.iterdir()) == []


def test_advice_is_printed_and_nothing_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    requirement = Requirement("isolation", "partial: seccomp", advice="enough for check and ci")
    monkeypatch.setattr(doctor, "examine", lambda: [requirement])

    assert doctor.run() == 0
    assert capsys.readouterr().out == (
        "ok       isolation  partial: seccomp\n"
        "                    enough for check and ci\n"
        "next: grader check\n"
    )


def test_all_is_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: [Requirement("torch", "2.13.0")])

    assert doctor.run() == 0
    assert capsys.readouterr().out == "ok       torch  2.13.0\nnext: grader check\n"


def test_what_is_missing_is_an_exit_code_of_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    requirements = [
        Requirement("python", "3.12.1"),
        Requirement("torch", "not there", "make setup"),
    ]
    monkeypatch.setattr(doctor, "examine", lambda: requirements)

    assert doctor.run() == 3
    assert capsys.readouterr().out == (
        "ok       python  3.12.1\n"
        "missing  torch   not there\n"
        "                 fix: make setup\n"
        "next: mend torch, then run grader doctor again\n"
    )


TOY = Path(__file__).parents[3] / "toy_course"


def test_a_course_on_disk_is_counted() -> None:
    assert course(TOY) == Requirement("course", f"3 exercises in the folder {TOY}")


def test_a_sealed_course_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, last_day = new_key(), date(2099, 12, 31)
    file = tmp_path / "toy.sealed"
    file.write_bytes(sealed_course(find_course(TOY), key, last_day, date(2026, 11, 1)))
    monkeypatch.setenv("GRADER_COURSE_KEY", key.grading.text)

    actual = f"3 exercises, sealed, to be used until 2099-12-31 (UTC): {file}"
    assert course(file) == Requirement("course", actual)


def test_a_course_that_cannot_be_opened_is_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "toy.sealed"
    file.write_bytes(b"nothing sealed")
    monkeypatch.setenv("GRADER_COURSE_KEY", new_key().grading.text)
    monkeypatch.setattr(doctor, "examine", lambda: [Requirement("torch", "2.13.0")])

    assert doctor.run(file, course) == 3
    assert capsys.readouterr().out == (
        "ok       torch   2.13.0\n"
        "missing  course  cannot be read\n"
        f"                 fix: {file}: this file is no sealed course. Name the course's folder, "
        "or what `grader release --sealed` wrote.\n"
        f"next: mend course, then run grader doctor --course {file} again\n"
    )
