"""The report that people read: whole, plain, and safe, at any width."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from grader.grade.evidence import Cause, Note, Observation, Outcome, Picture, Where
from grader.report.content import report_on
from grader.report.terminal import render
from grader.wire.isolation_record import IsolationRecord
from tests.unit.samples import RUBRIC, SampleResult, observations, submission


def text_of(
    graded: SampleResult,
    width: int = 80,
    encoding: str = "utf-8",
    *,
    colour: bool = False,
    has_hints: bool = False,
) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    terminal = {"force_terminal": True, "color_system": "standard"} if colour else {}
    console = Console(file=file, width=width, highlight=False, **terminal)  # type: ignore[arg-type]
    report = replace(report_on(graded, RUBRIC), has_hints=has_hints)
    render(report, console, Path("/course"))
    file.flush()
    return raw.getvalue().decode(encoding)


MIXED = SampleResult(
    observations=(
        Observation("s1.add/shapes/test_shape", "The shape is kept.", Outcome.PASSED),
        Observation(
            "s1.add/outputs/test_sum",
            "The sum is right.",
            Outcome.FAILED,
            "differs by up to 0.31 at [0, 2, 5]",
            "the reference's values within 1e-8",
            Cause("add.minus", "The second number is subtracted instead of added.", 2, 2),
            Where("s1_sums.py", 41),
            ("computes in float32",),
        ),
        Observation(
            "s1.add/outputs/test_long", "Long sums end.", Outcome.TIMED_OUT, "no answer within 2 s"
        ),
        Observation("s1.add/outputs/test_none", "Nothing adds to 0.", Outcome.NOT_ATTEMPTED),
        Observation("s2.mean/outputs/test_mean", "The mean.", Outcome.NOT_ATTEMPTED),
    ),
    loading=(Note("note", "Defined twice; the last one counts.", Where("s1_sums.py", 60)),),
    isolation=IsolationRecord("none", reason="no user namespaces here"),
)


def test_a_report_in_full() -> None:
    assert text_of(MIXED, has_hints=True) == (
        "sums  class/student-001\n"
        "\n"
        "s1.add   █████░░░░░░░░░░░░░░░      1 / 3.5\n"
        "  ✓ shapes 1/1   ✗ outputs 0/2.5\n"
        "    ✗ The sum is right.  (outputs)\n"
        "      observed      differs by up to 0.31 at [0, 2, 5]\n"
        "      expected      the reference's values within 1e-8\n"
        "      likely cause  The second number is subtracted instead of added. (gives\n"
        "                    your numbers on 2 of 2 probes)\n"
        "      where         class/student-001/s1_sums.py:41\n"
        "    ✗ Long sums end.  (outputs, took too long)\n"
        "    ○ Nothing adds to 0.  (outputs, not attempted)\n"
        "    note: computes in float32\n"
        "\n"
        "s2.mean  ░░░░░░░░░░░░░░░░░░░░      0 / 3     not attempted\n"
        "\n"
        "note: class/student-001/s1_sums.py:60  Defined twice; the last one counts.\n"
        "\n"
        "total  1 / 6.5 points\n"
        "isolation  partial (no user namespaces here)\n"
        "why:  grader explain add.minus\n"
        "next: open class/student-001/s1_sums.py:41 (s1.add, outputs)\n"
    )


def test_an_untouched_submission_is_one_line_an_exercise() -> None:
    assert text_of(SampleResult(observations=observations(Outcome.NOT_ATTEMPTED))) == (
        "sums  class/student-001\n"
        "\n"
        "s1.add   ░░░░░░░░░░░░░░░░░░░░      0 / 3.5   not attempted\n"
        "s2.mean  ░░░░░░░░░░░░░░░░░░░░      0 / 3     not attempted\n"
        "\n"
        "total  0 / 6.5 points\n"
        "isolation  partial\n"
        "next: open class/student-001/s1_sums.py:4 (s1.add)\n"
    )


@pytest.mark.parametrize("width", range(43, 80))
def test_a_remark_stands_beside_a_shorter_bar_where_there_is_little_room(width: int) -> None:
    told = text_of(SampleResult(observations=observations(Outcome.NOT_ATTEMPTED)), width)
    lines = told.splitlines()[2:4]
    assert [line.split()[0] for line in lines] == ["s1.add", "s2.mean"]
    assert all(line.endswith(" not attempted") for line in lines)
    assert len({line.count("░") for line in lines}) == 1


def test_full_points_are_as_short() -> None:
    assert text_of(SampleResult(tier="full")) == (
        "sums  class/student-001\n"
        "\n"
        "s1.add   ████████████████████    3.5 / 3.5\n"
        "s2.mean  ████████████████████      3 / 3\n"
        "\n"
        "total  6.5 / 6.5 points\n"
        "isolation  full\n"
        "next: nothing to do here: every check passed.\n"
    )


def test_what_could_not_be_checked_is_not_called_zero() -> None:
    text = text_of(SampleResult(observations=observations(Outcome.COULD_NOT_CHECK)))

    assert "s2.mean  ░░░░░░░░░░░░░░░░░░░░      ? / 3\n" in text
    assert "? Title of s2.mean/outputs/test_mean.  (outputs, could not be checked, not\n" in text
    assert "total  0 / 6.5 points  (6.5 could not be checked, not your mistake)\n" in text


def test_a_blocked_criterion_says_what_it_waits_for() -> None:
    blocked = observations(Outcome.BLOCKED, expected="the sum", needs=("s1.add/shapes",))

    assert text_of(SampleResult(observations=blocked)) == (
        "sums  class/student-001\n"
        "\n"
        "s1.add   ░░░░░░░░░░░░░░░░░░░░      0 / 3.5\n"
        "  – shapes 0/1   – outputs 0/2.5\n"
        "    – shapes needs shapes to pass first\n"
        "    – outputs needs shapes to pass first\n"
        "\n"
        "s2.mean  ░░░░░░░░░░░░░░░░░░░░      0 / 3\n"
        "  – outputs 0/3\n"
        "    – outputs needs s1.add/shapes to pass first\n"
        "\n"
        "total  0 / 6.5 points\n"
        "isolation  partial\n"
        "next: s1.add needs s1.add/shapes to pass first\n"
    )


def failing(name: str, title: str, observed: str) -> Observation:
    where = Where("s1_sums.py", 4)
    return Observation(f"s1.add/{name}", title, Outcome.FAILED, observed, "", None, where)


def test_what_is_alike_is_said_once_and_a_long_list_is_cut() -> None:
    checks = (
        failing("shapes/test_a[1]", "The shape is kept.", "shape (1,)"),
        failing("shapes/test_a[2]", "The shape is kept.", "shape (2,)"),
        failing("outputs/test_b", "The sum is right.", "shape (1,)"),
        *(failing(f"outputs/test_c[{n}]", "Long sums end.", str(n)) for n in range(3)),
        *(failing(f"outputs/test_d{n}", f"Claim {n}.", str(n)) for n in range(6)),
        Observation("s2.mean/outputs/test_mean", "The mean.", Outcome.PASSED),
    )

    assert text_of(SampleResult(observations=checks)).splitlines()[2:17] == [
        "s1.add   ░░░░░░░░░░░░░░░░░░░░      0 / 3.5",
        "  ✗ shapes 0/1   ✗ outputs 0/2.5",
        "    ✗ The sum is right.  (outputs)",
        "      observed  shape (1,)",
        "      where     class/student-001/s1_sums.py:4",
        "      also in   1 more check in shapes",
        "    ✗ The shape is kept.  (shapes)",
        "    ✗ Long sums end.  (outputs, 3 checks)",
        "    ✗ Claim 0.  (outputs)",
        "    ✗ Claim 1.  (outputs)",
        "    ✗ Claim 2.  (outputs)",
        "      and 3 more checks in outputs",
        "",
        "s2.mean  ████████████████████      3 / 3",
        "",
    ]


def test_a_problem_with_a_file_comes_before_what_it_explains() -> None:
    graded = SampleResult(
        submission(files={"s1_sums.py": b""}),
        observations=observations(Outcome.NOT_ATTEMPTED),
        loading=(Note("problem", "SyntaxError: expected ':'.", Where("s1_sums.py", 9)),),
    )

    assert text_of(graded).splitlines()[:6] == [
        "sums  class/student-001",
        "",
        "problem: class/student-001/s1_sums.py:9  SyntaxError: expected ':'.",
        "",
        "s1.add   ░░░░░░░░░░░░░░░░░░░░      0 / 3.5   not attempted",
        "s2.mean  ░░░░░░░░░░░░░░░░░░░░      0 / 3     there is no s2_means.py",
    ]


@pytest.mark.parametrize("width", range(20, 60))
def test_a_name_and_its_points_stay_on_one_line(width: int) -> None:
    text = text_of(MIXED, width)

    assert "✓ shapes 1/1" in text
    assert "✗ outputs 0/2.5" in text


def test_no_line_of_a_students_text_is_a_command_to_a_ci_log() -> None:
    observed = observations(Outcome.FAILED, observed="1\n::add-mask::a\n##[group]b")

    text = text_of(SampleResult(observations=observed))

    assert "          : :add-mask::a\n" in text
    assert "## [group]b" in text


HOSTILE = "\x1b[2J[bold red]free[/] \x1b]52;c;eA==\x07\u202e points"


def test_hostile_text_neither_drives_the_terminal_nor_is_markup() -> None:
    hostile = tuple(
        Observation(
            seen.check,
            HOSTILE,
            Outcome.FAILED,
            HOSTILE,
            HOSTILE,
            Cause("x", HOSTILE, 1, 1),
            Where(f"{HOSTILE}.py", 3),
            (HOSTILE,),
        )
        for seen in observations(Outcome.FAILED)
    )
    graded = SampleResult(
        observations=hostile,
        loading=(Note("problem", HOSTILE, Where(HOSTILE, 4)),),
        tier=HOSTILE,
        isolation=IsolationRecord("none", reason=HOSTILE),
    )

    text = text_of(graded)

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("[bold red]free[/] \ufffd points") >= 10


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colour"])
def test_no_line_is_wider_than_the_terminal_or_ends_in_blanks(width: int, colour: bool) -> None:
    *lines, last = text_of(MIXED, width, colour=colour).splitlines()

    plain = [Text.from_ansi(line) for line in lines]
    assert max(line.cell_len for line in plain) <= width
    assert all(line.plain == line.plain.rstrip() for line in [*plain, Text.from_ansi(last)])


@pytest.mark.parametrize("width", [20, 80])
def test_the_last_line_is_never_broken(width: int) -> None:
    assert text_of(MIXED, width).splitlines()[-1] == (
        "next: open class/student-001/s1_sums.py:41 (s1.add, outputs)"
    )


def test_a_terminal_without_unicode_gets_plain_signs() -> None:
    text = text_of(MIXED, encoding="ascii")

    assert "s1.add   #####...............      1 / 3.5\n" in text
    assert "    x The sum is right.  (outputs)\n" in text


def test_letters_that_the_encoding_lacks_never_break_a_report() -> None:
    korean = observations(Outcome.FAILED, observed="값이 다르다")

    assert "observed  ?? ???" in text_of(SampleResult(observations=korean), encoding="ascii")


def test_colour_changes_no_word() -> None:
    coloured = text_of(SampleResult(), colour=True)

    assert "\x1b[32m" in coloured
    assert Text.from_ansi(coloured).plain == text_of(SampleResult())


def test_what_is_seen_is_no_cause_and_a_likely_place_says_so() -> None:
    """And further causes that fit are told, a picture is drawn, and others take a line each."""
    long = (
        "A title that goes on and on, so that no line of a terminal has room for all of its words."
    )
    seen = SampleResult(
        observations=(
            Observation(
                "s2.mean/outputs/test_mean",
                "The mean is right.",
                Outcome.FAILED,
                cause=Cause("shape.axes_swapped", "swap axes 0 and 1", 1, 3),
                also=(Cause("mean.other", "Something else fits as well.", 3, 3),),
                where=Where("s2_means.py", 2, likely=True),
                picture=Picture("leaks", "what depends on what", ((1.0, 2.0),)),
            ),
            Observation("s2.mean/outputs/test_long", long, Outcome.FAILED, "other words"),
        ),
    )
    lines = text_of(seen, has_hints=True).splitlines()

    assert "      seen       swap axes 0 and 1" in lines
    assert "      or         Something else fits as well." in lines
    assert "      likely at  class/student-001/s2_means.py:2" in lines
    assert "                 0  ■ ✗" in lines
    assert [line for line in lines if line.startswith("    ✗ A title")] == [
        "    ✗ A title that goes on and on, so that no line of a terminal has…  (outputs)"
    ]
    assert "why:  grader explain shape.axes_swapped" in lines
