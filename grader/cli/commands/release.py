"""`grader release`: write what leaves a course's folder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import click

from grader.cli import options
from grader.cli.faults import in_words
from grader.text.language import _
from grader.text.typed import here

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("release")
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
    sealed: Path | None,
    key_file: Path | None,
    expires: datetime | None,
    new_key: Path | None,
    course_folder: Path | None,
) -> int:
    """Seal the course in one encrypted file, for a central grading job (for authors)."""
    if (sealed is None) is (new_key is None):
        raise click.UsageError(_("name one of --sealed FILE and --new-key NAME"))
    if new_key is not None:
        return _make_keys(new_key, course_folder)
    if key_file is None or expires is None:
        raise click.UsageError(_("--sealed goes with --key FILE and --expires DAY"))
    assert sealed is not None
    return _seal(sealed, key_file, expires.date(), course_folder)


def _make_keys(name: Path, course_folder: Path | None) -> int:
    from grader.files.writing import write_new_file
    from grader.sealed.ciphers import new_key

    author, grading = (name.with_name(f"{name.name}.{who}.key") for who in ("author", "grading"))
    with in_words():
        key = new_key()
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
