"""The page for a lecture says what to teach again, and names nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.class_report.data.reading import read_class
from grader.class_report.html.lecture import rendered_lecture
from grader.class_report.lecture import LecturePage, TaughtAgain, lecture_of
from grader.class_report.printing import printed
from grader.export.exported import ExportError
from tests.support.made_class import Made, write_class
from tests.unit.samples import RUBRIC

CLASS = (
    *(Made(f"student-1{n:02}", "pppp") for n in range(5)),
    *(Made(f"student-2{n:02}", "pfpf", {1: "add.minus"}) for n in range(3)),
    *(Made(f"student-3{n:02}", "pppf", {3: "mean.sum"}) for n in range(2)),
    Made("student-400", "pfpp", {1: "add.alone"}),
)


def lecture(folder: Path, made: tuple[Made, ...] = CLASS) -> LecturePage:
    data = read_class(write_class(folder, made, RUBRIC), RUBRIC)
    return lecture_of(data, lambda cause: (f"why {cause}", "a + b"))


def test_the_most_frequent_come_first_and_what_one_alone_has_is_left_out(tmp_path: Path) -> None:
    page = lecture(tmp_path)
    assert (page.students, page.course) == (11, RUBRIC.course)
    assert [(one.students, one.why) for one in page.points] == [
        (3, "why add.minus"),
        (2, "why mean.sum"),
    ]
    assert page.points[0].share == pytest.approx(3 / 11)


def test_a_class_without_results_gets_a_page_that_says_so(tmp_path: Path) -> None:
    page = lecture(tmp_path, (Made("student-001", "pppp"),))
    assert "No known mistake was named in this class." in rendered_lecture(page)


def test_no_student_is_named_and_no_text_becomes_markup(tmp_path: Path) -> None:
    named = rendered_lecture(lecture(tmp_path))
    assert "student-" not in named
    assert "3 of 11" in named and "27 %" in named

    hostile = "<script>alert(1)</script>"
    page = rendered_lecture(
        LecturePage(hostile, 2, (TaughtAgain(hostile, 2, 1.0, hostile, hostile),))
    )
    assert "<script" not in page and page.count("&lt;script&gt;") == 5


def test_without_a_browser_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.class_report.printing.shutil.which", lambda name: None)
    with pytest.raises(ExportError, match=r"there is none here \(chromium, .*ends in \.html"):
        printed("<p>")


def test_a_browser_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\nexit 3\n")
    browser.chmod(0o755)
    monkeypatch.setattr("grader.class_report.printing.shutil.which", lambda name: str(browser))
    with pytest.raises(ExportError, match=r"chromium made no PDF: exit status 3"):
        printed("<p>")
