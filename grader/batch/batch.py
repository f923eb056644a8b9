"""Grade a folder of submissions: one record per student, and a gradebook at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from grader.batch.class_results import RECORDS, ByPerson, write_class_results
from grader.batch.discovery import Entry
from grader.batch.gradebook import Row, row_of
from grader.batch.names import record_names
from grader.batch.part import EVERYBODY, ClassPart, rows_before
from grader.batch.progress import UNSEEN, Steps
from grader.batch.records import record_text
from grader.batch.summary import NOT_YET, NOTHING, Summary
from grader.batch.time_columns import NO_ONES_TIMES, TimesById
from grader.batch.tries import Tries
from grader.batch.written_points import to_review
from grader.course.rubric import Rubric
from grader.files.writing import WritingError, make_folder, write_file
from grader.report import json as json_report
from grader.report.cleaning import one_line
from grader.report.content import Graded, Grader, report_on
from grader.store.adjusting import adjusted
from grader.store.late_work import NO_TIMES, with_lateness
from grader.store.results import Results
from grader.store.store import Record
from grader.submission.submission import Submission, SubmissionError


def grade_batch(
    entries: Iterable[Entry],
    rubric: Rubric,
    grader: Grader,
    out: Path,
    on_row: Callable[[Row], None],
    only: tuple[str, ...] = (),
    by_person: ByPerson | None = None,
    results: Results | None = None,
    absent: Iterable[str] = (),
    part: ClassPart = EVERYBODY,
    steps: Steps = UNSEEN,
    times: TimesById = NO_ONES_TIMES,
) -> Summary:
    """Grade every entry, write its record, and at the end `gradebook.csv`.

    Who was graded before, as `results` know, is not graded again. Students in `absent` handed in
    nothing and have a row that says so. `times` say when students handed in, as far as that is
    known. `on_row` is called for each student as soon as the record is on disk, and `steps` before
    that. If the course asks questions, the answers are written out too, for a person to read and
    grade.

    If `part` is not everybody, the others keep the row and the record that they have in `out`, and
    who has none gets a row that says so. Raises RecordsError for a record that cannot be kept.
    """
    by_person = by_person or ByPerson()
    waiting = {entry.id: entry for entry in entries}
    class_ = {entry.id: entry for entry in (*waiting.values(), *part.others)}
    absent = tuple(absent)
    names = {entry.id: entry.record for entry in class_.values()}
    names |= record_names([*names, *absent])
    records = out / RECORDS
    make_folder(records)
    untouched = (entry.id for entry in part.may_be_left(waiting.values()))
    before = rows_before(records, {id: names[id] for id in untouched}, rubric, only)
    rows: dict[str, Row] = {}
    left = {entry.id for entry in part.others}
    complete = earlier = begun = 0

    def written(record: Record) -> Row:
        id = record["submission"]["id"]
        if id in class_ and class_[id].late:
            record = {**record, "late": True}
        record = with_lateness(record, rubric, times.get(id, NO_TIMES))
        record = adjusted(record, ()) if results is None else results.adjusted(record)
        row = row_of(record)
        with _kept(len(rows), len(names), records):
            write_file(records / names[row.id], record_text(record))
        return row

    def finish(record: Record) -> None:
        nonlocal complete
        complete += record.get("complete") is True
        row = written(record)
        rows[row.id] = row
        on_row(row)

    def give_up(id: str, problem: str, digest: str = "") -> None:
        finish(_problem_record(rubric, Row(id, problem=one_line(problem), digest=digest)))

    def to_grade() -> Iterator[Submission]:
        nonlocal earlier, begun
        for entry in part.in_order(waiting.values(), before):
            try:
                submission = entry.read()
            except SubmissionError as error:
                give_up(entry.id, str(error))
                continue
            record = results.find(submission) if results is not None else None
            if record is not None:
                earlier += 1
                finish(record)
            elif part.is_over(begun):
                left.add(entry.id)
                steps.on_leave(entry.id)
            else:
                begun += 1
                steps.on_start(entry.id)
                yield submission

    def record_of(graded: Graded) -> Record:
        report = report_on(graded, rubric, only, for_staff=True)
        record = json_report.as_dict(report, for_staff=True)
        if results is not None:
            with _kept(len(rows), len(names), records):
                results.keep(graded.submission, record)
        return record

    def once_more() -> Iterator[Submission]:
        for id in tries.once_more():
            with suppress(SubmissionError):  # it was there the first time: that result counts
                submission = waiting[id].read()
                steps.on_start(id)
                yield submission

    tries = Tries()
    for graded in grader.grade(to_grade()):
        record = record_of(graded)
        if tries.is_done(graded.submission.id, record):
            finish(record)
        else:
            steps.on_put_off(graded.submission.id)
    for graded in grader.grade(once_more()):
        finish(tries.last(graded.submission.id, record_of(graded)))
    for record in tries.rest():
        finish(record)
    for id in waiting.keys() - rows.keys() - left:
        give_up(id, "could not check: grading ended without a result. Grade this one again.")
    without = {id: NOT_YET for id in left if id not in before}
    if part.is_everybody:
        for id in absent:
            give_up(id, NOTHING)
    else:
        without |= dict.fromkeys(absent, NOTHING)
    others = {id: before[id] for id in left if id in before}
    for id, problem in without.items():
        others[id] = written(_problem_record(rubric, Row(id, problem=problem)))
    everybody = {**rows, **others}
    write_class_results(everybody.values(), names, rubric, only, by_person, out)
    stale = sorted(path.name for path in records.glob("*.json") if path.name not in names.values())
    review = to_review((everybody[id] for id in sorted(everybody)), by_person.given)
    return Summary(_by_id(rows), complete, review, tuple(stale), earlier, _by_id(others))


def _by_id(rows: Mapping[str, Row]) -> tuple[Row, ...]:
    return tuple(rows[id] for id in sorted(rows))


@contextmanager
def _kept(done: int, all: int, records: Path) -> Iterator[None]:
    """Say in a WritingError how many submissions are graded and kept, and where."""
    try:
        yield
    except WritingError as error:
        kept = f"{done} of {all} submissions are graded and kept in {records}"
        raise WritingError(f"{error}\n{kept}.") from error


def _problem_record(rubric: Rubric, row: Row) -> dict[str, object]:
    return {
        "format": json_report.FORMAT,
        "course": rubric.course,
        "submission": {"id": row.id, "digest": row.digest or None, "entries": {}},
        "problem": row.problem,
    }
