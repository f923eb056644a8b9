"""The command line is quick to answer, helps with slips, and ends with the right exit code."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable

import click
import pytest

from grader import __version__
from grader.cli import cli
from grader.cli.commands import batch, dry_run, explain, gradebook, new, start, validate
from grader.cli.commands.check import FORMATS, grading
from grader.report.formats import renderer

HEAVY = ("torch", "rich", "nbformat", "yaml", "numpy", "pytest", "asyncio")
COMMAND = re.compile(r"grader\.cli\.commands\.")


def modules_after(arguments: list[str]) -> set[str]:
    """The modules that are loaded once a command line has run."""
    program = (
        "import sys, grader.cli.cli; code = grader.cli.cli.main(sys.argv[1:]);"
        "print('\\n' + ' '.join(sys.modules)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["--version"]], ids=str)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    modules = modules_after(arguments)

    assert "grader.cli.cli" in modules
    assert modules.isdisjoint(HEAVY)


@pytest.mark.parametrize("words", [[], *([name] for name in cli.COMMANDS)], ids=str)
def test_every_command_has_a_short_option_for_help(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = []
    for option in ("-h", "--help"):
        assert cli.main([*words, option]) == 0
        outputs.append(capsys.readouterr().out)

    assert outputs[0] == outputs[1]
    assert "-h, --help" in outputs[0]


def test_a_command_that_is_run_does_import_what_it_needs() -> None:
    """The positive control of the test above."""
    program = "import sys, grader.cli.commands.check.grading; print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.strip() == "True"


def test_grading_commands_import_no_torch_in_the_parent() -> None:
    program = (
        "import sys, grader.cli.commands.check.grading, grader.cli.commands.batch;"
        "import grader.report.terminal;"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(("name", "listed"), cli.COMMANDS.items(), ids=cli.COMMANDS)
def test_a_command_is_listed_by_the_first_sentence_of_its_help(name: str, listed: str) -> None:
    help_ = loaded(name).help

    assert help_ is not None
    assert help_.split("\n\n")[0].replace("\n", " ") == listed


@pytest.mark.parametrize(
    ("name", "work", "made"),
    [
        pytest.param("start", start.run, set(), id="start"),
        pytest.param("check", grading.run, {"begun", "opener"}, id="check"),
        pytest.param("explain", explain.run, set(), id="explain"),
        pytest.param("batch", batch.run, {"open_engine"}, id="batch"),
        pytest.param("dry-run", dry_run.run, {"open_engine"}, id="dry-run"),
        pytest.param("gradebook", gradebook.run, set(), id="gradebook"),
        pytest.param("new", new.Words, set(), id="new"),
        pytest.param("validate", validate.run, set(), id="validate"),
    ],
)
def test_what_is_typed_is_what_a_command_takes(
    name: str, work: Callable[..., object], made: set[str]
) -> None:
    """Options go from click to `run` by name, which no type checker sees.

    Only `--warm` does not: it says which process is to run it.
    """
    typed = {param.name for param in loaded(name).params if param.expose_value} - {"warm"}

    assert typed | made == set(inspect.signature(work).parameters)


def loaded(name: str) -> click.Command:
    listed = cli.cli.commands[name]
    assert isinstance(listed, cli.Listed)
    return listed.imported()


def test_a_command_that_is_named_imports_no_other() -> None:
    for name in ("check", "batch", "new", "doctor"):
        names = {m.split(".")[3] for m in modules_after([name, "--help"]) if COMMAND.match(m)}
        assert names == {name}


def test_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"grader {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["chek"], "no command 'chek' - did you mean 'check'?", id="command"),
        pytest.param(
            ["xyzzy"],
            "no command 'xyzzy'; there are start, check, explain, dry-run, collect, ci, prepare, "
            "batch, merge, marking, gradebook, regrade, adjust, why, appeal, report, lens, export, "
            "stubs, new, validate, release, doctor",
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


def test_an_interrupt_says_how_to_go_on_where_that_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(KeyboardInterrupt("the same command goes on"), monkeypatch)

    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted: the same command goes on"


def test_the_module_runs_as_the_command_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "grader", "chek"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_that_is_offered_is_there(name: str) -> None:
    assert callable(renderer(name))


def test_no_other_format_is_there() -> None:
    with pytest.raises(LookupError):
        renderer("pdf")
