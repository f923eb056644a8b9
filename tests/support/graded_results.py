"""A small class in all states, graded into a folder of results, for the tests of exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.batch.attendance import of_roster
from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.batch.roster import read_roster
from grader.cli import cli
from grader.course.rubric import Rubric
from grader.course.rubric_file import load_rubric
from grader.grade.evidence import FLAG, Cause, Note, Observation, Outcome, Where
from grader.report.content import Graded
from grader.submission.submission import Submission
from tests.unit.samples import SampleResult, observations, write_course

CAUSE = Cause("add.minus", "Subtracted instead of adding.", 2, 2)
SECRET_PASSED = "The sum of a secret is right."
SECRET_STAFF = "suites/test_secret.py:7"
SECRET_FLAG = "a secret flag"
SHOWN_FAILED = "The sum is right."
QUESTIONS = "written:\n  s1.why: {points: 2, question: Why?}\n"
CLASS = {
    "studentone_101": "passed",
    "studenttwo_LATE_102": "failed",
    "studentthree_103": "could_not_check",
    "학생_104": "blocked",
    "studentfive_105": "half",
}
ROSTER = (
    "id\nstudentone_101\nstudenttwo_102\nstudentthree_103\n학생_104\nstudentfive_105\nsix_106\n"
)


@dataclass
class MixedGrader:
    """Gives each submission the outcome that its first line names; `half` fails a hidden check."""

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in submissions:
            word = next(iter(one.files.values())).decode().split()[0].strip("#")
            seen = _half() if word == "half" else _all(Outcome(word))
            notes = (Note(FLAG, SECRET_FLAG), Note("note", "A remark.", Where("s1_sums.py", 2)))
            yield SampleResult(one, seen, notes)


def _all(outcome: Outcome) -> tuple[Observation, ...]:
    needs = ("s2.mean",) if outcome is Outcome.BLOCKED else ()
    staff = SECRET_STAFF if outcome is Outcome.COULD_NOT_CHECK else ""
    seen = observations(outcome, "observed < 1", "expected 2", needs)
    return tuple(replace(one, staff=staff) for one in seen)


def _half() -> tuple[Observation, ...]:
    """Of two hidden checks one passes: nothing may be told of it."""
    public, hidden, other = observations(Outcome.PASSED)
    place = Where("s1_sums.py", 5)
    return (
        public,
        replace(hidden, check="s1.add/outputs/test_secret", title=SECRET_PASSED),
        replace(
            hidden,
            title=SHOWN_FAILED,
            outcome=Outcome.FAILED,
            observed="3",
            expected="4",
            cause=CAUSE,
            where=place,
        ),
        other,
    )


def write_class(root: Path, *, asks: bool = False) -> Path:
    """Make a course in `root` with a class graded into `out`; return that folder."""
    course = write_course(root)
    if asks:
        with (course / "rubric.yaml").open("a", encoding="utf-8") as rubric:
            rubric.write(QUESTIONS)
    folder = course / "class"
    folder.mkdir()
    for number, (name, word) in enumerate(CLASS.items(), start=1):
        text = f"#{word}\n\n\ndef add(a, b):\n    return a - b\n"
        (folder / f"{name}_{number}_s1_sums.py").write_text(text, encoding="utf-8")
    (root / "roster.csv").write_text(ROSTER, encoding="utf-8")
    return grade_into(root, load_rubric(root / "rubric.yaml"))


def grade_into(root: Path, rubric: Rubric) -> Path:
    out = root / "out"
    entries, absences = of_roster(
        discover(root / "class", out).entries, read_roster(root / "roster.csv")
    )
    absent = absences.handed_in_nothing
    grade_batch(entries, rubric, MixedGrader(), out, lambda row: None, absent=absent)
    return out


def enter_points(out: Path, points: dict[str, str], comment: str = "") -> None:
    """Enter points for the question, by student."""
    lines = [f'{id},s1.why,{given},"{comment}"\n' for id, given in points.items()]
    text = "id,question,points,comment\n" + "".join(lines)
    (out / "written.csv").write_text(text, encoding="utf-8")


def export(format_: str, *words: str) -> int:
    return cli.main(["export", "out", "--as", format_, *words])
