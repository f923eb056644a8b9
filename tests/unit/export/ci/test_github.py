"""Workflow commands and the runner's files: escaped, bounded, and closed to student code."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.export.ci import github
from grader.export.ci.annotations import Annotation, Level, to_mend
from grader.grade.evidence import Outcome
from grader.report.markdown import LIMIT_BYTES
from tests.support.ci_reports import all_, half
from tests.support.workflow import commands

GOLDEN = Path(__file__).parent / "golden"


def test_the_commands_are_those_of_the_golden_file() -> None:
    lines = "\n".join(github.commands(to_mend(half(), None))) + "\n"

    assert lines == (GOLDEN / "github.txt").read_text(encoding="utf-8")


def test_no_text_ends_a_command_or_begins_one() -> None:
    hostile = "a%0Ab,c:d\r\n::error::again\n##[error]old"
    line = github.command("error", hostile, {"file": hostile, "title": hostile})

    assert "\n" not in line
    assert "\r" not in line
    assert commands(line) == [line]
    properties, message = line.removeprefix("::error ").split("::", 1)
    assert properties.count(",") == 1
    assert properties == "file={0},title={0}".format(
        "a%250Ab%2Cc%3Ad%0D%0A%3A %3Aerror%3A%3Aagain%0A## [error]old"
    )
    assert message == "a%250Ab,c:d%0D%0A: :error::again%0A## [error]old"


def test_what_a_student_printed_stays_in_its_line() -> None:
    lines = list(github.commands(to_mend(all_(Outcome.FAILED), None)))

    assert commands("\n".join(lines)) == lines
    assert len(lines) == 2


def test_no_more_commands_of_a_level_than_are_shown() -> None:
    every = [Annotation(Level.WARNING, "t", "m")] * 30

    assert len(list(github.commands(every))) == 10


def test_commands_are_silent_until_the_token(capsys: pytest.CaptureFixture[str]) -> None:
    with github.silenced("token"):
        print("::error::from inside")
    print("::notice::after")

    assert commands(capsys.readouterr().out) == ["::notice::after"]


def test_the_silence_ends_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="ours"), github.silenced("token"):
        raise ValueError("ours")
    print("::notice::after")

    assert commands(capsys.readouterr().out) == ["::notice::after"]


@pytest.mark.parametrize("how", ["appended", "deleted", "linked"])
def test_what_is_written_to_the_runners_files_meanwhile_is_undone(tmp_path: Path, how: str) -> None:
    output = tmp_path / "output"
    output.write_text("earlier=1\n", encoding="utf-8")
    with github.files_kept({"GITHUB_OUTPUT": str(output)}):
        other = tmp_path / "other"
        other.write_text("code=0\n", encoding="utf-8")
        output.unlink()
        if how == "appended":
            output.write_text("earlier=1\ncode=0\n", encoding="utf-8")
        elif how == "linked":
            output.symlink_to(other)

    assert output.read_text(encoding="utf-8") == "earlier=1\n"
    assert not output.is_symlink()
    assert other.read_text(encoding="utf-8") == "code=0\n"


def test_a_summary_is_appended_unless_it_would_be_refused(tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    summary.write_text("x" * (LIMIT_BYTES - 10), encoding="utf-8")
    environment = {github.SUMMARY: str(summary)}

    assert not github.append(environment, github.SUMMARY, "eleven more.")
    assert github.append(environment, github.SUMMARY, "short")
    assert summary.read_text(encoding="utf-8").endswith("xshort")


def test_without_a_file_nothing_is_appended() -> None:
    assert github.append({}, github.SUMMARY, "text")
