"""The wheel installs alone: the engine and nothing else, no CUDA by accident, links that work."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

import grader
from grader.course.course import find_course
from grader.release.leaks import leaks
from grader.release.secrets import SecretLine, secret_lines
from grader.release.wheel import grader_wheel, wheel_name

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("grader", "docs/package.md", "README.md", "LICENSE", "pyproject.toml")
ALSO_REFERENCE = ("reference", "tests/suites", "rubric.yaml")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with its course: a build leaves files beside its sources."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in (*SOURCES, *ALSO_REFERENCE):
        target = folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    return folder / "source"


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    pip(["wheel", "--no-deps", "--no-build-isolation", "-w", str(source.parent), str(source)])
    (built,) = source.parent.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def sdist(source: Path, wheel: Path) -> Path:
    """The source archive; built after the wheel, since both write to the same folder."""
    program = "from setuptools.build_meta import build_sdist; build_sdist('..')"
    subprocess.run([sys.executable, "-c", program], cwd=source, check=True, capture_output=True)
    (built,) = source.parent.glob("*.tar.gz")
    return built


def contents(archive: Path) -> dict[str, bytes]:
    """The files of a wheel, or of a source archive without the folder that they are all in."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            return {name: opened.read(name) for name in opened.namelist()}
    with tarfile.open(archive) as packed:
        files = ((one, packed.extractfile(one)) for one in packed.getmembers())
        return {one.name.partition("/")[2]: file.read() for one, file in files if file is not None}


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


def test_the_wheel_of_a_kit_holds_the_same(wheel: Path, tmp_path: Path) -> None:
    """It is made without a clone; what is installed says what it needs."""
    made = tmp_path / wheel_name()
    made.write_bytes(grader_wheel())
    built, ours = contents(wheel), contents(made)
    info = f"attention_grader-{grader.__version__}.dist-info"
    of_the_builder = {f"{info}/{name}" for name in ("RECORD", "WHEEL", "METADATA")}

    assert made.name == wheel.name
    assert ours.keys() == built.keys()
    assert {name for name in built if built[name] != ours[name]} <= of_the_builder
    assert metadata(made).get_all("Requires-Dist") == metadata(wheel).get_all("Requires-Dist")


def shares(files: dict[str, bytes], secrets: Iterable[SecretLine]) -> dict[str, float]:
    """The share of its secret lines that is in some files, for each file of the course."""
    every: defaultdict[str, set[str]] = defaultdict(set)
    for secret in secrets:
        every[secret.place.rpartition(":")[0]].add(secret.text)
    seen = {leak.secret.text for leak in leaks(files, secrets)}
    return {place: len(texts & seen) / len(texts) for place, texts in every.items()}


def test_no_solution_hidden_suite_or_mistake_is_in_wheel_or_source_archive(
    wheel: Path, sdist: Path
) -> None:
    """Single lines such as `@dataclass(frozen=True)` stand in the engine as well, files do not."""
    secrets = tuple(secret_lines(find_course(ROOT)))
    files = contents(wheel) | {f"sdist/{name}": data for name, data in contents(sdist).items()}
    suite = "tests/suites/a3_multi_head/test_mha.py"

    assert {"grader/cli/cli.py", "sdist/grader/cli/cli.py", "sdist/pyproject.toml"} <= set(files)
    assert [
        name for name in files if re.search(r"^(sdist/)?(reference|tests|assignments|rubric)", name)
    ] == []
    found = shares(files, secrets)
    assert {place: share for place, share in found.items() if share > 0.2} == {}
    assert shares({"planted": (ROOT / suite).read_bytes()}, secrets)[suite] == 1


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
