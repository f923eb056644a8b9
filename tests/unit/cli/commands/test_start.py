"""`grader start` copies hand-outs, and never over somebody's work."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from grader.cli import cli
from tests.support.full_disk import run_on_a_small_disk
from tests.unit.samples import write_course

NAMES = ["s1_sums", "s2_means"]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    speak(monkeypatch, "C.UTF-8")
    root = write_course(tmp_path / "course")
    for name in NAMES:
        (root / "assignments" / f"{name}.ipynb").write_text("{}")
    monkeypatch.chdir(root)
    return root


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        pytest.param([], [".py"], id="default"),
        pytest.param(["--py"], [".py"], id="py"),
        pytest.param(["--ipynb"], [".ipynb"], id="ipynb"),
        pytest.param(["--both"], [".py", ".ipynb"], id="both"),
    ],
)
def test_the_hand_outs_are_copied(course: Path, options: list[str], kinds: list[str]) -> None:
    assert cli.main(["start", "work/here", *options]) == 0

    assert contents(course / "work/here") == {
        name + kind: (course / "assignments" / (name + kind)).read_bytes()
        for name in NAMES
        for kind in kinds
    }


@pytest.mark.parametrize(
    ("options", "copied"),
    [
        pytest.param(["--py"], False, id="py"),
        pytest.param(["--ipynb"], True, id="ipynb"),
        pytest.param(["--both"], True, id="both"),
    ],
)
def test_what_notebooks_read_is_copied_with_them(
    course: Path, options: list[str], copied: bool
) -> None:
    (course / "assignments" / "data").mkdir()
    (course / "assignments" / "data" / "poem.txt").write_text("roses")

    assert cli.main(["start", "work", *options]) == 0

    assert (course / "work" / "data").exists() == copied
    assert not copied or contents(course / "work" / "data") == {"poem.txt": b"roses"}


class TestInAnotherLanguage:
    @pytest.fixture
    def korean(self, course: Path) -> Path:
        folder = course / "assignments" / "ko"
        folder.mkdir()
        for name in NAMES:
            (folder / f"{name}.py").write_text("# 한국어\n")
            (folder / f"{name}.ipynb").write_text('{"ko": 1}')
        return folder

    @pytest.mark.parametrize("options", [["--lang", "ko"], ["--lang", "ko", "--ipynb"]])
    def test_the_hand_outs_in_that_language_are_copied(
        self, course: Path, korean: Path, options: list[str]
    ) -> None:
        assert cli.main(["start", "work", *options]) == 0

        copied = contents(course / "work")
        assert len(copied) == 2
        assert copied == {name: (korean / name).read_bytes() for name in copied}

    @pytest.mark.parametrize(
        ("lang", "options", "wanted"),
        [
            pytest.param("ko_KR.UTF-8", [], "ko/", id="environment"),
            pytest.param("ko_KR.UTF-8", ["--lang", "en"], "", id="option before environment"),
            pytest.param("C.UTF-8", [], "", id="none"),
        ],
    )
    def test_else_the_environment_says_which(
        self,
        course: Path,
        korean: Path,
        monkeypatch: pytest.MonkeyPatch,
        lang: str,
        options: list[str],
        wanted: str,
    ) -> None:
        speak(monkeypatch, lang)

        assert cli.main(["start", "work", *options]) == 0

        handed_out = (course / "assignments" / f"{wanted}s1_sums.py").read_bytes()
        assert contents(course / "work")["s1_sums.py"] == handed_out

    @pytest.mark.parametrize("options", [[], ["--lang", "ko"]], ids=["environment", "option"])
    def test_where_there_are_none_the_english_ones_are_copied(
        self,
        course: Path,
        options: list[str],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        speak(monkeypatch, "ko_KR.UTF-8")

        assert cli.main(["start", "work", *options]) == 0

        first, *_ = capsys.readouterr().out.splitlines()
        assert first == "참고: 이 강의에는 그 언어로 된 과제가 없습니다. 영어 과제를 복사합니다"
        english = (course / "assignments/s1_sums.py").read_bytes()
        assert contents(course / "work")["s1_sums.py"] == english

    def test_a_terminal_without_the_letters_still_gets_the_hand_outs(
        self, course: Path, korean: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        said = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        monkeypatch.setattr("sys.stdout", said)

        assert cli.main(["start", "work", "--lang", "ko"]) == 0

        said.seek(0)
        assert said.read().startswith("copied  work/s1_sums.py\n")
        handed_out = (korean / "s1_sums.py").read_bytes()
        assert contents(course / "work")["s1_sums.py"] == handed_out

    def test_an_untouched_file_in_another_language_is_told_from_an_edited_one(
        self, course: Path, korean: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        cli.main(["start", "work", "--lang", "ko"])
        (course / "work/s2_means.py").write_text("my solution")
        capsys.readouterr()

        assert cli.main(["start", "work", "--lang", "en"]) == 0

        assert capsys.readouterr().out.splitlines()[:2] == [
            "there   work/s1_sums.py, in another language; to change it, move it away",
            "kept    work/s2_means.py, which is no longer the hand-out; to start over, "
            "move it away",
        ]
        assert contents(course / "work")["s1_sums.py"] == "# 한국어\n".encode()


def speak(monkeypatch: pytest.MonkeyPatch, lang: str) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", lang)


@pytest.mark.parametrize(
    ("option", "next_step"),
    [
        ("--py", "next: open work/s1_sums.py, write your solution, then run: grader check work"),
        (
            "--both",
            "next: open work/s1_sums.py or work/s1_sums.ipynb, write your solution, "
            "then run: grader check work",
        ),
    ],
)
def test_it_says_what_to_do_next(
    course: Path, option: str, next_step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main(["start", "work", option])

    *copied, last = capsys.readouterr().out.splitlines()
    assert copied[0] == "copied  work/s1_sums.py"
    assert last == next_step


def test_the_course_that_was_named_is_in_the_next_command(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(course.parent)

    assert cli.main(["start", "my work", "--course", "course"]) == 0
    assert capsys.readouterr().out.endswith("grader check 'my work' --course course\n")


def test_an_edited_file_is_kept_and_the_others_are_copied(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = course / "work"
    work.mkdir()
    (work / "s1_sums.py").write_text("my solution")

    assert cli.main(["start", "work"]) == 0

    assert contents(work) == {
        "s1_sums.py": b"my solution",
        "s2_means.py": (course / "assignments/s2_means.py").read_bytes(),
    }
    assert capsys.readouterr().out.splitlines()[:2] == [
        "kept    work/s1_sums.py, which is no longer the hand-out; to start over, move it away",
        "copied  work/s2_means.py",
    ]


def test_starting_twice_changes_nothing(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["start", "work"])
    before = contents(course / "work")
    capsys.readouterr()

    assert cli.main(["start", "work"]) == 0
    assert contents(course / "work") == before
    assert capsys.readouterr().out.startswith("there   work/s1_sums.py\n")


def test_a_full_disk_leaves_no_half_of_a_file(course: Path) -> None:
    """A half would count as there, and as edited. Before the big one, two fit on this disk."""
    (course / "assignments/s2_means.py").write_text("# a long text\n" * 10_000)
    disk = course / "work"
    disk.mkdir()

    done, files = run_on_a_small_disk(
        [sys.executable, "-m", "grader", "start", "work", "--both"], disk, kib=64
    )

    assert done.returncode == 2
    assert done.stderr == (
        "Error: work/s2_means.py: not written, because the disk is full. "
        "Free some space, then run this again.\n"
    )
    assert files == {
        name: (course / "assignments" / name).stat().st_size
        for name in ("s1_sums.py", "s1_sums.ipynb")
    }


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        pytest.param("rubric.yaml/work", "rubric.yaml exists and is not a folder", id="a file"),
        pytest.param("/sys/work", "Name a folder that you may write to", id="not allowed"),
    ],
)
def test_a_folder_that_cannot_be_had_is_one_line(
    course: Path, capsys: pytest.CaptureFixture[str], folder: str, says: str
) -> None:
    assert cli.main(["start", folder]) == 2

    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"Error: {folder}: ")
    assert says in line


def test_a_link_is_not_written_through(course: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (course / "work").mkdir()
    (course / "work/s1_sums.py").symlink_to(tmp_path / "precious")
    (course / "work/s2_means.py").symlink_to(tmp_path / "nowhere")

    cli.main(["start", "work"])

    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


def test_a_missing_hand_out_is_the_courses_mistake(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "assignments/s2_means.ipynb").unlink()

    assert cli.main(["start", "work", "--ipynb"]) == 2
    assert "Generate it: grader stubs" in capsys.readouterr().err
    assert not (course / "work").exists()


ASKING = """\
written:
  s1.why: {points: 2, question: Why?}
"""


@pytest.mark.parametrize(
    ("options", "copied"),
    [([], True), (["--ipynb"], False), (["--both"], True)],
    ids=["py", "ipynb", "both"],
)
def test_the_file_for_answers_goes_with_py_files(
    course: Path, options: list[str], copied: bool
) -> None:
    with (course / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(ASKING)
    (course / "assignments" / "answers.md").write_text("# Written answers\n")

    assert cli.main(["start", "work", *options]) == 0

    assert ("answers.md" in contents(course / "work")) is copied


def test_a_missing_file_for_answers_is_told(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (course / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(ASKING)

    assert cli.main(["start", "work"]) == 2

    assert "assignments/answers.md: no such file. Generate it: grader stubs" in (
        capsys.readouterr().err
    )
