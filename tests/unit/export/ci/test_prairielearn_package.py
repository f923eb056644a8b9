"""The package for PrairieLearn: its layout, what its questions say, the same bytes each time."""

from __future__ import annotations

import io
import json
import re
import subprocess
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from grader.course.course import Course, find_course
from grader.export.ci.outputs import not_checked
from grader.export.ci.package_files import requirements
from grader.export.ci.prairielearn_package import contents, packed
from grader.export.ci.systems import System
from grader.text.language import use_language

ROOT = Path(__file__).resolve().parents[4]
SHARED = "serverFilesCourse/grader/"


@pytest.fixture(scope="module")
def course() -> Course:
    return find_course(ROOT / "tests" / "toy_course")


def test_the_folders_are_those_that_prairielearn_reads(course: Course) -> None:
    names = set(contents(course, (), "image"))

    assert {f"questions/{stem}/info.json" for stem in ("f1_filters", "f2_learned")} <= names
    assert {"questions/f1_filters/question.html", f"{SHARED}run.sh"} <= names
    assert {f"{SHARED}course/rubric.yaml", f"{SHARED}engine/grader/__main__.py"} <= names
    assert {name.split("/")[0] for name in names} == {"questions", "serverFilesCourse"}


def test_a_question_names_its_image_and_what_it_grades(course: Course) -> None:
    made = contents(course, ("f1.blur",), "registry/team/grader:2")
    info = json.loads(made["questions/f1_filters/info.json"])
    options = info["externalGradingOptions"]

    assert "questions/f2_learned/info.json" not in made
    assert (info["type"], info["gradingMethod"]) == ("v3", "External")
    assert options["enabled"] is True
    assert options["image"] == "registry/team/grader:2"
    assert options["entrypoint"] == [
        "/grade/serverFilesCourse/grader/run.sh",
        "--lang",
        "en",
        "--only",
        "f1.blur",
    ]
    assert options["timeout"] <= 600
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", info["uuid"])
    assert info["uuid"][14] == "4"


def test_a_question_keeps_its_identifier_and_two_have_two(course: Course) -> None:
    def identifiers(only: tuple[str, ...]) -> list[str]:
        made = contents(course, only, "image")
        infos = (data for name, data in sorted(made.items()) if name.endswith("info.json"))
        return [json.loads(data)["uuid"] for data in infos]

    one, two = identifiers(())
    assert one != two
    assert identifiers(("f1.sobel",)) == [one]


class Elements(HTMLParser):
    """The elements of a page that are PrairieLearn's own, with their attributes."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.names: list[str] = []
        self.open: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag.startswith("pl-"):
            self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_lets_hand_in_and_shows_results() -> None:
    made = contents(find_course(ROOT), ("a2.padding",), "image")
    page = made["questions/a2_masking/question.html"]
    elements = Elements(page)

    assert elements.open == []
    assert elements.names == [
        "pl-question-panel",
        "pl-file-download",
        "pl-file-download",
        "pl-file-upload",
        "pl-submission-panel",
        "pl-external-grader-results",
        "pl-file-preview",
    ]
    downloads = re.findall(r'pl-file-download file-name="([^"]*)"', page.decode())
    folder = "questions/a2_masking/clientFilesQuestion/"
    assert [f"{folder}{name}" for name in downloads] == sorted(
        name for name in made if name.startswith(folder)
    )
    assert b"a1_attention.py" in page  # which a2_masking.py imports


def test_a_page_speaks_the_language_of_the_package() -> None:
    use_language("ko")
    made = contents(find_course(ROOT), ("a2.padding",), "image")

    assert "제출하세요" in made["questions/a2_masking/question.html"].decode()
    handed_out = (ROOT / "assignments" / "ko" / "a2_masking.py").read_bytes()
    assert made["questions/a2_masking/clientFilesQuestion/a2_masking.py"] == handed_out


def test_no_question_holds_what_is_hidden(course: Course) -> None:
    for name, data in contents(course, (), "image").items():
        if name.startswith("questions/"):
            assert b"unfold" not in data, name
    assert b"unfold" in contents(course, (), "image")[f"{SHARED}course/reference/f1_filters.py"]


def test_the_same_course_gives_the_same_bytes_and_only_the_script_can_be_run(
    course: Course,
) -> None:
    data = packed(course, (), "image")

    assert packed(course, (), "image") == data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        modes = {one.filename: one.external_attr >> 16 for one in archive.infolist()}
    assert [name for name, mode in modes.items() if mode & 0o111] == [f"{SHARED}run.sh"]


def test_the_image_installs_what_the_grader_needs(course: Course) -> None:
    made = contents(course, (), "image")

    assert made[f"{SHARED}image/requirements.txt"].decode().split() == list(requirements())
    assert b"COPY requirements.txt" in made[f"{SHARED}image/Dockerfile"]


def test_the_script_is_one_that_a_shell_reads(course: Course) -> None:
    script = contents(course, (), "image")[f"{SHARED}run.sh"]

    assert script.startswith(b"#!/usr/bin/env bash\n")
    assert b"\r" not in script
    assert subprocess.run(["bash", "-n"], input=script, capture_output=True).stderr == b""


def test_the_first_result_is_the_one_of_a_grader_that_was_ended(course: Course) -> None:
    text = contents(course, (), "image")[f"{SHARED}could_not_check.json"].decode()

    assert text == not_checked(System.PRAIRIELEARN)["results.json"]
    assert json.loads(text)["gradable"] is False
