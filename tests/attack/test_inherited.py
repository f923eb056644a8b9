"""What a worker has from the process it was forked from, and what the next one has from it."""

from __future__ import annotations

import os
import secrets
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from tests.attack.test_attacks import pytestmark as pytestmark
from tests.support.courses import submission, write_course

STACK = Path(sysconfig.get_path("purelib"))
"""Where torch lies."""
SUITE = '''
    class TestOutputs:
        def test_nothing(self, student, expect):
            """Tell what is there."""
            found = student.tell()
            expect.true(found == "", observed=found, expected="nothing")
'''
DESCRIPTORS = """
    import os, stat

    def tell():
        found = []
        for number in range(1 << 16):
            try:
                mode = os.fstat(number).st_mode
            except OSError:
                continue
            found.append(f"{number} {stat.filemode(mode)[0]}")
        return ", ".join(found)
"""
PLACES = """
    import os, sys, torch

    def places():
        folders = [*sys.path, os.path.dirname(torch.__file__), os.path.dirname(os.__file__)]
        folders += [os.getcwd(), os.environ.get("HOME", "/"), "/tmp", "/dev/shm", "/var/tmp"]
        found = []
        for folder in folders:
            while folder and folder not in found:
                found.append(folder)
                folder = os.path.dirname(folder)
        return found
"""
PLANT = """
    def tell():
        done = []
        for place in places():
            try:
                with open(os.path.join(place, NAME), "w"):
                    done.append(place)
            except OSError:
                pass
        for number in range(128):
            try:
                os.close(os.open(NAME, os.O_CREAT | os.O_WRONLY, dir_fd=number))
                done.append(f"descriptor {number}")
            except OSError:
                pass
        return ", ".join(done)
"""
LOOK = """
    def tell():
        return ", ".join(p for p in places() if os.path.exists(os.path.join(p, NAME)))
"""
FOLDER_OF_TORCH = ", 50 d"
EXPECTED = {
    "full": "0 c, 1 p, 2 p, 3 s",
    "partial": "0 c, 1 p, 2 p, 3 s" + FOLDER_OF_TORCH,
    "none": "0 c, 1 p, 2 p, 3 s" + FOLDER_OF_TORCH,
}
"""The null device, a pipe for what is printed, and the connection to the judge. Without a mount
namespace also the folder of torch, which it imports the rest of itself from."""


@pytest.fixture
def course(tmp_path: Path, no_kept_nursery: None) -> Course:
    reference = "def tell():\n    return ''\n"
    return find_course(write_course(tmp_path, targets="tell", reference=reference, suite=SUITE))


def answers(engine: Engine, *sources: str) -> list[str]:
    found = []
    for source in sources:
        (result,) = engine.grade([submission({"t1_toy.py": source})])
        found += [row.observed for row in result.observations]
    return found


@pytest.mark.parametrize("hurry", [False, True], ids=["plain", "read beside"])
@pytest.mark.parametrize("tier", EXPECTED)
def test_a_worker_holds_no_descriptor_but_these(course: Course, tier: str, hurry: bool) -> None:
    with Engine(course, Options(isolation=tier, hurry=hurry)) as engine:
        found = answers(engine, DESCRIPTORS, textwrap.dedent(DESCRIPTORS) + "# again\n")

    assert found == [EXPECTED[tier]] * 2


def on_disk(name: str) -> list[str]:
    """Return where such a file lies: in any folder that the submission tries, or above it."""
    folders = [STACK, STACK / "torch", Path(os.__file__).parent, Path.home(), Path.cwd()]
    folders += [Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"), *map(Path, sys.path)]
    tried = {above for folder in folders for above in (folder, *folder.parents)}
    return [str(folder / name) for folder in sorted(tried) if (folder / name).exists()]


def sources(name: str) -> tuple[str, str]:
    top = textwrap.dedent(PLACES) + f"\nNAME = {name!r}\n"
    return top + textwrap.dedent(PLANT), top + textwrap.dedent(LOOK)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Of a file that Python would take for its own where it imports from, and that is empty."""
    found = f"grader-attack-{secrets.token_hex(8)}.pth"

    def remove() -> None:
        for path in on_disk(found):
            Path(path).unlink()

    request.addfinalizer(remove)
    return found


@pytest.mark.parametrize(("tier", "writes"), [("full", "/box"), ("partial", "")])
def test_what_a_worker_writes_is_gone_with_it(
    course: Course, name: str, tier: str, writes: str
) -> None:
    """Beside torch, as `sitecustomize.py` or a `.pth` file would be, it can write nothing."""
    plant, look = sources(name)
    with Engine(course, Options(isolation=tier)) as engine:
        found = answers(engine, plant, look)
    with Engine(course, Options(isolation=tier)) as engine:
        found += answers(engine, look)

    assert found == [writes, "", ""]
    assert on_disk(name) == []


@pytest.mark.skipif(not os.access(STACK, os.W_OK), reason="nobody here may write beside torch")
def test_without_a_jail_it_writes_beside_torch_and_is_found(course: Course, name: str) -> None:
    """The control."""
    plant, look = sources(name)
    with Engine(course, Options(isolation="none")) as engine:
        wrote, found = answers(engine, plant, look)

    assert "descriptor 50" in wrote
    assert "/proc/self/fd/50" in found
    assert str(STACK / name) in on_disk(name)
