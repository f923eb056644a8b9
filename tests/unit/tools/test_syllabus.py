"""The syllabus is what the course says today, and the notebooks' map says the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import cmarkgfm
import pytest

from grader.course.course import find_course
from grader.course.source_notebooks import load_notebooks
from tools.frame import FRAME, FrameError, load_frame
from tools.syllabus import IN_KOREAN, ROOT, SYLLABUS, pages, syllabus

COURSE = find_course(ROOT)
TRACKS = load_frame(ROOT, COURSE.rubric).tracks
MAP = (ROOT / "docs" / "notebooks-map.md").read_text(encoding="utf-8")
CODE_CELLS = {"000": 2, "001": 18, "002": 38, "003": 24, "004": 6}
"""How many each notebook has."""


@pytest.fixture(scope="module")
def page() -> str:
    return syllabus(ROOT)


def sections() -> dict[str, str]:
    """The map's text on each notebook."""
    found = re.split(r"^## (\d+)\n", MAP, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def rows(section: str) -> Iterator[tuple[str, str]]:
    """Cell and exercise of each row of a table."""
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith(("| Cell", "| ---")):
            cell, _, exercise = line.strip("| ").split(" | ")
            yield cell, exercise


def code_cells(cell: str) -> set[int]:
    """
    >>> sorted(code_cells("text: 3.6.1, code 9 to 11, 13"))
    [9, 10, 11, 13]
    """
    _, _, numbers = cell.partition("code ")
    found = set(map(int, re.findall(r"\b(\d+)\b", numbers)))
    span = re.search(r"(\d+) to (\d+)", numbers)
    return found | (set(range(int(span[1]), int(span[2]))) if span else set())


def test_the_page_is_fresh(page: str) -> None:
    """If this fails, run `make syllabus` and look at what changed."""
    assert SYLLABUS.read_text(encoding="utf-8") == page


def test_every_exercise_and_every_question_is_on_it(page: str) -> None:
    headings = re.findall(r"^### (.+)$", page, re.MULTILINE)
    rubric = COURSE.rubric

    assert sorted(headings) == sorted([*rubric.exercises, *rubric.written])


def test_every_link_on_it_leads_somewhere(page: str) -> None:
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-").lower() for heading in headings}
    links = set(re.findall(r"\]\(#([^)]+)\)", page))

    assert "a1sdpa" in links
    assert links - anchors == set()


def test_every_table_of_it_is_one(page: str) -> None:
    html = cmarkgfm.github_flavored_markdown_to_html(page, cmarkgfm.Options.CMARK_OPT_UNSAFE)

    assert html.count("<table>") == len(COURSE.rubric.assignments) + 3 + len(TRACKS)
    assert html.count("<details>") == html.count("</details>") == len(COURSE.rubric.exercises)
    assert "| ---" not in html


def test_the_map_has_every_code_cell_of_every_notebook() -> None:
    found = {
        name: sorted({n for cell, _ in rows(section) for n in code_cells(cell)})
        for name, section in sections().items()
    }

    assert found == {name: list(range(1, count + 1)) for name, count in CODE_CELLS.items()}


def test_every_cell_has_an_exercise_or_a_reason() -> None:
    for section in sections().values():
        for cell, exercise in rows(section):
            assert re.search(r"`a\d\.\w+`|not graded: \w", exercise), cell


def test_the_map_and_the_course_name_the_same_exercises() -> None:
    named = {
        name: {slug for _, text in rows(section) for slug in re.findall(r"`(a\d\.\w+)`", text)}
        for name, section in sections().items()
    }
    course = {one.name: set(one.teaches) for one in load_notebooks(ROOT)}

    assert named == course


def test_both_pages_are_fresh() -> None:
    stale = [
        path.name for path, text in pages(ROOT).items() if path.read_text(encoding="utf-8") != text
    ]

    assert stale == []
    assert {*pages(ROOT)} == {SYLLABUS, IN_KOREAN}


def test_the_korean_page_has_every_exercise_and_all_its_links() -> None:
    text = IN_KOREAN.read_text(encoding="utf-8")
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    anchors = {heading.replace(".", "") for heading in headings}

    assert headings == [*COURSE.rubric.exercises]
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) - anchors == set()


def test_the_tracks_are_what_the_parts_say() -> None:
    frame = load_frame(ROOT, COURSE.rubric)
    short, middle, whole = ({*track.exercises} for track in frame.tracks)

    assert short == {slug for slug, one in frame.exercises.items() if one.part == "core"}
    assert middle == {slug for slug, one in frame.exercises.items() if one.part != "optional"}
    assert whole == {*COURSE.rubric.exercises}
    assert [len(track.weeks) for track in frame.tracks] == [4, 8, 11]


SDPA = "reference/exercises/a1.sdpa/frame.toml"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        pytest.param(
            SDPA,
            'after = ["a1.scores"]',
            'after = ["a5.online"]',
            f"{SDPA}: after: comes later in the rubric: a5.online",
            id="after what comes later",
        ),
        pytest.param(
            SDPA,
            'after = ["a1.scores"]',
            'after = ["a1.scoring"]',
            f"{SDPA}: after: no such exercise: a1.scoring",
            id="after an unknown one",
        ),
        pytest.param(
            "reference/exercises/a1.scores/frame.toml",
            "short = 1",
            "short = 2",
            f"{SDPA}: week: in short before a1.scores",
            id="a track that lacks something",
        ),
        pytest.param(
            SDPA, "short = 1", "short = 5", f"{SDPA}: week: short has no week 5", id="no week"
        ),
        pytest.param(
            SDPA, "short = 1", "shorter = 1", f"{SDPA}: week: shorter has no week 1", id="no track"
        ),
        pytest.param(
            "reference/frame.toml",
            "weeks = 4",
            "weeks = 5",
            "reference/frame.toml: 4 weeks, to a Vision Transformer: week 5 is empty",
            id="an empty week",
        ),
        pytest.param(
            "reference/frame.toml",
            'ours = ["a3.mha"]',
            'ours = ["a3.mah"]',
            "reference/frame.toml: CS231n, assignment 3: ours: no such exercise: a3.mah",
            id="in place of another course",
        ),
        pytest.param(
            SDPA,
            'difficulty = "hard"',
            'difficulty = "cruel"',
            f"{SDPA}: part is one of ('core', 'more', 'optional'), difficulty one of "
            "('easy', 'medium', 'hard'), minutes > 0",
            id="no difficulty",
        ),
    ],
)
def test_a_frame_that_does_not_fit_says_where(
    frames: Path, file: str, old: str, new: str, message: str
) -> None:
    text = (frames / file).read_text(encoding="utf-8")
    (frames / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert old in text

    with pytest.raises(FrameError) as error:
        load_frame(frames, COURSE.rubric)

    assert message in str(error.value).splitlines()


def test_each_exercise_has_a_frame_and_each_frame_an_exercise(frames: Path) -> None:
    folder = frames / "reference" / "exercises"
    (folder / "a1.scores").rename(folder / "a1.score")

    with pytest.raises(FrameError) as error:
        load_frame(frames, COURSE.rubric)

    assert str(error.value).splitlines() == [
        "reference/exercises/a1.scores/frame.toml: is missing",
        "reference/exercises/a1.score/frame.toml: no such exercise",
    ]


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    """A folder with the frames of this course and nothing else."""
    for path in (ROOT / FRAME, *(ROOT / "reference" / "exercises").glob("*/frame.toml")):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return tmp_path
