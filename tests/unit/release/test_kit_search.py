"""Everything that goes into a kit is searched for secret lines before any of it is written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.release.kit import KitParts, LeakError, kit_files, require_no_leak
from grader.release.public_pack import RECORDED

TOY = Path(__file__).parents[2] / "toy_course"
SOLUTION = "windows = wide.unfold(1, side, 1).unfold(2, side, 1)"


def recording(words: str) -> bytes:
    """What stands for recorded answers: a search does not ask what they are."""
    return gzip.compress(json.dumps({"definitions": {"f1_filters": words}}).encode(), mtime=0)


def test_any_file_of_a_kit_is_searched() -> None:
    course = find_course(TOY)
    files = kit_files(course, ["en"])
    require_no_leak(course, files)
    for name in files:
        with pytest.raises(LeakError, match=name):
            require_no_leak(course, {**files, name: files[name] + f"\n{SOLUTION}\n".encode()})


def test_recorded_answers_are_searched() -> None:
    course = find_course(TOY)
    answers = recording("nothing of the solution")
    assert kit_files(course, ["en"], KitParts(record=lambda: answers))[RECORDED] == answers

    with pytest.raises(LeakError) as error:
        kit_files(course, ["en"], KitParts(record=lambda: recording(SOLUTION)))

    (line,) = str(error.value).splitlines()
    assert line.startswith(f"{RECORDED}: holds a line of reference/f1_filters.py:")


def test_nothing_is_recorded_for_a_kit_that_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """To record takes minutes: what can be searched before is searched before."""
    monkeypatch.setattr("grader.release.kit._installing", lambda: iter([SOLUTION]))
    monkeypatch.setattr("grader.release.kit.grader_wheel", lambda: b"")

    with pytest.raises(LeakError, match=r"README\.md: holds a line of reference/f1_filters.py:"):
        kit_files(find_course(TOY), ["en"], KitParts(record=never, wheel=True))


def never() -> bytes:
    raise AssertionError("recorded")


def test_a_wheel_is_searched_as_a_wheel_and_every_other_file_line_by_line() -> None:
    """One line of a hidden suite may stand in the engine, and nowhere else; a solution nowhere."""
    course = find_course(TOY)
    suite = (TOY / "tests/suites/f1_filters/test_blur.py").read_text(encoding="utf-8")
    line = "wanted[:, :2, :2] = torch.tensor([[4.0, 2.0], [2.0, 1.0]], dtype=torch.float64)"
    assert suite.count(line) == 1

    require_no_leak(course, {"wheel/grader.whl": line.encode()})
    for name, text in {"wheel/x.whl": SOLUTION, "README.md": line, "wheel/y.whl": suite}.items():
        with pytest.raises(LeakError, match=name):
            require_no_leak(course, {name: text.encode()})
