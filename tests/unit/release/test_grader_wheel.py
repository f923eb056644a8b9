"""The kit's wheel is one that pip takes, and no course is in it."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from importlib import metadata

import pytest

import grader
from grader.release.secrets import SecretLine, squeezed
from grader.release.wheel import NoWheelError, grader_wheel, leaks_in_wheel, wheel_name

LINES = tuple(f"the_{number}th_line_of_a_hidden_file = {number}" for number in range(10))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(grader_wheel())) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_its_record_names_every_file_with_its_digest(files: dict[str, bytes]) -> None:
    info = f"attention_grader-{grader.__version__}.dist-info"
    record = files.pop(f"{info}/RECORD").decode().splitlines()
    digests = {name: hashlib.sha256(data).digest() for name, data in files.items()}
    expected = {
        f"{name},sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')},{len(files[name])}"
        for name, digest in digests.items()
    }
    assert set(record) == {*expected, f"{info}/RECORD,,"}
    assert wheel_name() == f"attention_grader-{grader.__version__}-py3-none-any.whl"


def test_its_version_is_that_of_the_grader(files: dict[str, bytes]) -> None:
    info = f"attention_grader-{grader.__version__}.dist-info"
    about = files[f"{info}/METADATA"].decode()
    assert f"\nVersion: {grader.__version__}\n" in about
    assert "\nRequires-Dist: rich" in about
    assert "grader = grader.cli.cli:run" in files[f"{info}/entry_points.txt"].decode()


def test_a_grader_that_is_not_installed_makes_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "distributions", lambda **_words: iter(()))
    with pytest.raises(NoWheelError, match="install it, or add --no-wheel"):
        grader_wheel()


def secrets(place: str, count: int) -> list[SecretLine]:
    return [SecretLine(squeezed(line), f"{place}:{n}") for n, line in enumerate(LINES[:count])]


@pytest.mark.parametrize(
    ("place", "secret", "held", "count"),
    [
        pytest.param("reference/a1.py", 10, 1, 1, id="one line of a solution"),
        pytest.param("tests/suites/a1/test_x.py", 10, 2, 0, id="two lines of a suite"),
        pytest.param("tests/suites/a1/test_x.py", 10, 3, 3, id="a third of a suite"),
        pytest.param("reference/exercises/a1.x/mistakes.diff", 3, 3, 3, id="all of a few mistakes"),
    ],
)
def test_solutions_are_leaks_by_the_line_and_hidden_files_by_their_share(
    place: str, secret: int, held: int, count: int
) -> None:
    text = "\n".join(LINES[:held]).encode()
    result = list(leaks_in_wheel({"wheel/grader.whl": text}, secrets(place, secret)))
    assert len(result) == count


def test_a_small_share_of_a_long_hidden_file_is_no_leak() -> None:
    long = [SecretLine(f"{n}_{'x' * 20}", f"tests/suites/test_x.py:{n}") for n in range(100)]
    text = "\n".join(one.text for one in long[:19]).encode()
    more = "\n".join(one.text for one in long[:21]).encode()
    assert list(leaks_in_wheel({"w": text}, long)) == []
    assert len(list(leaks_in_wheel({"w": more}, long))) == 21
