"""Compare the items of `pytest --grader` with reports: `tools/pytest_items.py [NAME ...]`.

Every submission of `tests/corpus` is graded twice, each time by one engine for all: once for the
items, whose verdicts are read from pytest's own report, and once as `grader check` grades. Prints a
line for each item that differs; exit code 1 if there is one.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course.course import Course, find_course  # noqa: E402
from grader.engine.engine import Engine, Options  # noqa: E402
from grader.engine.lanes import cores  # noqa: E402
from grader.pytest_items.grading import FolderGrading  # noqa: E402
from grader.report.content import report_on  # noqa: E402
from grader.submission.submission import read_submission  # noqa: E402
from tests.support import busy  # noqa: E402
from tests.support.corpus import CORPUS, names  # noqa: E402
from tests.support.items import Verdicts, item_verdicts, verdicts_of  # noqa: E402

OPTIONS = Options(workers=cores())


def main(only: Sequence[str]) -> int:
    """Print what differs, and how many items there are of each verdict."""
    course = find_course(CORPUS)
    folders = [CORPUS / name for name in only or names()]
    seen, wanted = _by_items(course, folders), dict(_by_reports(course, folders))
    differing = 0
    for name, tags in wanted.items():
        for check in sorted(tags.keys() | seen[name].keys()):
            one, other = seen[name].get(check, "no item"), tags.get(check, "no such check")
            if one != other:
                differing += 1
                print(f"{name}: {check}: item {one}, report {other}")
    counts = Counter(tag for tags in seen.values() for tag in tags.values())
    print(f"{len(folders)} submissions, {sum(counts.values())} items, {differing} differ")
    print(", ".join(f"{tag} {count}" for tag, count in sorted(counts.items())))
    return int(differing > 0)


def _by_items(course: Course, folders: Sequence[Path]) -> Verdicts:
    with Engine(course, OPTIONS) as engine, tempfile.TemporaryDirectory() as folder:
        # One engine for all folders, in this process alone: one for each would take minutes more.
        FolderGrading._engine = engine  # type: ignore[assignment]
        with contextlib.redirect_stdout(io.StringIO()):
            return item_verdicts(folders, Path(folder) / "items.xml")


def _by_reports(course: Course, folders: Sequence[Path]) -> Iterator[tuple[str, dict[str, str]]]:
    with Engine(course, OPTIONS) as engine:
        submissions = [read_submission(one, id=one.name) for one in folders]
        for result in busy.graded(engine, submissions):
            report = report_on(result, course.rubric, ())
            name = result.submission.id
            yield name, verdicts_of(report, FolderGrading(CORPUS / name))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
