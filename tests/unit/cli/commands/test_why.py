"""The evidence for every lost point of a student, for those who must defend it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.evidence import Loss, LostCheck, NamedCause
from grader.cli import cli
from grader.cli.commands.batch import run as grade
from grader.cli.commands.why import evidence_in_words
from grader.grade.evidence import Outcome
from tests.unit.cli.commands.test_regrade import KNOWN, batch, change_suites
from tests.unit.samples import SampleGrader, write_course


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = write_course(tmp_path / "course")
    monkeypatch.chdir(made)
    (made / "reference").mkdir()
    for number, outcome in (("001", "passed"), ("002", "failed")):
        place = made / "class" / f"student-{number}"
        place.mkdir(parents=True)
        (place / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    (made / "class" / "student-003.pdf").write_bytes(b"%PDF")
    batch(made)
    return made


def why(*words: str) -> int:
    return cli.main(["why", *words, "--in", "out"])


def test_every_lost_point_has_its_evidence(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert why("student-002", "s1.add") == 0
    assert capsys.readouterr().out == (
        "student-002  s1.add  0 of 3.5\n"
        "\n"
        "causes:\n"
        f"  {KNOWN.id}, 2 checks of s1.add/shapes, s1.add/outputs: {KNOWN.text}\n"
        "\n"
        "s1.add/shapes  0 of 1\n"
        "  failed  test_shape: Title of s1.add/shapes/test_shape.\n"
        f"      cause: {KNOWN.id}, gives these numbers on 3 of 3\n"
        "\n"
        "s1.add/outputs  0 of 2.5\n"
        "  failed  test_sum: Title of s1.add/outputs/test_sum.\n"
        f"      cause: {KNOWN.id}, gives these numbers on 3 of 3\n"
        "\n"
        f"to grade it again: grader check {root / 'class' / 'student-002'} --only s1.add\n"
    )


def lost_check(name: str, title: str, observed: str, fits: int = 9) -> LostCheck:
    facts = (("observed", observed), ("where", "a.py:16"))
    cause = NamedCause("add.minus", "Subtracted.", fits, 9)
    return LostCheck(name, title, Outcome.FAILED, facts, (cause,))


def test_what_all_checks_of_a_criterion_share_is_said_once() -> None:
    checks = (
        lost_check("test_sums[small]", "Sums are right.", "off by 1"),
        lost_check("test_sums[large]", "Sums are right.", "off by 2"),
        lost_check("test_negative", "Below zero too.", "off by 2"),
    )
    lost = Loss("s1.add/outputs", Fraction(1), Fraction(4), checks)
    assert "\n".join(evidence_in_words([lost])) == (
        "\n"
        "s1.add/outputs  1 of 4\n"
        "  of each of these 3 checks:\n"
        "      where: a.py:16\n"
        "      cause: add.minus, gives these numbers on 9 of 9\n"
        "  failed  test_sums[small]: Sums are right.\n"
        "      observed: off by 1\n"
        "  failed  test_sums[large]\n"
        "      observed: off by 2\n"
        "  failed  test_negative: Below zero too.\n"
        "      observed: off by 2"
    )


def test_what_one_check_has_of_its_own_stays_with_it() -> None:
    checks = (
        lost_check("test_one", "One.", "off by 1"),
        lost_check("test_two", "Two.", "off by 2", fits=3),
    )
    lines = [*evidence_in_words([Loss("s1.add/outputs", Fraction(1), Fraction(4), checks)])]
    assert lines.count("      cause: add.minus, gives these numbers on 9 of 9") == 1
    assert lines.count("      cause: add.minus, gives these numbers on 3 of 9") == 1
    assert lines.index("      where: a.py:16") < lines.index("  failed  test_one: One.")


def test_who_lost_nothing_has_nothing_to_show(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert why("student-001") == 0
    assert capsys.readouterr().out.splitlines()[0] == "student-001  6.5 of 6.5"
    assert why("student-001", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["losses"] == []


def test_earlier_results_and_points_by_hand_are_told(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    batch(root, SampleGrader())
    cli.main(["adjust", "out", "student-002", "2", "--reason", "ill", "--by", "TA 1"])
    capsys.readouterr()
    assert why("student-002") == 0
    out = capsys.readouterr().out
    assert "  +2 beside the checks: ill, TA 1\n" in out
    assert out.count("  0 points  python ") == 2


def test_who_has_no_points_is_told_why(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert why("student-003") == 0
    assert capsys.readouterr().out.startswith("student-003: no points: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("student-00l",), "student-00l: nobody of that name in out - did you mean 'student-003'?"),
        (("student-001", "s1.ad"), "s1.ad: not graded for student-001 - did you mean 's1.add'?"),
    ],
)
def test_a_misspelt_name_is_told(
    root: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    capsys.readouterr()
    assert why(*words) == 2
    assert message in capsys.readouterr().err


def test_a_folder_without_results_is_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert cli.main(["why", "student-001", "--in", "class"]) == 2
    assert "class: holds no results. Name the folder with --in RESULTS." in capsys.readouterr().err


def test_causes_are_data_in_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert why("student-002", "s1.add", "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "grader.why/2"
    assert [check["causes"] for loss in told["losses"] for check in loss["checks"]] == [
        [{"id": KNOWN.id, "text": KNOWN.text, "fits": 3, "of": 3}]
    ] * 2


def test_a_submission_of_an_export_is_found_again(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "class").rename(root / "plain")
    place = root / "class" / "submission_11"
    place.mkdir(parents=True)
    (place / "s1_sums.py").write_text("#failed\n", encoding="utf-8")
    metadata = (
        "submission_11:\n  :submitters:\n  - :sid: '007'\n  :created_at: 2026-11-20 10:00:00 Z\n"
    )
    (root / "class" / "submission_metadata.yml").write_text(metadata, encoding="utf-8")
    batch(root)
    capsys.readouterr()
    assert why("007", "s1.add") == 0
    assert capsys.readouterr().out.endswith(f"grader check {place} --only s1.add\n")


def test_a_file_among_those_of_others_is_found_again(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = root / "files"
    folder.mkdir()
    (folder / "one_101_1_s1_sums.py").write_text("#failed\n", encoding="utf-8")
    (root / "roster.csv").write_text("id,team\n102,one\n103,one\n", encoding="utf-8")
    grade(
        folder, root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        roster=root / "roster.csv", open_engine=SampleGrader().opened,
    )  # fmt: skip
    capsys.readouterr()

    assert why("103") == 0
    command = f"to grade it again: grader check {folder / 'one_101_1_s1_sums.py'}\n"
    assert capsys.readouterr().out.endswith(command)
