"""Files that Python or pytest would take for theirs are never graded, and named to the student."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.engine.job import job_for
from grader.submission.set_aside import STACK, why_set_aside
from grader.submission.submission import SubmissionError, digest_of, read_submission
from grader.worker.loading.source.module_map import AVAILABLE
from tests.support.archives import zipped


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("conftest.py", "would run it unasked"),
        ("part/CONFTEST.py", "would run it unasked"),
        ("sitecustomize.py", "would run it unasked"),
        ("usercustomize.py", "would run it unasked"),
        ("evil.pth", "changes what Python imports"),
        ("pytest.ini", "settings of a project"),
        ("tox.ini", "settings of a project"),
        ("setup.cfg", "settings of a project"),
        ("pyproject.toml", "settings of a project"),
        ("rubric.yaml", "never graded by its own course"),
        ("a1_attention.pyc", "only source is graded"),
        ("a1_attention.cpython-311-x86_64-linux-gnu.so", "only source is graded"),
        ("torch.py", "hides the real torch. Rename it, for instance to my_torch.py"),
        ("src/Torch.PY", "hides the real torch"),
        ("numpy/__init__.py", "hides the real numpy"),
        ("einops.py", "hides the real einops"),
        ("pytest.py", "hides the real pytest"),
    ],
)
def test_what_is_set_aside(name: str, says: str) -> None:
    why = why_set_aside(name)
    assert why is not None and says in why


@pytest.mark.parametrize(
    "name",
    ["a1_attention.py", "utils.py", "my_torch.py", "torch/a1_attention.py", "torch.ipynb",
     "setup.py", "code.py", "notes.txt", "test_mine.py"],
)  # fmt: skip
def test_what_is_not(name: str) -> None:
    assert why_set_aside(name) is None


def test_every_package_that_a_submission_may_import_is_guarded() -> None:
    assert AVAILABLE <= STACK


BAD = {"conftest.py": b"boom", "torch.py": b"boom", "pytest.ini": b"[pytest]", "x.so": b"\x7fELF"}


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_set_aside_files_are_told_and_neither_hashed_nor_sent(tmp_path: Path, packed: bool) -> None:
    good = {"a1_attention.py": b"x = 1\n"}
    place = tmp_path / ("s.zip" if packed else "s")
    if packed:
        place.write_bytes(zipped({**good, **BAD}))
    else:
        place.mkdir()
        for name, content in {**good, **BAD}.items():
            (place / name).write_bytes(content)

    found = read_submission(place)

    assert (found.files, found.digest, found.skipped) == (good, digest_of(good), ())
    assert [line.split()[0] for line in found.set_aside] == sorted(BAD)
    assert job_for(found, ["a1_attention"]).files == good


def test_a_submission_of_such_files_alone_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_bytes(b"x = 1\n")
    with pytest.raises(SubmissionError, match=r"torch\.py is set aside: a file of this name hides"):
        read_submission(tmp_path)


def test_data_that_notebooks_read_is_no_answer(tmp_path: Path) -> None:
    """The hand-outs lie beside the data of their notebooks: nobody is told to hand in code."""
    (tmp_path / "data").mkdir()
    (tmp_path / "a1_attention.py").write_text("", encoding="utf-8")
    for name in ("data/SOURCES.md", "data/poem.txt", "poem.txt"):
        (tmp_path / name).write_text("Roses are red.\n", encoding="utf-8")

    [note] = read_submission(tmp_path).set_aside

    assert note.startswith("poem.txt is a document")
