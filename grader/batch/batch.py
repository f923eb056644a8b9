"""Grade a folder of submissions: one record per student, and a gradebook at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.batch.attempts import numbered
from grader.batch.best_attempt import BestAttempts
from grader.batch.class_results import RECORDS, ByPerson, write_class_results
from grader.batch.discovery import Entry
from grader.batch.gradebook import Row, row_of
from grader.batch.names import record_names
from grader.batch.part import EVERYBODY, ClassPart, records_before
from grader.batch.progress import UNSEEN, Steps
from grader.batch.record_file import RecordFile, RowFile, brief
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
from grader.store.ruled_totals import with_totals
from grader.store.store import Record
from grader.submission.submission import Submission, SubmissionError

_NO_RESULT = "could not check: grading ended without a result. Grade this one again."


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
    waiting = {entry.id: entry for entry in entries}
    absent = tuple(absent)
    names = {entry.id: entry.record for entry in (*waiting.values(), *part.others)}
    names |= record_names([*names, *absent])
    make_folder(out / RECORDS)
    untouched = {entry.id: names[entry.id] for entry in part.may_be_left(waiting.values())}
    batch = _Batch(rubric, out / RECORDS, only, results, part, times, waiting, names, on_row, steps)
    batch.read_before(records_before(out / RECORDS, untouched, rubric, only))
    batch.grade(grader)
    others = batch.rows_of_others(absent)
    everybody = RowFile(batch.known)
    by_person = by_person or ByPerson()
    write_class_results(everybody, names, rubric, only, by_person, out)
    review = to_review(everybody, by_person.given)
    rows = RowFile(batch.known, batch.done)
    return Summary(rows, batch.complete, review, batch.stale(), batch.earlier, others)


@dataclass
class _Batch:
    """A class while it is graded: who waits, who has a row, who is left for another run."""

    rubric: Rubric
    records: Path
    only: tuple[str, ...]
    results: Results | None
    part: ClassPart
    times: TimesById
    waiting: Mapping[str, Entry]
    names: Mapping[str, str]
    """Maps everybody to the file name of the record."""
    on_row: Callable[[Row], None]
    steps: Steps
    complete: int = 0
    earlier: int = 0
    """The number of those who were graded before, and for whom nothing has changed."""
    begun: int = 0

    def __post_init__(self) -> None:
        self._called_late = {
            entry.id for entry in (*self.waiting.values(), *self.part.others) if entry.late
        }
        self._left = {entry.id for entry in self.part.others}
        self.known = RecordFile(self.records.parent, self.names)
        """Of everybody with a row what that is made of."""
        self._has_row = dict.fromkeys(self.names, False)
        """Tells of everybody whether there is a row of this run; it does not grow with them."""
        self._before: frozenset[str] = frozenset()
        """Those who may keep the row that they had."""
        self._tries = Tries(RecordFile(self.records.parent))
        self._hand_ins = {one.id: one for e in self.waiting.values() for one in e.to_grade}
        self._best = BestAttempts(self.rubric, self.times)
        self._ran: set[str] = set()
        """The students of several hand-ins whose code ran in this run."""
        self._read: dict[tuple[str, str], Entry] = {}
        """The hand-ins that are being graded, by student and path."""

    @property
    def done(self) -> frozenset[str]:
        """The students who have a row of this run."""
        return frozenset(id for id, has_row in self._has_row.items() if has_row)

    def read_before(self, records: Iterable[tuple[str, Record]]) -> None:
        """Take note of the records of those who may keep theirs."""
        for id, record in records:
            self.known[id] = brief(record)
        self._before = frozenset(self.known)

    def grade(self, grader: Grader) -> None:
        """Give everybody who waits a row; twice tried, if something failed by chance."""
        for graded in grader.grade(self._to_grade()):
            record, one = self._record_of(graded), self._entry_of(graded.submission)
            if self._tries.is_done(one.id, record):
                self._take(one, record)
            else:
                self.steps.on_put_off(one.id)
        for graded in grader.grade(self._once_more()):
            record, one = self._record_of(graded), self._entry_of(graded.submission)
            self._take(one, self._tries.last(one.id, record))
        for id, record in self._tries.rest():
            self._take(self._hand_ins[id], record)
        for id in self.waiting.keys() - self.done - self._left:
            self._end_without(self.waiting[id])

    def rows_of_others(self, absent: Iterable[str]) -> RowFile:
        """Return the rows of those who were not graded in this run.

        In a run of everybody, who is absent counts as graded, and has a row among the rest.
        """
        without = {id: NOT_YET for id in self._left - self._before}
        if self.part.is_everybody:
            for id in absent:
                self._give_up(id, NOTHING)
        else:
            without |= dict.fromkeys(absent, NOTHING)
        for id, problem in without.items():
            self._written(_problem_record(self.rubric, Row(id, problem=problem)))
        return RowFile(self.known, {*self._left, *without})

    def stale(self) -> tuple[str, ...]:
        """Return the records in the folder that are nobody's."""
        names = {*self.names.values()}
        return tuple(sorted(p.name for p in self.records.glob("*.json") if p.name not in names))

    def _to_grade(self) -> Iterator[Submission]:
        for entry in self.part.in_order(self.waiting.values(), self._before):
            for one in entry.to_grade:
                if entry.id in self._left:
                    break
                yield from self._to_grade_now(entry, one)

    def _to_grade_now(self, entry: Entry, one: Entry) -> Iterator[Submission]:
        """Yield a hand-in of a student, unless it cannot be read, has a result, or is left."""
        try:
            submission = one.read()
        except SubmissionError as error:
            self._miss(entry, one, str(error))
            return
        record = self.results.find(submission) if self.results is not None else None
        if record is not None:
            self.earlier += one is entry
            self._take(one, record)
        elif self.part.is_over(self.begun):
            self._left.add(entry.id)
            self.steps.on_leave(entry.id)
        else:
            self.begun += 1
            if one is not entry:
                self._ran.add(entry.id)
            self.steps.on_start(one.id)
            self._read[submission.id, submission.path] = one
            yield submission

    def _once_more(self) -> Iterator[Submission]:
        for id in self._tries.once_more():
            with suppress(SubmissionError):  # it was there the first time: that result counts
                one = self._hand_ins[id]
                submission = one.read()
                self.steps.on_start(id)
                self._read[submission.id, submission.path] = one
                yield submission

    def _entry_of(self, submission: Submission) -> Entry:
        return self._read.pop((submission.id, submission.path))

    def _take(self, one: Entry, record: Record) -> None:
        """Finish a student, or wait for the other hand-ins if the best of them counts."""
        entry = self.waiting[record["submission"]["id"]]
        if one is entry:
            self._finish(record, one)
            return
        self.steps.on_put_off(one.id)
        self._best.take(one, record)
        self._decide(entry)

    def _miss(self, entry: Entry, one: Entry, problem: str) -> None:
        """Take note that a hand-in cannot be read."""
        if one is entry:
            self._give_up(entry.id, problem)
            return
        self._best.miss(one, problem)
        self._decide(entry)

    def _decide(self, entry: Entry) -> None:
        """Finish a student of whom the best counts as soon as all hand-ins are graded."""
        if self._best.is_whole(entry) and entry.id not in self._left:
            self._end_without(entry)

    def _end_without(self, entry: Entry) -> None:
        """Finish a student with what there is: the best hand-in, or the reason for having none."""
        counted = self._best.best(entry)
        if counted is None:
            self._give_up(entry.id, self._best.problem(entry) or _NO_RESULT)
        else:
            self.earlier += entry.id not in self._ran
            self._finish(counted.record, counted.attempt)

    def _record_of(self, graded: Graded) -> Record:
        report = report_on(graded, self.rubric, self.only, for_staff=True)
        record = json_report.as_dict(report, for_staff=True)
        if self.results is not None:
            with self._keeping():
                self.results.keep(graded.submission, record)
        return record

    def _finish(self, record: Record, counted: Entry | None = None) -> None:
        self.complete += record.get("complete") is True
        row = self._written(record, counted)
        self._has_row[row.id] = True
        self.on_row(row)

    def _give_up(self, id: str, problem: str) -> None:
        self._finish(_problem_record(self.rubric, Row(id, problem=one_line(problem))))

    def _written(self, record: Record, counted: Entry | None = None) -> Row:
        """Write the record of a student; `counted` is the hand-in that it is of, if it is known."""
        id = record["submission"]["id"]
        one = counted or self.waiting.get(id)
        record = numbered(record, one)
        if one.late if one is not None else id in self._called_late:
            record = {**record, "late": True}
        times = self.times.get(one.id if one is not None else id, NO_TIMES)
        record = with_lateness(record, self.rubric, times)
        record = with_totals(record, self.rubric)
        record = adjusted(record, ()) if self.results is None else self.results.adjusted(record)
        row = row_of(record)
        with self._keeping():
            write_file(self.records / self.names[row.id], record_text(record))
            self.known[row.id] = brief(record)
        return row

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """Say in a WritingError how many submissions are graded and kept, and where."""
        try:
            yield
        except WritingError as error:
            done = f"{len(self.done)} of {len(self.names)} submissions"
            kept = f"{done} are graded and kept in {self.records}"
            raise WritingError(f"{error}\n{kept}.") from error


def _problem_record(rubric: Rubric, row: Row) -> dict[str, object]:
    return {
        "format": json_report.FORMAT,
        "course": rubric.course,
        "submission": {"id": row.id, "digest": row.digest or None, "entries": {}},
        "problem": row.problem,
    }
