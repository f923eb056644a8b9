"""Write `written/<slug>.md`: one question, its marking guide, and every answer.

Each answer comes with the automatic results of the same assignment. The sheet is made from the
records, one at a time: the answers of a class need not fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from grader.batch.gradebook import Given, GivenPoints
from grader.course.questions import WrittenItem
from grader.grade.evidence import Outcome
from grader.report.fragments import block, plain, span, table
from grader.text.points import exact, shown, signed

_QUIET = frozenset({Outcome.PASSED, Outcome.CARRIED, Outcome.BLOCKED})


def sheet(
    item: WrittenItem,
    guide: str,
    records: Iterable[Mapping[str, Any]],
    given: GivenPoints,
    file: str = "written.csv",
) -> Iterator[str]:
    """Yield the pieces of the sheet, in the order of the records; `file` takes the points."""
    yield f"# {span(item.slug)}: up to {shown(item.points)} points by a person\n\n{item.question}\n"
    yield f"\n## How to mark it\n\n{guide.strip()}\n\n"
    if item.scheme:
        worth = ((span(one.id), signed(one.points)) for one in item.scheme)
        yield f"{table(('Item', 'Points'), worth)}\n\n"
        yield (
            f"Enter the ids of what applies in `{file}`, column `ticked`, with blanks between, or "
            "else points in the column `points`: 0 where nothing applies.\n"
        )
    else:
        yield f"Enter the points in `{file}`, column `points`.\n"
    for record in records:
        id = record["submission"]["id"]
        yield "\n---\n\n" + "\n\n".join(
            _student(item, record, given.get((id, item.slug), Given(None)))
        )
        yield "\n"


def _student(item: WrittenItem, record: Mapping[str, Any], one: Given) -> Iterator[str]:
    answer = _answer(item, record)
    yield f"## {span(record['submission']['id'])}"
    points = "no points yet" if one.points is None else f"{exact(one.points)} points"
    if one.ticked:
        points += f" ({', '.join(map(span, one.ticked))})"
    comment = f", {span(one.comment)}" if one.comment else ""
    if answer is None:
        yield f"not read: {span(record.get('problem', 'there is no result'))} ({points}{comment})"
        return
    if not answer["answered"]:
        yield f"empty ({points}{comment})"
    else:
        places = ", ".join(span(_place(where)) for where in answer["places"])
        yield f"{answer['words']} words, {places} ({points}{comment})"
        yield block(answer["text"].split("\n"))
    mine = [e for e in record["exercises"] if e["assignment"] == item.assignment]
    yield table(("Graded automatically", "Points", "Lost in", "Likely cause"), map(_evidence, mine))


def _answer(item: WrittenItem, record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    answers = record.get("written", {}).get("answers", ())
    return next((one for one in answers if one["slug"] == item.slug), None)


def _evidence(exercise: Mapping[str, Any]) -> tuple[str, str, str, str]:
    earned = "?" if exercise["points"] is None else shown(Fraction(exercise["points"]))
    lost = [c["name"] for c in exercise["criteria"] if c["points"] != c["max_points"]]
    causes = dict.fromkeys(c["cause"]["text"] for c in exercise["checks"] if c["cause"])
    outcomes = {check["outcome"] for check in exercise["checks"]} - _QUIET
    if outcomes == {Outcome.NOT_ATTEMPTED}:
        lost = ["not attempted"]
    points = f"{earned} / {shown(Fraction(exercise['max_points']))}"
    return span(exercise["slug"]), points, plain(", ".join(lost)), plain("; ".join(causes))


def _place(where: Mapping[str, Any]) -> str:
    if where["cell"] is not None:
        return f"{where['file']} cell {where['cell']}"
    return f"{where['file']}:{where['line']}"
