"""The command line. Imports nothing heavy: each command imports what it needs when it runs."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

import click

from grader import __version__
from grader.language import ENGLISH, LANGUAGES, _, preferred_language, shows, use_language

if TYPE_CHECKING:
    from grader.begin import Begun

_Command = TypeVar("_Command", bound=Callable[..., Any])
EXIT_COURSE_ERROR = 2
EXIT_COULD_NOT_CHECK = 3
EXIT_INTERRUPTED = 130
FORMATS = ("text", "json", "junit", "markdown", "html")

_EXIT_CODES = """\b
Exit codes:
  0    all points
  1    points are missing
  2    a mistake in the command line or in the course
  3    something could not be checked, or an error of the grader's own
  130  interrupted"""


class SuggestingGroup(click.Group):
    """A group that answers a misspelt command with the one that was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            commands = self.list_commands(ctx)
            near = difflib.get_close_matches(name.lower(), commands, n=1)
            hint = f" - did you mean '{near[0]}'?" if near else f"; there are {', '.join(commands)}"
            ctx.fail(f"no command '{name}'{hint}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which people need them


_folder = click.Path(path_type=Path, file_okay=False)
_only = click.option(
    "--only",
    multiple=True,
    metavar="SLUG",
    help="Only this exercise (a1.sums) or assignment (a1); may be repeated.",
)
_spawn = click.option(
    "--spawn", is_flag=True, help="Start each process anew instead of forking (slower; macOS)."
)
_isolation = click.option(
    "--isolation",
    type=click.Choice(["full", "partial", "none"]),
    help="How submissions are confined; else the best this machine has (batch: full).",
)


def _speak(_context: click.Context, option: click.Parameter, value: str | None) -> str:
    """From here on in this language; in English where the terminal lacks the letters."""
    wanted = value or preferred_language()
    use_language(wanted if shows(wanted, sys.stdout.encoding or ENGLISH) else ENGLISH)
    return wanted


def _lang(
    help_: str, default: str | None = None, *, exposed: bool = False
) -> Callable[[_Command], _Command]:
    return click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        default=default,
        callback=_speak,
        expose_value=exposed,
        is_eager=True,
        help=help_,
    )


_language = _lang("The language of what is said; else as LANGUAGE, LC_ALL or LANG have it.")
_course = click.option(
    "--course", type=_folder, metavar="DIR", help="The course; else found upwards from here."
)


def _format_and_file(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Path], ...]:
    """Each `FORMAT=FILE` taken apart."""
    pairs = []
    for value in values:
        format_, equals, file = value.partition("=")
        if not equals or not file:
            raise click.BadParameter(f"'{value}' is not FORMAT=FILE, such as junit=junit.xml.")
        if format_ not in FORMATS:
            near = difflib.get_close_matches(format_, FORMATS, n=1)
            hint = f" - did you mean '{near[0]}'?" if near else f"; there are {', '.join(FORMATS)}"
            raise click.BadParameter(f"no format '{format_}'{hint}")
        pairs.append((format_, Path(file)))
    return tuple(pairs)


@click.group(cls=SuggestingGroup, epilog=_EXIT_CODES)
@click.version_option(__version__, prog_name="grader", message="%(prog)s %(version)s")
@click.help_option("-h", "--help")
def cli() -> None:
    """Grade assignments in PyTorch."""


@cli.command()
@click.argument("folder", metavar="DIR", type=_folder)
@click.option("--py", "kinds", flag_value=".py", help="As .py files (the default).")
@click.option("--ipynb", "kinds", flag_value=".ipynb", help="As notebooks.")
@click.option("--both", "kinds", flag_value=".py .ipynb", help="As both; the edited one counts.")
@_lang("The language of the hand-outs, and of what is said; else the environment's.", exposed=True)
@_course
def start(folder: Path, kinds: str | None, lang: str, course: Path | None) -> int:
    """Copy the hand-outs to DIR, to be solved there; nothing is overwritten."""
    from grader.commands.start import run as command

    wanted = tuple((kinds or ".py").split())
    return command(folder, kinds=wanted, language=lang, course_folder=course)


