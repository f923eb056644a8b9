"""Make a report again from the record that `grader batch` keeps, so that no code has to run.

The opposite of `grader.report.json.as_dict`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from grader.course.rubric import Rubric
from grader.grade.counterexample import Counterexample, SmallArray
from grader.grade.evidence import Cause, Grid, Note, Observation, Outcome, Picture, Weights, Where
from grader.grade.right_lines import Likeness, RightAnswer, RightKind, RightLines, RightValue
from grader.report.beside import beside_checks
from grader.report.content import PersonMark, Report, report_from
from grader.report.counted_hand_in import counted_in
from grader.submission.submission import Submission
from grader.submission.written_answers import WrittenAnswer
from grader.wire.faults import Violation
from grader.wire.isolation_record import IsolationRecord

if TYPE_CHECKING:
    from grader.course.explanations import Explanations

Values = Mapping[str, Any]


@dataclass(frozen=True)
class RecordedResult:
    """A graded submission as its record has it."""

    submission: Submission
    observations: tuple[Observation, ...]
    loading: tuple[Note, ...]
    tier: str
    isolation: IsolationRecord | None
    duration_ms: float
    entries: Mapping[str, str]


@dataclass(frozen=True)
class Additions:
    """All that a report shows and a record does not hold."""

    files: Mapping[str, bytes]
    """The student's files; empty if nobody named them: then no code is shown."""
    explanations: Explanations | None = None
    person_marks: Mapping[str, PersonMark] | None = None


def report_of(
    record: Values, rubric: Rubric, only: Iterable[str] = (), more: Additions | None = None
) -> Report:
    """Return the report that students may read, made from a record that has no problem.

    Raises KeyError, TypeError, ValueError or AttributeError for what is no such record.
    """
    more = more or Additions({})
    result = recorded(record, more.files)
    report = report_from(result, result.observations, rubric, only, more.explanations)
    if len(report.observations) != len(result.observations):
        raise ValueError("checks of exercises that are not reported on")
    answers = tuple(_answers(record, rubric))
    marks, beside = more.person_marks or {}, beside_checks(record)
    counted = counted_in(record)
    return replace(report, written=answers, person_marks=marks, beside=beside, counted=counted)


def recorded(record: Values, files: Mapping[str, bytes]) -> RecordedResult:
    """Return the result in a record; `files` are those of the student."""
    notes = tuple(map(_note, record["notes"]))
    # Files that were skipped come first; the next step is found by their names.
    skipped = tuple(takewhile(lambda note: note.kind == "problem" and not note.where, notes))
    about, timings = record["submission"], record["timings"]
    isolation = record["isolation"]
    return RecordedResult(
        submission=Submission(
            _text(about["id"]), files, _text(about["digest"]), "", tuple(n.text for n in skipped)
        ),
        observations=tuple(observed(record)),
        loading=notes[len(skipped) :],
        tier=_text(isolation["tier"]),
        isolation=_isolation(isolation),
        duration_ms=float(timings["duration_ms"]),
        entries={stem: _text(file) for stem, file in about["entries"].items()},
    )


def observed(record: Values, cause: str | None = None) -> Iterator[Observation]:
    """Yield what was observed in each check, or in those that fail by a cause, named by its id."""
    durations = record["timings"]["checks_ms"]
    for exercise in record["exercises"]:
        for one in exercise["checks"]:
            if cause is None or (one["cause"] is not None and one["cause"]["id"] == cause):
                yield _observation(one, durations)


def _isolation(values: Values) -> IsolationRecord | None:
    try:
        return IsolationRecord.of(values) if "enforced" in values else None
    except Violation as error:
        raise ValueError(str(error)) from None


def _observation(values: Values, durations: Mapping[str, float]) -> Observation:
    outcome = Outcome(values["outcome"])
    return Observation(
        check=_text(values["check"]),
        title=_text(values["title"]),
        outcome=outcome,
        observed=_text(values["observed"]),
        expected=_text(values["expected"]),
        cause=None if values["cause"] is None else _cause(values["cause"]),
        where=_where(values["where"]),
        notes=_texts(values["notes"]),
        precision=values["precision"],
        duration_ms=float(durations.get(values["check"], 0.0)),
        also=tuple(map(_cause, values["also"])),
        picture=_picture(values["picture"]),
        weights=_weights(values["weights"]),
        counterexample=_example(values.get("counterexample")),
        nothing_small=values.get("nothing_small") is True,
        right_lines=_right_lines(values.get("right_lines")),
        # Records of older versions lack it: what is blocked cannot be told without.
        needs=_texts(values["needs"] if outcome is Outcome.BLOCKED else []),
    )


def _answers(record: Values, rubric: Rubric) -> Iterator[WrittenAnswer]:
    for one in record.get("written", {}).get("answers", ()):
        places = (_where(place) for place in one["places"])
        known = tuple(place for place in places if place is not None)
        yield WrittenAnswer(rubric.written[one["slug"]], _text(one["text"]), known)


def _cause(values: Values) -> Cause:
    return Cause(
        _text(values["id"]),
        _text(values["text"]),
        _whole(values["fits"]),
        _whole(values["of"]),
        values.get("beside") is True,
    )


def _where(values: Values | None) -> Where | None:
    if values is None:
        return None
    line, cell = values["line"], values["cell"]
    return Where(
        _text(values["file"]),
        None if line is None else _whole(line),
        None if cell is None else _whole(cell),
        bool(values.get("likely", False)),
    )


def _note(values: Values) -> Note:
    return Note(_text(values["kind"]), _text(values["text"]), _where(values["where"]))


def _picture(values: Values | None) -> Picture | None:
    if values is None:
        return None
    rows = tuple(tuple(map(float, row)) for row in values["rows"])
    return Picture(_text(values["kind"]), _text(values["title"]), rows)


def _weights(values: Values | None) -> Weights | None:
    if values is None:
        return None
    row, column = _texts(values["axes"])
    returned, expected = _grid(values["returned"]), _grid(values["expected"])
    return Weights(returned, expected, (row, column), bool(values["cut"]))


def _example(values: Values | None) -> Counterexample | None:
    if values is None:
        return None
    yours = values["yours"]
    return Counterexample(
        call=_text(values["call"]),
        inputs=tuple(map(_array, values["inputs"])),
        weights=tuple(map(_array, values["weights"])),
        expected=_array(values["expected"]),
        yours=None if yours is None else _array(yours),
        instead=_text(values["instead"]),
        wrong=_whole(values["wrong"]),
        words=_texts(values["words"]),
        snippet=_text(values["snippet"]),
    )


def _right_lines(values: Values | None) -> RightLines | None:
    if values is None:
        return None
    lines = tuple(map(_right_value, values["values"]))
    answer = values.get("right_answer")
    right = None if answer is None else RightAnswer(_text(answer["call"]), _texts(answer["inputs"]))
    return RightLines(lines, _where(values["nothing_from"]), right) if lines else None


def _right_value(values: Values) -> RightValue:
    where = _where(values["where"])
    if where is None:
        raise TypeError(values)
    kind, likeness = RightKind(values["kind"]), tuple(map(Likeness, values["likeness"]))
    return RightValue(where, kind, _text(values["text"]), likeness)


def _array(values: Values) -> SmallArray:
    shape = tuple(map(_whole, values["shape"]))
    return SmallArray(
        _text(values["name"]), shape, _texts(values["entries"]), _texts(values["axes"])
    )


def _grid(rows: Any) -> Grid:
    return tuple(tuple(None if n is None else float(n) for n in row) for row in rows)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(values)
    return tuple(map(_text, values))


def _whole(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError(value)
    return value
