"""What is wrong with a suite is told with file and line, before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.validate.gap import Gap
from grader.validate.suites import file_gaps, suite_gaps

ROOT = Path(__file__).resolve().parents[3]
GOOD = '''\
import pytest

SIZES = [1, 2]


def helper(expect):
    found = []
    found.append(1)
    return found


class TestOutputs:
    @pytest.mark.parametrize("size", SIZES)
    def test_one(self, student, expect, size):
        """One."""
        own = dict(a=1)
        own["a"] = 2
        expect.true(student.one(size), "no", "yes")
'''


def test_a_good_suite_has_no_gaps() -> None:
    assert list(file_gaps(GOOD, "t.py")) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            '        """One."""\n',
            "",
            14,
            "TestOutputs.test_one has no docstring: it is the line people see",
        ),
        (
            "        expect.true",
            "        assert size\n        expect.true",
            18,
            "TestOutputs.test_one asserts: a failure would be called ours",
        ),
        (
            "        expect.true",
            "        pytest.skip('later')\n        expect.true",
            18,
            "pytest.skip: a check that is skipped proves nothing",
        ),
        (
            '    @pytest.mark.parametrize("size", SIZES)\n',
            '    @pytest.mark.xfail\n    @pytest.mark.parametrize("size", SIZES)\n',
            13,
            "pytest.mark.xfail: a check that is skipped proves nothing",
        ),
        ("found.append(1)", "SIZES.append(1)", 8, "writes to SIZES, which all checks share"),
        ('own["a"] = 2', "SIZES[0] = 2", 17, "writes to SIZES, which all checks share"),
        ("found = []", "global SIZES", 7, "writes to SIZES, which all checks share"),
        (
            "def helper(expect):",
            "def test_helper(expect):",
            6,
            "test_helper stands in no class: the class is the criterion",
        ),
        ("SIZES = [1, 2]", "SIZES = [1, 2", 3, "not valid Python: '[' was never closed"),
    ],
    ids=[
        "docstring", "assert", "skip", "xfail", "append", "item", "global", "no-class", "syntax",
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, line: int, message: str) -> None:
    assert GOOD.count(old) == 1
    found = list(file_gaps(GOOD.replace(old, new), "tests/suites/t1/test_t.py"))
    assert [(gap.file, gap.line, gap.message) for gap in found] == [
        ("tests/suites/t1/test_t.py", line, message)
    ]


def test_the_suites_of_this_course_have_no_gaps() -> None:
    course = find_course(ROOT)
    assert list(suite_gaps(course, tuple(course.rubric.exercises))) == []


def test_what_suites_share_is_read_as_they_are(copied: Path) -> None:
    shared = copied / "tests/suites/causal_suite.py"
    text = shared.read_text(encoding="utf-8")
    shared.write_text(f"{text}\n\nSEEN = []\n\n\ndef note(x):\n    SEEN.append(x)\n", "utf-8")
    course = find_course(copied)
    assert list(suite_gaps(course, ())) == [
        Gap(
            "tests/suites/causal_suite.py",
            text.count("\n") + 7,
            "writes to SEEN, which all checks share",
            "make it anew in each check, by a function",
        )
    ]


def test_a_suite_without_exercise_and_an_exercise_without_suite(copied: Path) -> None:
    course = find_course(copied)
    old = copied / "tests/suites/a1_attention/public/test_sdpa.py"
    old.rename(old.with_name("test_sdp.py"))
    (copied / "tests/suites/a3_multi_head/test_mha.py").unlink()
    (copied / "tests/suites/a3_multi_head/public/test_mha.py").unlink()
    assert list(suite_gaps(course, tuple(course.rubric.exercises))) == [
        Gap(
            "tests/suites/a3_multi_head/test_mha.py",
            1,
            "a3.mha has no suite",
            "write this file, or take the exercise out of rubric.yaml",
        ),
        Gap(
            "tests/suites/a1_attention/public/test_sdp.py",
            1,
            "this suite belongs to no exercise of rubric.yaml",
            "put its exercise back, or delete the file",
        ),
    ]