@cli.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@_only
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--report",
    "files",
    multiple=True,
    metavar="FORMAT=FILE",
    callback=_format_and_file,
    help="Also write the report to FILE, in this format; may be repeated.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Go on, and grade again what changed whenever a file is saved.",
)
@_spawn
@_isolation
@_language
@_course
def check(
    path: Path | None,
    only: tuple[str, ...],
    format_: str,
    files: tuple[tuple[str, Path], ...],
    watch: bool,
    spawn: bool,
    isolation: str | None,
    course: Path | None,
) -> int:
    """Grade one submission; without PATH, the course's assignments/."""
    if watch and (format_ != "text" or files):
        raise click.UsageError("--watch shows text; leave out --format and --report")
    # First of all, because it takes longest and needs to know nothing.
    with _under_way(spawn) as begun:
        from grader.commands.check import run as command

        return command(
            path,
            only=only,
            format_=format_,
            files=files,
            watch=watch,
            spawn=spawn,
            isolation=isolation,
            course_folder=course,
            begun=begun,
        )


def _under_way(spawn: bool) -> Begun:
    from grader.begin import TorchMissing, begin

    try:
        return begin(spawn=spawn)
    except TorchMissing as error:
        raise click.ClickException(str(error)) from None


@cli.command()
@click.argument("name", metavar="CAUSE|EXERCISE|CHECK")
@click.option("--hint", type=click.IntRange(1, 3), metavar="1|2|3", help="One step of the hints.")
@_language
@_course
def explain(name: str, hint: int | None, course: Path | None) -> int:
    """Say why something is a mistake, or how to look for one, in steps.

    NAME is what a report calls a cause (sdpa.unscaled), an exercise (a1.sdpa), or a check or
    criterion of one (a1.sdpa/masking).
    """
    from grader.commands.explain import run as command

    return command(name, hint=hint, course_folder=course)


@cli.command()
@click.argument("folder", metavar="DIR", type=_folder)
@click.option("--out", required=True, type=_folder, help="Where the results go.")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Submissions graded at a time; else one a core.",
)
@click.option(
    "--written-points",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Points for written answers, as in written.csv of an earlier run; may be repeated.",
)
@_only
@_spawn
@_isolation
@_lang("The language of what is said about submissions.", ENGLISH)
@_course
def batch(
    folder: Path,
    out: Path,
    jobs: int | None,
    written_points: tuple[Path, ...],
    only: tuple[str, ...],
    spawn: bool,
    isolation: str | None,
    course: Path | None,
) -> int:
    """Grade a class: DIR holds one folder or file a student."""
    from grader.commands.batch import run as command

    return command(
        folder,
        out,
        jobs=jobs,
        written_points=written_points,
        only=only,
        spawn=spawn,
        isolation=isolation,
        course_folder=course,
    )


@cli.command()
@click.argument(
    "sources", metavar="[SOURCE]...", nargs=-1, type=click.Path(path_type=Path, dir_okay=False)
)
@click.option("--out", type=_folder, metavar="DIR", help="Where the stubs of the SOURCEs go.")
@_course
def stubs(sources: tuple[Path, ...], out: Path | None, course: Path | None) -> int:
    """Write assignments/ anew from reference/, or stubs of SOURCEs (for authors).

    A SOURCE is a worked solution, .py or .ipynb, with the markers of grader, nbgrader or otter.
    """
    from grader.commands.faults import in_words
    from grader.commands.stubs import convert, removed, run
    from grader.course import find_root
    from grader.stubs import StubError

    if bool(sources) != (out is not None):
        raise click.UsageError("SOURCE and --out go together: grader stubs SOURCE --out DIR")
    with in_words():
        try:
            if out is not None:
                written, left_out = convert(sources, out)
            else:
                root = find_root(course or Path.cwd())
                written, left_out = run(root), removed(root)
        except StubError as error:
            raise click.ClickException(str(error)) from error
    for path in written:
        click.echo(f"wrote {path}")
    for one in left_out:
        click.echo(f"left out: {one.what} of {one.place}")
    return 0


