"""A sealed course's Python is imported from memory, and its errors show no line of it."""

from __future__ import annotations

import traceback
from datetime import date
from pathlib import Path

import pytest

from grader.course.misconceptions import MisconceptionError, load_data
from grader.judge.checks.pytest_bridge import CollectionFailed, Suites
from grader.sealed.ciphers import new_key
from grader.sealed.imports import imported, module_of
from grader.sealed.memory_path import OpenedFile, SealedPath, sealed_root
from grader.sealed.sealed_file import SealedCourse

KEY = new_key()
SUITE = '''\
import pytest

class TestOutputs:
    @pytest.mark.parametrize("number", [1, 2])
    def test_secret_sum(self, number, given):
        """Adds."""
        assert number + given == 18

@pytest.fixture
def given():
    return 17
'''


def course(place: Path, **files: str) -> SealedPath:
    data = {name.replace("__", "/") + ".py": text.encode() for name, text in files.items()}
    opened = SealedCourse(date(2027, 6, 30), data, dict.fromkeys(data, ""), {})
    return sealed_root(OpenedFile(place / "c.sealed", opened, KEY.grading))


def test_a_module_is_imported_and_leaves_nothing_on_disk(tmp_path: Path) -> None:
    root = course(tmp_path, data="ENTRIES = (1, 2)\n")
    assert load_data(root / "data.py", "data.py").ENTRIES == (1, 2)
    assert imported("data", root / "data.py").ENTRIES == (1, 2)
    assert list(tmp_path.rglob("*")) == []


def test_a_file_on_disk_is_imported_as_ever(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("ENTRIES = (3,)\n", encoding="utf-8")
    data = load_data(tmp_path / "data.py", "data.py")
    assert data.ENTRIES == (3,)
    assert type(data.__loader__).__name__ == "SourceFileLoader"


def test_a_traceback_has_file_and_line_and_not_the_line_itself(tmp_path: Path) -> None:
    failing = "def fail():\n    raise ValueError(len('the secret line'))\n"
    (tmp_path / "open.py").write_text(failing, encoding="utf-8")
    root = course(tmp_path, failing=failing)
    texts = []
    for path in (root / "failing.py", tmp_path / "open.py"):
        module = module_of("failing", path)
        with pytest.raises(ValueError, match="15") as error:
            module.fail()
        texts.append("".join(traceback.format_exception(error.value)))
    sealed, on_disk = texts
    assert "the secret line" in on_disk  # the control
    assert "the secret line" not in sealed
    assert 'c.sealed/failing.py", line 2, in fail' in sealed


def test_a_file_with_an_error_is_named_with_its_line(tmp_path: Path) -> None:
    root = course(tmp_path, broken="x = 1\nsecret = = 170017\n")
    with pytest.raises(MisconceptionError) as error:
        load_data(root / "broken.py", "reference/broken.py")
    assert str(error.value) == "reference/broken.py:2: not valid Python: invalid syntax"
    assert "secret" not in "".join(traceback.format_exception(error.value))


def test_a_suite_is_collected_and_run_as_one_on_disk(tmp_path: Path) -> None:
    root = course(tmp_path, tests__suites__t1__test_sum=SUITE)
    suites = Suites([root / "tests/suites/t1/test_sum.py"], root, [])
    names = [item.name for item in suites.items]
    errors = [[phase.error for phase in suites.run(item)] for item in suites.items]

    assert names == ["test_secret_sum[1]", "test_secret_sum[2]"]
    assert errors[0] == [None, None, None]
    assert isinstance(errors[1][1], AssertionError)
    assert [item.location[:2] for item in suites.items] == [
        ("c.sealed/tests/suites/t1/test_sum.py", 3)
    ] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("x = 1\nsecret = = 170017\n", ":2  SyntaxError: invalid syntax", id="syntax"),
        pytest.param("\nimport no_such\n", ":2  ModuleNotFoundError: No module", id="import"),
        pytest.param("x = 170017\ny = x / 0\n", ":2  ZeroDivisionError: division", id="error"),
    ],
)
def test_a_suite_that_cannot_be_collected_is_named_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    root = course(tmp_path, tests__suites__t1__test_sum=text)
    with pytest.raises(CollectionFailed) as error:
        Suites([root / "tests/suites/t1/test_sum.py"], root, [])
    assert f"c.sealed/tests/suites/t1/test_sum.py{message}" in str(error.value)
    assert "170017" not in str(error.value)
