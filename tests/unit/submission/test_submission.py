"""Submissions are read robustly: nothing is followed, nothing hangs, nothing is too much."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from grader.submission import collection
from grader.submission import submission as module
from grader.submission.collection import LIMIT_ANSWER_BYTES
from grader.submission.submission import SubmissionError, digest_of, read_submission
from tests.support.archives import zipped


def test_a_folder_gives_its_code_files_sorted_with_posix_paths(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "more.py").write_bytes(b"b = 2\n")
    (tmp_path / "a1.py").write_bytes(b"a = 1\n")
    (tmp_path / "NOTES.IPYNB").write_bytes(b"{}")
    (tmp_path / "photo.png").write_bytes(b"not code")

    read = read_submission(tmp_path)

    assert list(read.files.items()) == [
        ("NOTES.IPYNB", b"{}"),
        ("a1.py", b"a = 1\n"),
        ("part/more.py", b"b = 2\n"),
    ]
    assert read.id == tmp_path.name
    assert read.path == str(tmp_path)
    assert read.digest == digest_of(read.files)
    assert read.skipped == ()


def test_a_single_file_is_a_submission(tmp_path: Path) -> None:
    (tmp_path / "a1_attention.py").write_bytes(b"x = 1\n")
    (tmp_path / "other.py").write_bytes(b"y = 2\n")

    read = read_submission(tmp_path / "a1_attention.py")

    assert dict(read.files) == {"a1_attention.py": b"x = 1\n"}
    assert read.id == "a1_attention"


@pytest.mark.parametrize(
    "folder", [".git", ".venv", "__pycache__", ".ipynb_checkpoints", "__MACOSX", "venv"]
)
def test_folders_that_tools_make_are_not_part_of_a_submission(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "a1.py").write_bytes(b"stale = 1\n")
    (tmp_path / "a1.py").write_bytes(b"x = 1\n")

    assert list(read_submission(tmp_path).files) == ["a1.py"]


def test_when_a_file_was_changed_is_known_and_no_part_of_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    os.utime(tmp_path / "a.py", (5.0, 1_000.5))
    before = read_submission(tmp_path)
    os.utime(tmp_path / "a.py", (5.0, 2_000.0))
    after = read_submission(tmp_path)

    assert (before.modified, after.modified) == ({"a.py": 1_000.5}, {"a.py": 2_000.0})
    assert before.digest == after.digest


def test_a_link_to_a_file_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_bytes(b"key = 1\n")
    folder = tmp_path / "student-001"
    folder.mkdir()
    (folder / "a1.py").write_bytes(b"x = 1\n")
    (folder / "a2.py").symlink_to(secret)

    read = read_submission(folder)

    assert list(read.files) == ["a1.py"]
    assert read.skipped == ("a2.py is a symbolic link: not read. Hand in the file itself.",)


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a2.py").write_bytes(b"key = 1\n")
    folder = tmp_path / "student-001"
    folder.mkdir()
    (folder / "a1.py").write_bytes(b"x = 1\n")
    (folder / "inside").symlink_to(tmp_path / "elsewhere")

    assert list(read_submission(folder).files) == ["a1.py"]


def test_a_file_that_becomes_a_link_after_it_was_looked_at_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_bytes(b"key = 1\n")
    folder = tmp_path / "student-001"
    folder.mkdir()
    (folder / "a1.py").write_bytes(b"x = 1\n")
    (folder / "a2.py").symlink_to(tmp_path / "secret.txt")
    regular = (folder / "a1.py").lstat().st_mode
    monkeypatch.setattr(module, "_kind", lambda entry, descriptor: regular)

    read = read_submission(folder)

    assert list(read.files) == ["a1.py"]
    assert read.skipped == (
        "a2.py cannot be opened (Too many levels of symbolic links): not read.",
    )


def test_a_submission_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "student-001").mkdir()
    (tmp_path / "student-002").symlink_to(tmp_path / "student-001")

    with pytest.raises(SubmissionError, match=r"student-002: a symbolic link, and links are not"):
        read_submission(tmp_path / "student-002")


def test_a_pipe_does_not_hang_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a1.py")

    with pytest.raises(SubmissionError) as refused:
        read_submission(tmp_path)

    assert str(refused.value) == (
        f"{tmp_path}: no .py or .ipynb file that can be read.\n"
        "  a1.py is not a regular file: not read. Hand in the file itself.\n"
        "Hand in the assignment's own file, a .py or .ipynb."
    )


def test_a_file_that_becomes_a_pipe_after_it_was_looked_at_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a1.py").write_bytes(b"x = 1\n")
    os.mkfifo(tmp_path / "a2.py")
    regular = (tmp_path / "a1.py").lstat().st_mode
    monkeypatch.setattr(module, "_kind", lambda entry, descriptor: regular)

    assert read_submission(tmp_path).skipped == (
        "a2.py is not a regular file: not read. Hand in the file itself.",
    )


def test_too_large_a_file_is_skipped_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "LIMIT_FILE_BYTES", 1 << 20)
    (tmp_path / "a1.py").write_bytes(b"x = 1\n")
    (tmp_path / "a2.ipynb").write_bytes(b" " * ((1 << 20) + 1))

    read = read_submission(tmp_path)

    assert list(read.files) == ["a1.py"]
    assert read.skipped == ("a2.ipynb is larger than 1 MiB: not read. Clear its outputs.",)


def test_a_file_of_exactly_the_limit_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "LIMIT_FILE_BYTES", 1 << 20)
    (tmp_path / "a1.py").write_bytes(b" " * (1 << 20))

    assert read_submission(tmp_path).files == {"a1.py": b" " * (1 << 20)}


@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        pytest.param("LIMIT_FILES", 2, "more than 2 code files", id="files"),
        pytest.param("LIMIT_ENTRIES", 2, "more than 2 files and folders", id="entries"),
        pytest.param("LIMIT_TOTAL_BYTES", 1 << 20, "more than 1 MiB of code files", id="bytes"),
    ],
)
def test_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, says: str
) -> None:
    monkeypatch.setattr(collection, limit, value)
    for name in ("a1.py", "a2.py", "a3.py"):
        (tmp_path / name).write_bytes(b" " * (1 << 19))

    with pytest.raises(SubmissionError, match=says):
        read_submission(tmp_path)


def test_folders_are_not_entered_without_end(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghij")
    deep.mkdir(parents=True)
    (deep / "a1.py").write_bytes(b"x = 1\n")
    (tmp_path / "a2.py").write_bytes(b"x = 1\n")

    read = read_submission(tmp_path)

    assert list(read.files) == ["a2.py"]
    assert read.skipped == ("a/b/c/d/e/f/g/h/i is more than 8 folders deep: not read.",)


def test_names_are_nfc(tmp_path: Path) -> None:
    name = "과제.py"
    (tmp_path / unicodedata.normalize("NFD", name)).write_bytes(b"x = 1\n")

    assert list(read_submission(tmp_path).files) == [name]


def test_two_spellings_of_one_name_keep_the_first(tmp_path: Path) -> None:
    for form in ("NFD", "NFC"):
        (tmp_path / unicodedata.normalize(form, "é.py")).write_bytes(form.encode())

    read = read_submission(tmp_path)

    assert dict(read.files) == {"é.py": b"NFD"}
    assert read.skipped == (
        "é.py is there twice, in two spellings of one name: only the first was read.",
    )


@pytest.mark.parametrize(
    ("name", "line"),
    [
        pytest.param(
            b"a1\x1b[2J.py",
            r"'a1\x1b[2J.py' has invisible characters in its name: not read. Rename it.",
            id="escape",
        ),
        pytest.param(
            "a1\u202eyp.py".encode(),
            r"'a1\u202eyp.py' has invisible characters in its name: not read. Rename it.",
            id="right-to-left",
        ),
        pytest.param(
            b"a1\xff.py",
            r"'a1\udcff.py' has invisible characters in its name: not read. Rename it.",
            id="not-utf-8",
        ),
        pytest.param(
            b"a\\b.py",
            "a\\b.py has a backslash in its name: not read. Rename it.",
            id="backslash",
        ),
    ],
)
def test_names_that_would_lie_are_skipped(tmp_path: Path, name: bytes, line: str) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"x = 1\n")
    (tmp_path / "z.py").write_bytes(b"x = 1\n")

    read = read_submission(tmp_path)

    assert list(read.files) == ["z.py"]
    assert read.skipped == (line,)


def test_a_path_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"nowhere: no such file or folder. Check the spell"):
        read_submission(tmp_path / "nowhere")


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "essay.docx").write_bytes(b"x")

    with pytest.raises(SubmissionError, match=r"essay.docx is a document, and only code is graded"):
        read_submission(tmp_path / "essay.docx")


def test_the_digest_tells_names_from_contents() -> None:
    assert digest_of({"ab": b"c"}) != digest_of({"a": b"bc"})
    assert digest_of({"a": b"1", "b": b"2"}) == digest_of({"b": b"2", "a": b"1"})
    assert len(digest_of({})) == 64


def test_written_answers_are_read_and_are_no_code(tmp_path: Path) -> None:
    (tmp_path / "a1.py").write_bytes(b"x = 1\n")
    without = read_submission(tmp_path)
    (tmp_path / "answers.md").write_bytes(b"one")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "student-001_Answers (2).TXT").write_bytes(b"two")
    (tmp_path / "README.md").write_bytes(b"three")

    found = read_submission(tmp_path)

    assert found.answers == {"answers.md": b"one", "deep/student-001_Answers (2).TXT": b"two"}
    assert (found.files, found.digest) == (without.files, without.digest)


def test_answers_alone_are_a_submission(tmp_path: Path) -> None:
    (tmp_path / "answers.md").write_bytes(b"one")

    found = read_submission(tmp_path)

    assert (found.files, found.answers) == ({}, {"answers.md": b"one"})


def test_too_long_answers_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a1.py").write_bytes(b"x = 1\n")
    (tmp_path / "answers.md").write_bytes(b"a" * (LIMIT_ANSWER_BYTES + 1))

    found = read_submission(tmp_path)

    assert found.answers == {}
    assert found.skipped == ("answers.md is larger than 1 MiB: not read. Shorten it.",)


def test_a_link_to_answers_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"canary")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a1.py").write_bytes(b"x = 1\n")
    (folder / "answers.md").symlink_to(tmp_path / "secret")

    found = read_submission(folder)

    assert found.answers == {}
    assert found.skipped == ("answers.md is a symbolic link: not read. Hand in the file itself.",)


def test_answers_in_an_archive_are_read(tmp_path: Path) -> None:
    files = {"work/a1.py": b"x = 1\n", "work/answers.md": b"one"}
    (tmp_path / "work.zip").write_bytes(zipped(files))

    assert read_submission(tmp_path / "work.zip").answers == {"answers.md": b"one"}


def put(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(b"x = 1\n")
    return folder


DOCUMENT = "is a document, and only code is graded. Hand in the .py or .ipynb file."


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("homework.pdf", DOCUMENT),
        ("과제.hwp", DOCUMENT),
        ("a1.docx", DOCUMENT),
        ("a1.txt", DOCUMENT),
        ("photo.JPG", DOCUMENT),
        ("a1_attention.py.txt", "is not read under this name. Rename it to a1_attention.py."),
        ("a1.ipynb.json", "is not read under this name. Rename it to a1.ipynb."),
        (
            "a1_attention",
            "has no ending, and only .py and .ipynb files are graded. Rename it if it is one.",
        ),
        ("model.pt", "is not graded: only .py and .ipynb files are."),
    ],
)
def test_what_cannot_be_graded_is_named_with_a_reason(tmp_path: Path, name: str, why: str) -> None:
    """Alone in a folder, and given by itself."""
    folder = put(tmp_path / "student-001", name)

    with pytest.raises(SubmissionError) as in_folder:
        read_submission(folder)
    with pytest.raises(SubmissionError) as alone:
        read_submission(folder / name)

    assert f"\n  {name} {why}\n" in str(in_folder.value)
    assert str(alone.value) == f"{folder / name} {why}"


def test_beside_code_only_what_may_be_an_answer_is_told(tmp_path: Path) -> None:
    names = ("a1.py", "answers.md", "essay.pdf", "plot.png", "README.md", "data.csv", "a2.py.txt")

    read = read_submission(put(tmp_path / "student-001", *names))

    assert list(read.files) == ["a1.py"]
    assert list(read.answers) == ["answers.md"]
    assert read.set_aside == (f"essay.pdf {DOCUMENT}",)
    assert read.skipped == ("a2.py.txt is not read under this name. Rename it to a2.py.",)
