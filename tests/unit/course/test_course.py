"""A course is found from anywhere inside it, and a mistake in it is told with its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import Course, CourseError, find_course, find_root, select
from grader.text.language import use_language
from tests.unit.samples import RUBRIC, RUBRIC_TEXT, write_course


def test_the_course_is_found_upwards(tmp_path: Path) -> None:
    root = write_course(tmp_path / "course")

    found = find_course(root / "assignments")

    assert found.root == root
    assert found.rubric.course == "sums"
    assert found.assignments == root / "assignments"


def test_outside_a_course_the_message_says_how_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(CourseError) as refused:
        find_root(tmp_path)

    assert str(refused.value) == (
        f"{tmp_path}: not inside a course; no rubric.yaml here or in any folder above. "
        "Change into the course folder, or name it: --course DIR"
    )


def test_a_folder_that_anybody_may_add_to_is_no_course(tmp_path: Path) -> None:
    """Such as `/tmp`: another user of the machine may have put a course there."""
    root = write_course(tmp_path / "shared")
    (root / "mine").mkdir()
    root.chmod(0o1777)

    with pytest.raises(CourseError, match="anybody may add files to"):
        find_root(root / "mine")


def test_suites_are_the_hidden_file_then_the_public_one(tmp_path: Path) -> None:
    hidden = tmp_path / "tests" / "suites" / "s1_sums" / "test_add.py"
    public = hidden.parent / "public" / "test_add.py"
    public.parent.mkdir(parents=True)
    exercise = RUBRIC.exercises["s1.add"]
    course = Course(tmp_path, RUBRIC)

    public.touch()
    assert course.suite_files(exercise) == (public,)
    hidden.touch()
    assert course.suite_files(exercise) == (hidden, public)


@pytest.mark.parametrize(
    ("there", "missing", "english", "korean"),
    [
        pytest.param(
            "s1_sums/test_other.py",
            "s1_sums/test_add.py",
            "6:3  exercises.s1.add: no suite {} - write this file, or take the exercise out",
            "6:3  exercises.s1.add: 검사 모음 {}가 없습니다 - 이 파일을 쓰거나 연습문제를 빼세요",
            id="not there",
        ),
        pytest.param(
            "s1_sums/test_ad.py",
            "s1_sums/test_add.py",
            "6:3  exercises.s1.add: no suite {} - did you mean 's1.ad'?",
            "6:3  exercises.s1.add: 검사 모음 {}가 없습니다 - 혹시 's1.ad'입니까?",
            id="misspelt slug",
        ),
        pytest.param(
            "s1_sum/test_add.py",
            "s1_sums",
            "4:15  assignments.s1: no folder {} - did you mean 's1_sum'?",
            "4:15  assignments.s1: 폴더 {}가 없습니다 - 혹시 's1_sum'입니까?",
            id="misspelt stem",
        ),
    ],
)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_an_exercise_without_a_suite_is_a_course_error(
    tmp_path: Path, there: str, missing: str, english: str, korean: str, language: str
) -> None:
    """It is said where in the rubric, and what was meant."""
    use_language(language)
    (tmp_path / "rubric.yaml").write_text("# a course\n" + RUBRIC_TEXT, encoding="utf-8")
    place = tmp_path / "tests" / "suites" / there
    place.parent.mkdir(parents=True)
    place.touch()

    with pytest.raises(CourseError) as refused:
        Course(tmp_path, RUBRIC).suite_files(RUBRIC.exercises["s1.add"])

    words = {"en": english, "ko": korean}[language]
    place = tmp_path / "tests" / "suites" / missing
    assert str(refused.value) == f"{tmp_path / 'rubric.yaml'}:{words.format(place)}"


def test_a_reference_is_a_file_of_the_course(tmp_path: Path) -> None:
    course = Course(write_course(tmp_path / "course"), RUBRIC)
    path = course.root / "reference" / "s1_sums.py"

    with pytest.raises(CourseError, match=r"reference/s1_sums.py: no such file. Restore it"):
        course.reference("s1_sums")
    path.parent.mkdir(exist_ok=True)
    path.touch()
    assert course.reference("s1_sums") == path


def test_hand_outs_in_english_are_beside_the_folders_of_other_languages(tmp_path: Path) -> None:
    course = Course(tmp_path, RUBRIC)

    assert course.handouts("en") == tmp_path / "assignments"
    assert course.handouts("ko") == tmp_path / "assignments" / "ko"


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        pytest.param([], (), id="nothing"),
        pytest.param(["s2.mean"], ("s2.mean",), id="slug"),
        pytest.param(["s1"], ("s1.add",), id="prefix"),
        pytest.param(["s2_means"], ("s2.mean",), id="stem"),
        pytest.param(["s2", "s1.add", "s2"], ("s1.add", "s2.mean"), id="rubric order"),
    ],
)
def test_exercises_are_selected_by_any_of_their_names(
    names: list[str], slugs: tuple[str, ...]
) -> None:
    assert select(RUBRIC, names) == slugs


def test_a_misspelt_exercise_gets_a_suggestion() -> None:
    with pytest.raises(CourseError) as refused:
        select(RUBRIC, ["s1.ad"])

    assert str(refused.value) == (
        "no exercise or assignment 's1.ad' in this course - did you mean 's1.add'?"
    )
