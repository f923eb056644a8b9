"""The command line is quick to answer, helps with slips, and ends with the right exit code."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from grader import __version__, cli
from grader.report.formats import renderer

HEAVY = ("torch", "rich", "nbformat", "yaml", "numpy", "pytest", "asyncio")


def modules_after(arguments: list[str]) -> set[str]:
    """The modules that are loaded once a command line has run."""
    program = (
        "import sys, grader.cli; code = grader.cli.main(sys.argv[1:]);"
        "print('\\n' + ' '.join(sys.modules)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["--version"]], ids=str)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    modules = modules_after(arguments)

    assert "grader.cli" in modules
    assert modules.isdisjoint(HEAVY)


def test_a_command_that_is_run_does_import_what_it_needs() -> None:
    """The positive control of the test above."""
    program = "import sys, grader.commands.check; print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.strip() == "True"


def test_grading_commands_import_no_torch_in_the_parent() -> None:
    program = (
        "import sys, grader.commands.check, grader.commands.batch, grader.report.terminal;"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.strip() == "False"


def test_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"grader {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["chek"], "no command 'chek' - did you mean 'check'?", id="command"),
        pytest.param(
            ["xyzzy"],
            "no command 'xyzzy'; there are start, check, explain, batch, stubs, new, "
            "validate, doctor",
            id="none near",
        ),
        pytest.param(["check", "--onyl", "a"], "No such option '--onyl'.", id="option"),
        pytest.param(["check", "--format", "yaml"], "'yaml' is not one of", id="value"),
        pytest.param(["check", "--report", "junit"], "'junit' is not FORMAT=FILE", id="no file"),
        pytest.param(
            ["check", "--report", "junti=a"],
            "no format 'junti' - did you mean 'junit'?",
            id="format",
        ),
        pytest.param(["check", "--report", "pdf=a"], "there are text, json, junit", id="no format"),
        pytest.param(["batch", "d", "--out", "o", "-j", "0"], "0 is not in the range", id="jobs"),
    ],
)
def test_a_slip_is_answered_and_exits_with_2(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    assert says in capsys.readouterr().err


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes `grader doctor` raise `error`."""

    def command() -> int:
        raise error

    monkeypatch.setitem(cli.cli.commands, "doctor", click.Command("doctor", callback=command))


def test_an_error_of_ours_is_one_line_and_exits_with_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GRADER_DEBUG", raising=False)
    raising(ZeroDivisionError("two\nlines"), monkeypatch)

    assert cli.main(["doctor"]) == 3
    assert capsys.readouterr().err == (
        "grader: an error of its own, not of the submission: ZeroDivisionError: two lines\n"
        "To see where it happened, run the same command with GRADER_DEBUG=1 before it.\n"
    )


def test_debugging_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_DEBUG", "1")
    raising(ZeroDivisionError("x"), monkeypatch)

    with pytest.raises(ZeroDivisionError):
        cli.main(["doctor"])


def test_an_interrupt_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(KeyboardInterrupt(), monkeypatch)

    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"


def test_the_module_runs_as_the_command_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "grader", "chek"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("name", cli.FORMATS)
def test_every_format_that_is_offered_is_there(name: str) -> None:
    assert callable(renderer(name))


def test_no_other_format_is_there() -> None:
    with pytest.raises(LookupError):
        renderer("pdf")
