"""What is sealed is what grading needs; the parent process gets rules and words, and no code."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from grader.cli.cli import main
from grader.course.course import Course, CourseError, find_course
from grader.course.explanations import Explanations, load_explanations
from grader.release.sealing import files_to_seal, sealed_course
from grader.sealed.ciphers import new_key
from grader.sealed.key import KEY_FILE_VARIABLE
from grader.sealed.memory_path import opened_file
from grader.sealed.refusal import SealedError
from grader.text.language import use_language

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests" / "toy_course"
KEY = new_key()
TODAY = date(2026, 11, 1)
LAST_DAY = date(2027, 6, 30)


@pytest.fixture
def toy(tmp_path: Path) -> Course:
    shutil.copytree(TOY, tmp_path / "toy")
    return find_course(tmp_path / "toy")


def test_code_is_in_no_outline() -> None:
    outline, rest = files_to_seal(ROOT)
    kinds = {Path(name).suffix for name in outline}
    assert kinds == {".yaml", ".toml", ".mo", ".md", ".diff"}
    assert {Path(name).suffix for name in rest} >= {".py", ".diff", ".json"}
    assert {name.split("/")[0] for name in {**outline, **rest}} == {
        "rubric.yaml", "reference", "tests"
    }  # fmt: skip


def test_the_parent_reads_the_words_of_mistakes_and_none_of_their_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "course.sealed"
    file.write_bytes(sealed_course(find_course(ROOT), KEY, LAST_DAY, TODAY))
    monkeypatch.setenv("GRADER_COURSE_KEY", KEY.grading.text)
    opened, sealed = find_course(ROOT), find_course(file)
    theirs, ours = (load_explanations(one.root, one.rubric) for one in (opened, sealed))

    assert len(ours.entries) > 100
    assert without_edits(ours) == without_edits(theirs)
    assert len(code_in(theirs)) > 100
    assert code_in(ours) <= {"-", "+", " "}


def code_in(explanations: Explanations) -> set[str]:
    edits = [edit for entry, _slug in explanations.entries.values() for edit in entry.edits]
    return {line for edit in edits for line in edit.lines}


def without_edits(explanations: Explanations) -> Explanations:
    return replace(
        explanations,
        entries={
            name: (replace(entry, edits=()), slug)
            for name, (entry, slug) in explanations.entries.items()
        },
    )


def test_caches_are_left_out(toy: Course) -> None:
    before = files_to_seal(toy.root)
    cache = toy.root / "reference" / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "f1_filters.cpython-311.pyc").write_bytes(b"compiled")
    assert files_to_seal(toy.root) == before


def test_a_course_is_sealed_to_the_same_bytes_wherever_it_lies(toy: Course) -> None:
    first = sealed_course(toy, KEY, LAST_DAY, TODAY)
    assert sealed_course(find_course(TOY), KEY, LAST_DAY, TODAY) == first
    assert sealed_course(toy, KEY, date(2027, 7, 1), TODAY) != first


def test_a_course_that_is_not_complete_is_not_sealed(toy: Course) -> None:
    (toy.root / "reference" / "f2_learned.py").unlink()
    with pytest.raises(CourseError, match=r"f2_learned\.py: no such file"):
        sealed_course(toy, KEY, LAST_DAY, TODAY)


def test_a_day_that_is_over_is_refused_in_both_languages(toy: Course) -> None:
    with pytest.raises(SealedError) as error:
        sealed_course(toy, KEY, date(2026, 10, 31), TODAY)
    assert str(error.value) == (
        "2026-10-31 is over: name the last day on which the course is used (UTC)"
    )
    use_language("ko")
    with pytest.raises(SealedError) as korean:
        sealed_course(toy, KEY, date(2026, 10, 31), TODAY)
    assert str(korean.value).startswith("2026-10-31")
    assert str(korean.value) != str(error.value)


def test_keys_are_made_a_course_is_sealed_and_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys, sealed = tmp_path / "toy", tmp_path / "toy.sealed"
    author, grading = tmp_path / "toy.author.key", tmp_path / "toy.grading.key"

    assert main(["release", "--new-key", str(keys)]) == 0
    assert {path.stat().st_mode & 0o777 for path in (author, grading)} == {0o600}
    words = ["--key", str(author), "--expires", "2099-12-31", "--course", str(TOY)]
    assert main(["release", "--sealed", str(sealed), *words]) == 0
    out = capsys.readouterr().out
    assert f"wrote {author}: seals the course; keep it, and keep it to yourself\n" in out
    assert f"wrote {sealed}: 3 exercises, to be used until 2099-12-31 (UTC), opened by" in out
    assert f"next: {KEY_FILE_VARIABLE}={grading} " in out
    secrets = [path.read_text("ascii").strip() for path in (author, grading)]
    assert not any(secret in out for secret in secrets)

    monkeypatch.setenv(KEY_FILE_VARIABLE, str(grading))
    course = find_course(sealed)
    opened = opened_file(course.root)
    assert opened is not None and opened.course.expires == date(2099, 12, 31)
    assert course.rubric == find_course(TOY).rubric


def test_a_key_is_never_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grading = tmp_path / "toy.grading.key"
    grading.write_text("old", encoding="ascii")
    assert main(["release", "--new-key", str(tmp_path / "toy")]) == 2
    assert "is there already, and a key is never replaced" in capsys.readouterr().err
    assert grading.read_text(encoding="ascii") == "old"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param([], "name one of --out KIT, --sealed FILE and --new-key NAME", id="nothing"),
        pytest.param(["--sealed", "x"], "--sealed goes with --key FILE and", id="no key"),
        pytest.param(["--sealed", "x", "--new-key", "y"], "name one of", id="both"),
        pytest.param(
            ["--sealed", "x", "--key", "no.key", "--expires", "2099-01-01"],
            "no.key: the key cannot be read: No such file",
            id="no such key",
        ),
    ],
)
def test_a_slip_on_the_command_line_is_named(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("key", ["", KEY.grading.text], ids=["without a key", "with a key"])
def test_a_file_that_is_no_sealed_course_is_refused(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has named `rubric.yaml` needs its folder, and no key."""
    file = tmp_path / "file"
    file.write_bytes(b"no course")
    monkeypatch.setenv("GRADER_COURSE_KEY", key)
    with pytest.raises(CourseError, match="this file is no sealed course"):
        find_course(file)
