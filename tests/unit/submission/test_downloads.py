"""Downloads of Canvas and Moodle are told apart by student; nothing else is taken for one."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from grader.submission.downloads import CANVAS, MOODLE, PLAIN, hand_ins, recognise
from grader.submission.submission import SubmissionError, read_parts

STEMS = ("a1_attention", "a2_masking")


def made(folder: Path, *names: str) -> list[Path]:
    """Files, and folders whose names end in `/`; a file holds its own name."""
    folder.mkdir(exist_ok=True)
    for name in names:
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {name}\n", encoding="utf-8")
    return sorted(folder.iterdir())


def told_apart(paths: list[Path], layout: str) -> dict[str, list[str]]:
    found, others = hand_ins(paths, layout, STEMS)
    assert others == ()
    return {one.id: [part.name for part in one.parts] for one in found}


def test_a_download_from_canvas(tmp_path: Path) -> None:
    paths = made(
        tmp_path,
        "studentone_12345_900_a1_attention.py",
        "studentone_12345_901_a2_masking-1.py",
        "studenttwo_LATE_22222_777_my_attention_2.ipynb",
        "홍길동_33333_555_a1_attention.py",
        "anon_x8Yz_31_a1_attention.py",
        "studentfour_44444_text.html",
    )

    assert recognise(paths, STEMS) == CANVAS
    assert told_apart(paths, CANVAS) == {
        "anon_x8Yz": ["a1_attention.py"],
        "studentfour_44444": ["text.html"],
        "studentone_12345": ["a2_masking.py", "a1_attention.py"],
        "studenttwo_22222": ["my_attention_2.ipynb"],
        "홍길동_33333": ["a1_attention.py"],
    }
    late = [one.id for one in hand_ins(paths, CANVAS, STEMS)[0] if one.late]
    assert late == ["studenttwo_22222"]


def test_names_of_a_mac_are_the_same_names(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "홍길동_33333_555_a1_attention.py")
    [one] = hand_ins(made(tmp_path, decomposed), CANVAS)[0]
    assert one.id == "홍길동_33333"


@pytest.mark.parametrize("end", ["_assignsubmission_file_/", "_assignsubmission_file/"])
def test_a_download_from_moodle_with_folders(tmp_path: Path, end: str) -> None:
    paths = made(tmp_path, f"Student One_4711{end}", f"홍 길동_4712{end}", f"Participant_9{end}")

    assert recognise(paths) == MOODLE
    assert told_apart(paths, MOODLE) == {
        "Participant_9": [""],
        "Student One_4711": [""],
        "홍 길동_4712": [""],
    }


def test_a_download_from_moodle_without_folders(tmp_path: Path) -> None:
    paths = made(
        tmp_path,
        "Student One_4711_assignsubmission_file_a1_attention.py",
        "Student One_4711_assignsubmission_file_a2_masking.ipynb",
        "Student Two_4712_assignsubmission_file_hw.zip",
    )

    assert recognise(paths) == MOODLE
    assert told_apart(paths, MOODLE) == {
        "Student One_4711": ["a1_attention.py", "a2_masking.ipynb"],
        "Student Two_4712": ["hw.zip"],
    }


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["student-001/", "student-002/"], id="folders"),
        pytest.param(["student-001.py", "student_002.ipynb"], id="files"),
        pytest.param(["s_12345_900_a.py", "student-002.py"], id="one of them is no download's"),
        pytest.param(["s_12345_900_a.py", "t_12346_900_a.py"], id="one number for two files"),
        pytest.param(["s_12345_900_a.py/"], id="a folder with a file's name"),
        pytest.param(["Student_4711_assignsubmission_file"], id="a file with a folder's name"),
        pytest.param([], id="nothing"),
    ],
)
def test_anything_else_is_plain(tmp_path: Path, names: list[str]) -> None:
    assert recognise(made(tmp_path / "class", *names)) == PLAIN


def test_who_names_the_layout_is_told_what_does_not_fit(tmp_path: Path) -> None:
    paths = made(tmp_path, "s_12345_900_a.py", "notes.py")
    found, others = hand_ins(paths, CANVAS)
    assert ([one.id for one in found], [path.name for path in others]) == (
        ["s_12345"],
        ["notes.py"],
    )


def test_the_newer_of_two_files_of_one_name_is_read(tmp_path: Path) -> None:
    paths = made(tmp_path, "s_1_99_a1_attention.py", "s_1_100_a1_attention-1.py")
    [one] = hand_ins(paths, CANVAS, STEMS)[0]

    read = read_parts(((part.name, part.path) for part in one.parts), one.id, tmp_path / one.id)

    assert read.files == {"a1_attention.py": b"# s_1_100_a1_attention-1.py\n"}
    assert ["is there twice" in line for line in read.skipped] == [True]


def test_parts_are_read_like_a_folder(tmp_path: Path) -> None:
    [path, link] = made(tmp_path / "x", "s_1_2_a.py", "s_1_3_b.py")
    link.unlink()
    link.symlink_to(path)

    read = read_parts([("a.py", path), ("b.py", link)], "s_1", tmp_path / "s_1")

    assert (read.id, list(read.files), read.path) == ("s_1", ["a.py"], str(tmp_path / "s_1"))
    assert "symbolic link" in read.skipped[0]
    with pytest.raises(SubmissionError, match=r"s_1: no \.py or \.ipynb file"):
        read_parts([("text.html", path)], "s_1", tmp_path / "s_1")
