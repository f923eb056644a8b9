"""`grader release`: write what leaves a course's folder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import click

from grader.cli import options
from grader.cli.faults import in_words
from grader.report.cleaning import refusal
from grader.text.language import ENGLISH, LANGUAGES, _
from grader.text.typed import here

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("release")
@click.option(
    "--out",
    type=options.FOLDER,
    metavar="KIT",
    help="Write what students get to the folder KIT, if no line of a solution, hidden suite or "
    "mistake is in it.",
)
@click.option(
    "--languages",
    type=click.Choice([*LANGUAGES, "all"]),
    default="all",
    show_default=True,
    help="The languages of the kit's hand-outs and pages.",
)
@click.option(
    "--checks/--no-checks",
    default=True,
    help="Put the public checks into the kit, with recorded answers: they run without the course. "
    "To record takes minutes.",
)
@click.option(
    "--wheel/--no-wheel",
    default=True,
    help="Put the grader into the kit, as a wheel that the first cell of each notebook installs.",
)
@click.option(
    "--sealed",
    type=_FILE,
    metavar="FILE",
    help="Write the course to FILE, encrypted and signed, to be graded with --course FILE.",
)
@click.option("--key", "key_file", type=_FILE, metavar="FILE", help="The author's key, to seal.")
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DAY",
    help="The last day (UTC) on which the sealed course can be used, such as 2027-06-30.",
)
@click.option(
    "--new-key",
    type=_FILE,
    metavar="NAME",
    help="Make two keys: NAME.author.key, which seals, and NAME.grading.key, which opens.",
)
@options.course_to_edit
@options.language()
def command(
    out: Path | None,
    languages: str,
    checks: bool,
    wheel: bool,
    sealed: Path | None,
    key_file: Path | None,
    expires: datetime | None,
    new_key: Path | None,
    course_folder: Path | None,
) -> int:
    """Write a kit for students, or the course sealed for those who grade (for authors)."""
    if len([one for one in (out, sealed, new_key) if one is not None]) != 1:
        raise click.UsageError(_("name one of --out KIT, --sealed FILE and --new-key NAME"))
    if out is not None:
        return _write_kit(out, languages, course_folder, checked=checks, wheel=wheel)
    if new_key is not None:
        return _make_keys(new_key, course_folder)
    if key_file is None or expires is None:
        raise click.UsageError(_("--sealed goes with --key FILE and --expires DAY"))
    assert sealed is not None
    return _seal(sealed, key_file, expires.date(), course_folder)


def _write_kit(
    out: Path, languages: str, course_folder: Path | None, *, checked: bool, wheel: bool
) -> int:
    from grader.course.course import find_course
    from grader.course.translations import handout_languages
    from grader.files.writing import make_folder, write_files
    from grader.handouts.stubs import StubError
    from grader.release.kit import KitParts, LeakError, kit_files
    from grader.release.leaks import UnsearchableError
    from grader.release.public_pack import UnrecordedError, recorded
    from grader.release.wheel import NoWheelError

    def record() -> bytes:
        click.echo(
            _("running the public checks on the reference and on each known mistake …"), err=True
        )
        return recorded(course)

    with in_words():
        course = find_course(course_folder or Path.cwd())
        has = (ENGLISH, *handout_languages(course.root))
        chosen = has if languages == "all" else (languages,)
        if not set(chosen) <= set(has):
            raise click.ClickException(_("the course has no hand-outs in that language"))
        if out.exists() and any(out.iterdir()):
            raise click.ClickException(_("{path}: is not empty. Name a new folder", path=out))
        try:
            files = kit_files(course, chosen, KitParts(record if checked else None, wheel))
        except (LeakError, UnrecordedError, StubError, UnsearchableError, NoWheelError) as error:
            raise click.ClickException(refusal(str(error))) from error
        for folder in {(out / name).parent for name in files}:
            make_folder(folder)
        write_files({out / name: data for name, data in files.items()})
    count = len(files)
    click.echo(_("wrote {path}: {count} files, no secret line in them", path=out, count=count))
    return 0


def _make_keys(name: Path, course_folder: Path | None) -> int:
    from grader.files.writing import make_folder, write_new_file
    from grader.sealed.ciphers import new_key

    author, grading = (name.with_name(f"{name.name}.{who}.key") for who in ("author", "grading"))
    with in_words():
        key = new_key()
        make_folder(name.parent)
        contents: Mapping[Path, str] = {author: key.text, grading: key.grading.text}
        for path, text in contents.items():
            if not write_new_file(path, f"{text}\n", private=True):
                raise click.ClickException(
                    _("{path}: is there already, and a key is never replaced", path=path)
                )
    click.echo(_("wrote {path}: seals the course; keep it, and keep it to yourself", path=author))
    click.echo(_("wrote {path}: opens the course; for the machine that grades", path=grading))
    words = ("--sealed", "course.sealed", "--key", str(author), "--expires", "DAY")
    click.echo(_("next: {command}", command=here(course_folder).command("release", *words)))
    return 0


def _seal(file: Path, key_file: Path, expires: date, course_folder: Path | None) -> int:
    from grader.course.course import find_course
    from grader.files.writing import write_file
    from grader.release.sealing import sealed_course
    from grader.sealed.key import KEY_FILE_VARIABLE, author_key, read_key

    with in_words():
        course = find_course(course_folder or Path.cwd())
        key = author_key(read_key(key_file), str(key_file))
        data = sealed_course(course, key, expires, datetime.now(UTC).date())
        write_file(file, data)
    count = len(course.rubric.exercises)
    click.echo(
        _(
            "wrote {path}: {count} exercises, to be used until {day} (UTC), opened by the key "
            "{key}",
            path=file,
            count=count,
            day=expires.isoformat(),
            key=key.grading.fingerprint,
        )
    )
    grading = "NAME.grading.key"
    if key_file.name.endswith(".author.key"):
        grading = str(key_file.with_name(key_file.name.replace(".author.key", ".grading.key")))
    command = here(file).command("check", "SUBMISSION")
    click.echo(
        _(
            "next: {command}",
            command=f"{KEY_FILE_VARIABLE}={grading} {command}",
        )
    )
    return 0
