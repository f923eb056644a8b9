"""Whatever is handed in, nothing but the student's own bytes is read, soon, and then graded."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from grader.grade.evidence import Outcome
from grader.submission.submission import SubmissionError, read_submission
from tests.attack.arena import CANARY, Arena, arena, canary, leaked
from tests.attack.intake import FOLDERS, Folder
from tests.attack.test_attacks import pytestmark as pytestmark

LIMIT_S = 20.0


@pytest.fixture(scope="module")
def place() -> object:
    with arena("full") as found:
        yield found


def made(attack: Folder, root: Path) -> tuple[Path, str]:
    """The folder on disk and the secret beside it."""
    secret, folder = root / "secret" / "test_secret.py", root / "student-001"
    text = canary("suite")
    secret.parent.mkdir()
    secret.write_text(f"SECRET = {text!r}\n", encoding="utf-8")
    folder.mkdir()
    attack.make(folder, secret)
    for path in folder.rglob("*.ipynb"):
        path.write_text(path.read_text().replace("@SECRET@", str(secret)))
    return folder, text


@pytest.mark.parametrize("attack", FOLDERS, ids=lambda attack: attack.id)
def test_only_the_students_own_bytes_are_read_and_earn_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Arena, attack: Folder
) -> None:
    monkeypatch.setenv("GRADER_COURSE_TOKEN", canary("environment"))
    folder, _ = made(attack, tmp_path)
    started = time.monotonic()
    try:
        submission = read_submission(folder)
    except SubmissionError as error:
        assert CANARY.findall(str(error)) == []
    else:
        assert CANARY.findall(repr(submission)) == []
        result = place._grade(submission)
        assert {row.outcome for row in result.observations} <= {
            Outcome.FAILED, Outcome.NOT_ATTEMPTED, Outcome.STUDENT_ERROR,
        }  # fmt: skip
        assert leaked(place.outputs(result)) == []
        honest = place._grade(place._honest())
        assert {row.outcome for row in honest.observations} == {Outcome.PASSED}
    assert place.leftovers.found(place.engine) == []
    assert time.monotonic() - started < LIMIT_S


@pytest.mark.parametrize("attack", [a for a in FOLDERS if a.steals], ids=lambda attack: attack.id)
def test_a_reader_that_follows_links_reads_the_secret(tmp_path: Path, attack: Folder) -> None:
    folder, secret = made(attack, tmp_path)
    read = b"".join(path.read_bytes() for path in folder.iterdir())
    wanted = secret.encode() if "process" not in attack.id else b"PATH="
    assert wanted in read
    assert os.environ["PATH"]
