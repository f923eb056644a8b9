"""What a TA teaches again on Monday: the walk in the guide, run line by line on a small class."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from tests.support.guide import ROOT, Reader

TOY = ROOT / "tests" / "toy_course"
GUIDE = (ROOT / "docs" / "guide-ta.md").read_text(encoding="utf-8")
MONDAY = GUIDE.partition("## What do I teach again on Monday?\n")[2].partition("\n## ")[0]
SWAPPED = ("return right, down", "return down, right")
FLAT = ("[1, 2, 1]", "[1, 1, 1]")
SUMMED = ("return windows.mean(dim=(3, 4))", "return windows.sum(dim=(3, 4))")
STUDENTS = {
    "student-001": (SWAPPED,),
    "student-002": (SWAPPED, SUMMED),
    "student-003": (SWAPPED,),
    "student-004": (SUMMED,),
    "student-005": (FLAT,),
    "student-006": (FLAT,),
    "student-007": (),
    "student-008": (),
}
FORGOTTEN = "blur.sum"
"""The mistake that the bank of this course has lost, so that it has no name."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Who has graded the class, and followed the guide to its end."""
    folder = tmp_path_factory.mktemp("monday") / "course"
    shutil.copytree(TOY, folder, ignore=shutil.ignore_patterns("__pycache__"))
    bank = folder / "reference/exercises/f1.blur/mistakes.diff"
    text = bank.read_text(encoding="utf-8")
    assert f"id: {FORGOTTEN}\n" in text
    text = re.sub(rf"id: {re.escape(FORGOTTEN)}\n.*?\n\n", "", text, flags=re.S)
    bank.write_text(text, encoding="utf-8")
    for student, edits in STUDENTS.items():
        source = (TOY / "reference/f1_filters.py").read_text(encoding="utf-8")
        for old, new in edits:
            assert source.count(old) == 1
            source = source.replace(old, new)
        (folder / "submissions" / student).mkdir(parents=True)
        (folder / "submissions" / student / "f1_filters.py").write_text(source, encoding="utf-8")
    words = ["batch", "submissions/", "--out", "results/", "--only", "f1", "--isolation", "none"]
    subprocess.run([sys.executable, "-m", "grader", *words], cwd=folder, check=False)
    found = Reader(folder)
    # With the rights of this test: what is confined is not what the walk is about.
    found.follow(MONDAY.replace("$ grader lens", "$ grader lens --isolation none"))
    return found


def test_every_command_prints_what_the_guide_says(reader: Reader) -> None:
    assert [command.split()[1] for command in reader.commands] == [
        "report",
        "why",
        "lens",
        "report",
    ]


def test_the_page_has_what_the_guide_says_of_it(reader: Reader) -> None:
    page = (reader.folder / "results/class.html").read_text(encoding="utf-8")
    first = page.partition('<ol class="todo">')[2].partition("</ol>")[0]
    links = re.findall(r'<a href="#([a-z]+)">([^<]+)</a>', first)
    assert [target for target, _line in links] == ["mistakes", "mistakes", "unknown", "unknown"]
    assert all(f'<section class="card" id="{target}"' in page for target, _line in links)
    cards = page.partition('<ol class="lessons">')[2].partition("</ol>")[0]
    assert re.findall(r"<h3>(.+?)</h3>", cards) == [
        "The two directions are swapped.",
        "The middle row and column count once and not twice.",
    ]
    assert "grader why student-001 f1.sobel" in cards
    assert ">student-001, student-002, student-003<" in page


def test_the_sheet_for_the_lecture_names_nobody(reader: Reader) -> None:
    sheet = (reader.folder / "monday.html").read_text(encoding="utf-8")
    assert "The two directions are swapped." in sheet
    assert "3 of 8, 38 %" in sheet
    assert "student-0" not in sheet
