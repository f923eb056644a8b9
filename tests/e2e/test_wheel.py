"""The wheel installs alone: the engine and nothing else, no CUDA by accident, links that work."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("grader", "docs/package.md", "README.md", "LICENSE", "pyproject.toml")
ALSO_REFERENCE = ("reference", "tests/suites", "rubric.yaml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: a build leaves files beside its sources."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in (*SOURCES, *ALSO_REFERENCE):
        target = folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    pip(["wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(folder / "source")])
    (built,) = folder.glob("*.whl")
    return built


def pip(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return message_from_string(archive.read(name).decode())


def test_it_holds_the_engine_and_nothing_of_a_course(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()

    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "grader",
        "attention_grader",
    }
    for needed in (
        "grader/report/html/templates/",
        "grader/locale/ko/LC_MESSAGES/grader.mo",
        "grader/py.typed",
    ):
        assert any(name.startswith(needed) for name in names), needed


def test_to_install_it_brings_no_torch_unless_that_is_asked_for(wheel: Path) -> None:
    needed = metadata(wheel).get_all("Requires-Dist", [])

    torch = [one for one in needed if re.match(r"torch\b", one)]
    assert torch == ['torch<3,>=2.6; extra == "torch"']
    assert any(one.startswith("rich") for one in needed)  # the list is the right one


def test_its_description_says_how_to_install_it_and_has_no_link_into_a_clone(wheel: Path) -> None:
    text = metadata(wheel).get_payload()
    assert isinstance(text, str)
    links = re.findall(r"\]\(([^)]*)\)", text)

    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    assert wheel.name in text
    assert "--index-url https://download.pytorch.org/whl/cpu" in text


def test_it_grades_a_course_that_lies_elsewhere(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "installed"
    pip(["install", "--no-deps", "--no-index", "--target", str(place), str(wheel)])
    work = shutil.copytree(ROOT / "tests" / "corpus" / "mask_inverted", tmp_path / "work")

    def installed(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(place), "PATH": "/usr/bin:/bin", "LANGUAGE": "en"},
            capture_output=True,
            text=True,
        )

    where = installed("-c", "import grader; print(grader.__file__)")
    graded = installed(
        "-m", "grader", "check", str(work), "--course", str(ROOT), "--only", "a1.sdpa"
    )

    assert where.stdout.startswith(str(place))
    assert graded.returncode == 1, graded.stderr
    assert "mask" in graded.stdout
