"""`python -m tests.corpus NAME`: grade one case of the corpus, and hold it against its grade.

For a case without `expect.yaml` it prints one to begin with. Exit code 1 if the grade is another.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.report.content import report_on
from grader.report.terminal import render
from grader.submission.submission import read_submission
from grader.text.problem import did_you_mean
from tests.support.corpus import CORPUS, as_expectations, differences, expectations, names


def main(arguments: Sequence[str]) -> int:
    """Grade the case that is named; say what differs from what it states."""
    if len(arguments) != 1 or not (CORPUS / arguments[0]).is_dir():
        hint = did_you_mean(arguments[0], names()) if arguments else ""
        print(f"give the name of one folder in {CORPUS}{hint}", file=sys.stderr)
        return 2
    name = arguments[0]
    course = find_course(CORPUS)
    submission = read_submission(CORPUS / name, id=name)
    with Engine(course, Options(workers=1)) as engine:
        (result,) = engine.grade([submission])
    report = report_on(result, course.rubric, ())
    wanted = expectations(name)
    render(report, Console(highlight=False), CORPUS)
    if not wanted:
        print(f"\n{name} states nothing yet. Look at each number, then write expect.yaml:\n")
        print(as_expectations(report))
        return 1
    found = list(differences(report, wanted))
    print("\n" + ("\n".join(found) or f"{name}: the grade that it states"))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
