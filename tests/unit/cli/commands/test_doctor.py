"""`grader doctor` names what is missing and the exact fix."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.cli import cli
from grader.cli.commands.doctor import machine as doctor
from grader.cli.commands.doctor import surroundings
from grader.cli.commands.doctor.requirement import Requirement
from grader.course.course import find_course
from grader.engine.engine import EngineError
from grader.release.sealing import sealed_course
from grader.sealed.ciphers import new_key
from grader.wire.isolation_record import IsolationRecord
from tests.unit.samples import write_course


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
        pytest.param(
            0,
            "2.13.0+cpu\nbuilt for CPUs\n2 threads\n",
            "",
            Requirement("torch", "2.13.0+cpu, built for CPUs, 2 threads"),
            id="good",
        ),
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


ENFORCED = ("descriptors", "seccomp")


@pytest.mark.parametrize(
    ("found", "requirement"),
    [
        pytest.param(
            IsolationRecord("full", ENFORCED),
            Requirement("isolation", "full: descriptors, seccomp"),
            id="full",
        ),
        pytest.param(
            IsolationRecord("partial", ENFORCED, reason="no tier full: mount: refused"),
            Requirement(
                "isolation",
                "partial (no tier full: mount: refused): descriptors, seccomp",
                advice="enough for check and ci; grader batch needs full. To get it: mend it. "
                "More: grader doctor --isolation",
            ),
            id="partial",
        ),
        pytest.param(
            IsolationRecord("none", ENFORCED, reason="no Landlock"),
            Requirement(
                "isolation",
                "none (no Landlock): descriptors, seccomp",
                advice="hidden criteria are not graded like this. To get it: mend it. "
                "More: grader doctor --isolation",
            ),
            id="none",
        ),
    ],
)
def test_the_isolation(
    monkeypatch: pytest.MonkeyPatch, found: IsolationRecord, requirement: Requirement
) -> None:
    monkeypatch.setattr(doctor, "hint", lambda *_: "mend it")
    assert doctor.isolation(lambda folder: found) == requirement


def test_no_isolation_at_all_is_missing() -> None:
    def look(folder: Path) -> IsolationRecord:
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


def alone(monkeypatch: pytest.MonkeyPatch, *requirements: Requirement) -> None:
    """Let these be all that there is to say."""
    monkeypatch.setattr(doctor, "examine", lambda: requirements)
    monkeypatch.setattr(doctor, "surroundings", lambda _folder: ())


def test_advice_is_printed_and_nothing_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    requirement = Requirement("isolation", "partial: seccomp", advice="enough for check and ci")
    alone(monkeypatch, requirement)

    assert doctor.run() == 0
    assert capsys.readouterr().out == (
        "ok       isolation  partial: seccomp\n"
        "                    enough for check and ci\n"
        "next: grader check\n"
    )


def test_all_is_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    alone(monkeypatch, Requirement("torch", "2.13.0"))

    assert doctor.run() == 0
    assert capsys.readouterr().out == "ok       torch  2.13.0\nnext: grader check\n"


def test_what_is_missing_is_an_exit_code_of_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    requirements = [
        Requirement("python", "3.12.1"),
        Requirement("torch", "not there", "make setup"),
    ]
    alone(monkeypatch, *requirements)

    assert doctor.run() == 3
    assert capsys.readouterr().out == (
        "ok       python  3.12.1\n"
        "missing  torch   not there\n"
        "                 fix: make setup\n"
        "next: mend torch, then run grader doctor again\n"
    )


def test_programs_read_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alone(monkeypatch, Requirement("torch", "2.13.0"), Requirement("disk", "0.1 GB", "free some"))

    assert doctor.run(as_json=True) == 3
    assert json.loads(capsys.readouterr().out) == {
        "complete": False,
        "requirements": [
            {"name": "torch", "actual": "2.13.0", "fix": "", "advice": ""},
            {"name": "disk", "actual": "0.1 GB", "fix": "free some", "advice": ""},
        ],
    }


def of_course(root: Path | None) -> tuple[Requirement, ...]:
    return tuple(one for one in surroundings.surroundings(root) if one.name == "course")


def with_suites(root: Path) -> Path:
    """Give each exercise of a course a suite."""
    for exercise in find_course(root).rubric.exercises.values():
        suite = root / "tests" / "suites" / exercise.assignment / exercise.suite
        suite.parent.mkdir(parents=True, exist_ok=True)
        suite.touch()
    return root


def test_the_health_of_a_course(tmp_path: Path) -> None:
    root = write_course(tmp_path / "course")
    (no_suite,) = of_course(root)
    with_suites(root)
    (no_reference,) = of_course(root)
    (root / "reference").mkdir()
    (whole,) = of_course(root)
    (root / "rubric.yaml").write_text("course: sums\nexercises: []\n", encoding="utf-8")
    (no_rubric,) = of_course(root)

    assert "no suite" in no_suite.actual
    assert no_suite.fix == "add the suite, or get the course again"
    assert no_reference.actual == "sums: 2 exercises, no reference"
    assert (no_reference.fix, "an author's copy" in no_reference.advice) == ("", True)
    assert whole.actual == "sums: 2 exercises, each with its suite, and the reference"
    assert (whole.fix, whole.advice) == ("", "")
    assert "rubric.yaml:" in no_rubric.actual
    assert "check" in no_rubric.fix


def test_without_a_course_nothing_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (none,) = of_course(None)

    assert (none.actual, none.fix) == ("none here", "")
    assert "rubric.yaml" in none.advice


@pytest.mark.parametrize(
    ("url", "actual", "warns"),
    [
        pytest.param("", "no remote repository of this course is known", False, id="none"),
        pytest.param("/srv/course.git", "/srv/course.git, a folder", False, id="folder"),
        pytest.param("https://host/a/b.git", "https://host/a/b.git", True, id="https"),
        pytest.param("git@host:a/b.git", "git@host:a/b.git", True, id="ssh"),
        pytest.param("https://me:s3cret@host/a", "https://host/a", True, id="password"),
    ],
)
def test_where_the_course_is_published(tmp_path: Path, url: str, actual: str, warns: bool) -> None:
    root = write_course(tmp_path / "course")
    (root / "reference").mkdir()

    requirement = surroundings.origin(find_course(root), url)

    assert (requirement.actual, requirement.fix) == (actual, "")
    assert ("make sure that it is private" in requirement.advice) is warns


def test_what_students_have_needs_no_warning(tmp_path: Path) -> None:
    course = find_course(write_course(tmp_path / "course"))

    assert surroundings.origin(course, "https://host/a").advice == ""


def test_a_kit_is_called_one(tmp_path: Path) -> None:
    root = with_suites(write_course(tmp_path / "course"))
    recorded = find_course(root).paths.recording
    recorded.parent.mkdir(exist_ok=True)
    recorded.write_bytes(b"")
    kit = find_course(root)

    health = surroundings.health(kit)
    assert health.actual == "sums: 2 exercises, a kit: public checks, with recorded answers"
    assert (health.fix, health.advice) == ("", "")
    assert surroundings.origin(kit, "https://host/a").advice == ""


def test_the_origin_is_the_one_that_git_knows(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert surroundings.remote(tmp_path) == ""

    add = ["git", "-C", str(tmp_path), "remote", "add", "origin", "https://host/a"]
    subprocess.run(add, check=True)
    assert surroundings.remote(tmp_path) == "https://host/a"


def test_a_full_disk_is_missing_space() -> None:
    assert surroundings.disk(Path("/tmp"), 5_000_000_000).fix == ""
    assert surroundings.disk(Path("/tmp"), 5_000_000) == Requirement(
        "disk", "0.0 GB free for /tmp", "free some space, or set TMPDIR: /tmp is full"
    )


def test_a_clock_before_the_installation_is_wrong() -> None:
    now = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

    assert surroundings.clock(now, now) == Requirement("clock", "2026-03-01 09:30 UTC")
    wrong = surroundings.clock(now, now + timedelta(days=400))
    assert wrong.actual == "2026-03-01 09:30 UTC, before the grader was installed"
    assert "set the clock" in wrong.fix


def test_windows_gets_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "os", SimpleNamespace(name="nt", environ={}))

    assert cli.main(["doctor"]) == 2
    assert capsys.readouterr().err == (
        "Error: The grader needs Linux or macOS. On Windows use WSL (wsl --install, then get the "
        "course inside of it), or Google Colab.\n"
    )


TOY = Path(__file__).parents[3] / "toy_course"


def test_a_sealed_course_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, last_day = new_key(), date(2099, 12, 31)
    file = tmp_path / "toy.sealed"
    file.write_bytes(sealed_course(find_course(TOY), key, last_day, date(2026, 11, 1)))
    monkeypatch.setenv("GRADER_COURSE_KEY", key.grading.text)

    actual = "filters: 3 exercises, sealed, to be used until 2099-12-31 (UTC)"
    assert of_course(file) == (Requirement("course", actual),)


def test_a_course_that_cannot_be_opened_is_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "toy.sealed"
    file.write_bytes(b"nothing sealed")
    monkeypatch.setenv("GRADER_COURSE_KEY", new_key().grading.text)
    monkeypatch.setattr(doctor, "examine", lambda: [Requirement("torch", "2.13.0")])

    assert doctor.run(course_folder=file) == 3
    said = capsys.readouterr().out
    assert "missing  course  cannot be read\n" in said
    assert (
        f"fix: {file}: this file is no sealed course. Name the course's folder, "
        "or what `grader release --sealed` wrote.\n"
    ) in said
    assert f"next: mend course, then run grader doctor --course {file} again\n" in said
