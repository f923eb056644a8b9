"""A notebook finds the files that it reads, wherever in the course or the kit it is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

import grader
from grader.live.data import NoDataFileError, data_file
from grader.live.notebook import trying
from grader.text.language import use_language

MISSING = (
    "There is no data/poem.txt here or further up. Copy the folder assignments/data of the course "
    "to where this notebook is, and run the cell again."
)


@pytest.fixture
def poem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of data in a course."""
    monkeypatch.setenv("LANGUAGE", "en")
    use_language("en")
    folder = tmp_path / "course" / "assignments" / "data"
    folder.mkdir(parents=True)
    (folder / "poem.txt").write_text("roses", encoding="utf-8")
    return folder / "poem.txt"


@pytest.mark.parametrize(
    "opened_in",
    [
        pytest.param("course/assignments", id="beside it"),
        pytest.param("course/assignments/ko", id="in a language's folder"),
        pytest.param("course", id="in the kit's folder, as in Colab"),
        pytest.param("course/my/own", id="in a folder of one's own inside of the course"),
    ],
)
def test_it_is_found_from(
    opened_in: str, poem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / opened_in).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / opened_in)

    assert data_file("poem.txt") == poem


def test_the_nearest_one_counts(
    poem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = poem.parents[1] / "ko" / "data" / "poem.txt"
    near.parent.mkdir(parents=True)
    near.write_text("violets", encoding="utf-8")
    monkeypatch.chdir(near.parents[1])

    assert data_file("poem.txt") == near


@pytest.mark.usefixtures("poem")
def test_where_it_is_not_one_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    with pytest.raises(NoDataFileError, match="Copy the folder"):
        data_file("poem.txt")
    with trying():
        data_file("poem.txt")

    assert capsys.readouterr().out == MISSING + "\n"


@pytest.mark.usefixtures("poem")
def test_it_speaks_the_reader_s_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGUAGE", "ko")

    with trying():
        data_file("poem.txt")

    assert capsys.readouterr().out.startswith("data/poem.txt: 이 폴더와 그 위의")


def test_a_notebook_reaches_it_by_the_package() -> None:
    assert grader.data_file is data_file