@cli.command()
@click.argument("slug")
@click.option("--target", required=True, metavar="NAME", help="What students define.")
@click.option(
    "--kind",
    type=click.Choice(["function", "class"]),
    help="What the target is; else a class if its name begins with a capital.",
)
@click.option(
    "--assignment", metavar="STEM", help="What a new assignment's files are called: f1_filters."
)
@click.option("--begin", type=_folder, metavar="DIR", help="Begin a course in DIR with it.")
@_course
def new(
    slug: str,
    target: str,
    kind: Literal["function", "class"] | None,
    assignment: str | None,
    begin: Path | None,
    course: Path | None,
) -> int:
    """Add an exercise SLUG, such as f1.blur, that grades at once (for authors)."""
    import secrets

    if begin is not None and course is not None:
        raise click.UsageError("--begin is where a new course goes; leave out --course")
    from grader.commands.new import Words, run

    return run(Words(slug, target, kind, assignment, course, begin), seed=secrets.token_hex(16))


@cli.command()
@click.option(
    "--exercise",
    "only",
    multiple=True,
    metavar="SLUG",
    help="Only this exercise or assignment, such as a1.sums or a1; may be repeated.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--write",
    is_flag=True,
    help="Write reference/kills/ anew: who fails which check is then as it should be.",
)
@click.option(
    "--diagnosis",
    is_flag=True,
    help="Instead: is every known mistake named, alone and beside another, and nobody wronged?",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Lanes; else cores + 1."
)
@_spawn
@_isolation
@_course
def validate(
    only: tuple[str, ...],
    format_: str,
    write: bool,
    diagnosis: bool,
    jobs: int | None,
    spawn: bool,
    isolation: str | None,
    course: Path | None,
) -> int:
    """Prove the suites on the reference, known mistakes and right ways (for authors).

    Grades the reference, its stub, every misconception and variant of reference/, and answers
    that know nothing. Shows who fails what, which mistakes are covered, what was not checked, and
    every gap with its file, line and next step. Exit codes: 0 no gaps, 1 gaps, 2 the course has
    an error, 3 something could not be checked.
    """
    from grader.commands.validate import run as command

    return command(
        only=only,
        format_=format_,
        write=write,
        diagnosis=diagnosis,
        jobs=jobs,
        spawn=spawn,
        isolation=isolation,
        course_folder=course,
    )


@cli.command()
@click.option(
    "--isolation",
    is_flag=True,
    help="Try out how submissions are confined here: every property, inside and outside.",
)
def doctor(isolation: bool) -> int:
    """Say what this machine lacks for grading, and how to get it."""
    if isolation:
        from grader.commands.isolation import run as witness

        return witness()
    from grader.commands.doctor import run as command

    return command()


def main(arguments: Sequence[str]) -> int:
    """Runs a command line and returns its exit code; never raises."""
    try:
        code = cli.main(list(arguments), prog_name="grader", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return EXIT_COURSE_ERROR
    except (click.Abort, KeyboardInterrupt):
        click.echo("\n" + _("interrupted"), err=True)
        return EXIT_INTERRUPTED
    except Exception as error:
        if os.environ.get("GRADER_DEBUG") == "1":
            raise
        said = " ".join(str(error).split())[:200]
        click.echo(
            _(
                "grader: an error of its own, not of the submission: {error}\n"
                "To see where it happened, run the same command with GRADER_DEBUG=1 before it.",
                error=f"{type(error).__name__}: {said}",
            ),
            err=True,
        )
        return EXIT_COULD_NOT_CHECK


def run() -> NoReturn:
    """The `grader` command."""
    sys.exit(main(sys.argv[1:]))
