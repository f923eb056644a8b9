"""Grades a folder of submissions: one record a student, and a gradebook at the end."""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.evidence import Outcome
from grader.export.gradebook import GivenPoints, Row, gradebook, row_of
from grader.export.written_points import points_file, to_review
from grader.export.written_sheets import sheet
from grader.report import json as json_report
from grader.report.cleaning import one_line
from grader.report.content import Grader, report_on
from grader.rubric import Rubric
from grader.submission import (
    Submission,
    SubmissionError,
    could_be_one,
    name_of,
    read_submission,
)
from grader.written.items import WrittenItem

_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
POINTS_FILE = "written.csv"
_DEVICE_NAMES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


class BatchError(Exception):
    """A batch that cannot start; says what is wrong and what to do about it."""


@dataclass(frozen=True)
class Entry:
    """One submission that is waiting in the folder."""

    id: str
    path: Path
    record: str
    """Its file name in `records/`: the id where that is safe, else an escaped form of it."""


@dataclass(frozen=True)
class Summary:
    """How a batch ended."""

    rows: tuple[Row, ...]
    complete: int
    """Students with all points that are given automatically."""
    review: tuple[tuple[str, str], ...] = ()
    """Student and question whose answer changed after a person graded it."""

    @property
    def problems(self) -> tuple[Row, ...]:
        """Students without any points known."""
        return tuple(row for row in self.rows if row.problem)

    @property
    def unchecked(self) -> tuple[Row, ...]:
        """Students some of whose checks failed for a reason of ours."""
        ours = Outcome.COULD_NOT_CHECK
        return tuple(row for row in self.rows if row.unchecked or row.outcomes.get(ours))


@dataclass(frozen=True)
class ByPerson:
    """What people bring to a batch: how to mark written answers, and the points they gave."""

    guides: Mapping[str, str] = field(default_factory=dict)
    """By slug of the question."""
    given: GivenPoints = field(default_factory=dict)

    def write_sheets(
        self, items: Iterable[WrittenItem], out: Path, records: Collection[str]
    ) -> None:
        """Write what a person reads, from the records of these names, one at a time."""
        (out / "written").mkdir(exist_ok=True)
        for item in items:
            read = (json.loads((out / "records" / name).read_text("utf-8")) for name in records)
            guide = self.guides.get(item.slug, "There is no marking guide.")
            pieces = sheet(item, guide, read, self.given)
            write_atomically(out / "written" / f"{item.slug}.md", pieces)


def discover(folder: Path, out: Path) -> tuple[Entry, ...]:
    """The submissions in a folder, by id: every sub-folder, archive, `.py` and `.ipynb`, but
    not `out`.

    Raises BatchError if there is none.
    """
    if not folder.is_dir():
        raise BatchError(f"{folder}: no such folder. Give the one with a submission per student.")
    paths = [
        path
        for path in folder.iterdir()
        if not path.name.startswith(".") and path.resolve() != out.resolve() and could_be_one(path)
    ]
    if not paths:
        raise BatchError(
            f"{folder}: no submissions. It should hold one folder, archive, .py or .ipynb file a "
            "student."
        )
    ids = _ids(paths)
    records = record_names(ids.values())
    found = (Entry(id, path, records[id]) for path, id in ids.items())
    return tuple(sorted(found, key=lambda entry: entry.id))


def _ids(paths: Iterable[Path]) -> dict[Path, str]:
    """The name without its suffix, or with it where two would be the same."""
    by_id: dict[str, list[Path]] = {}
    for path in sorted(paths):
        by_id.setdefault(_shown_id(name_of(path)), []).append(path)
    ids: dict[Path, str] = {}
    for id, same in by_id.items():
        for path in same:
            ids[path] = id if len(same) == 1 else _shown_id(path.name)
    taken: set[str] = set()
    for path in sorted(ids):
        wanted = ids[path]
        ids[path] = wanted if wanted not in taken else f"{wanted}~{_tag(os.fsencode(path.name))}"
        taken.add(ids[path])
    return ids


def _shown_id(name: str) -> str:
    return one_line(unicodedata.normalize("NFC", name)) or "unnamed"


def record_names(ids: Iterable[str]) -> dict[str, str]:
    """A file name for each id, safe on every file system and no two the same, case aside.

    >>> record_names(["student-001"])
    {'student-001': 'student-001.json'}
    """
    ids = sorted(ids)
    same = Counter(id.casefold() for id in ids)
    names = {}
    for id in ids:
        plain = bool(_PLAIN_ID.fullmatch(id)) and same[id.casefold()] == 1
        plain = plain and id.casefold().split(".")[0] not in _DEVICE_NAMES
        stem = id if plain else f"{re.sub('[^A-Za-z0-9-]', '_', id)[:60]}~{_tag(id.encode())}"
        names[id] = f"{stem}.json"
    return names


def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def grade_batch(
    entries: Iterable[Entry],
    rubric: Rubric,
    grader: Grader,
    out: Path,
    on_row: Callable[[Row], None],
    only: tuple[str, ...] = (),
    by_person: ByPerson | None = None,
) -> Summary:
    """Grades every entry, writes its record, and at the end `gradebook.csv`.

    `on_row` hears of each student as soon as the record is on disk. Where a course asks questions,
    the answers are written out to be read and graded by a person.
    """
    by_person = by_person or ByPerson()
    waiting = {entry.id: entry for entry in entries}
    records = out / "records"
    records.mkdir(parents=True, exist_ok=True)
    rows: dict[str, Row] = {}
    complete = 0

    def finish(row: Row, record: dict[str, object]) -> None:
        text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        write_atomically(records / waiting[row.id].record, text)
        rows[row.id] = row
        on_row(row)

    def give_up(id: str, problem: str, digest: str = "") -> None:
        row = Row(id, problem=one_line(problem), digest=digest)
        finish(row, _problem_record(rubric, row))

    def readable() -> Iterator[Submission]:
        for entry in waiting.values():
            try:
                submission = read_submission(entry.path, entry.id)
            except SubmissionError as error:
                give_up(entry.id, str(error))
            else:
                yield submission

    for graded in grader.grade(readable()):
        report = report_on(graded, rubric, only)
        complete += report.grade.complete
        finish(row_of(report), json_report.as_dict(report))
    for id in waiting.keys() - rows.keys():
        give_up(id, "could not check: grading ended without a result. Grade this one again.")
    ordered = tuple(rows[id] for id in sorted(rows))
    if rubric.written_for(only):
        names = [waiting[row.id].record for row in ordered]
        by_person.write_sheets(rubric.written_for(only), out, names)
        points = points_file(ordered, rubric.written_for(only), by_person.given)
        write_atomically(out / POINTS_FILE, points)
    write_atomically(out / "gradebook.csv", gradebook(ordered, rubric, only, by_person.given))
    return Summary(ordered, complete, to_review(ordered, by_person.given))


def write_atomically(path: Path, text: str | Iterable[str]) -> None:
    """Writes a file so that a reader sees the old one or the new one and never a part.

    The text may come in pieces.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with scratch.open("w", encoding="utf-8", newline="") as file:
            file.writelines([text] if isinstance(text, str) else text)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _problem_record(rubric: Rubric, row: Row) -> dict[str, object]:
    return {
        "format": json_report.FORMAT,
        "course": rubric.course,
        "submission": {"id": row.id, "digest": row.digest or None, "entries": {}},
        "problem": row.problem,
    }
