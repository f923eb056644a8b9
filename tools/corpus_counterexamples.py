"""Look for counterexamples in whole submissions: `tools/corpus_counterexamples.py [NAME ...]`.

Each submission of `tests/corpus` is graded by one engine, as `grader check` grades it. Of every
exercise that is wrong in a public check: is the smallest counterexample there, and is a right line
named? Those that answer no check at all are counted apart. A counterexample is run again from its
snippet, in a new process with the files as they were handed in; so is a right line, on further
draws, where the file is a script of the assignment's name. Nothing may be said of an exercise that
fails no check. Exit code 1 if a snippet gives another answer, if the reference computes the value
of a right line nowhere, or if anything is said of a right exercise.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course.course import Course, find_course  # noqa: E402
from grader.course.rubric import Visibility  # noqa: E402
from grader.engine.engine import Engine, Options  # noqa: E402
from grader.engine.result import Result  # noqa: E402
from grader.grade.counterexample import Counterexample  # noqa: E402
from grader.grade.evidence import Observation, Outcome  # noqa: E402
from grader.grade.right_lines import RightLines  # noqa: E402
from grader.submission.submission import Submission, read_submission  # noqa: E402
from tests.support import busy  # noqa: E402
from tests.support.corpus import CORPUS, names  # noqa: E402
from tools.counterexamples import AGAIN_S, reproduced  # noqa: E402
from tools.right_up_to_here import Bench  # noqa: E402

WRONG = (Outcome.FAILED, Outcome.STUDENT_ERROR)
ANSWERED = (Outcome.PASSED, Outcome.FAILED, Outcome.CARRIED)
"""The outcomes of checks that had an answer to look at."""


@dataclass
class Sums:
    """What was seen in all submissions, by `submission: exercise`."""

    found: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    found_hidden: list[str] = field(default_factory=list)
    missed_hidden: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    """Those that answer no check: a file that does not load, a definition that is not there."""
    unanswered_found: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    of_right_answers: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    compared: int = 0
    """The exercises whose right lines were compared again."""
    not_reproduced: list[str] = field(default_factory=list)
    wronged: list[str] = field(default_factory=list)
    ours: list[str] = field(default_factory=list)
    """Mistakes of ours in a search, with their places."""
    sizes: list[int] = field(default_factory=list)


def main(only: Sequence[str]) -> int:
    """Print what was found, missed, and said of right exercises."""
    course, sums = find_course(ROOT), Sums()
    folders = [CORPUS / name for name in only or names()]
    submissions = [read_submission(one, id=one.name) for one in folders]
    with Engine(course, Options(counterexamples=True)) as engine:
        for result in busy.graded(engine, submissions):
            _measure(course, result, sums)
            print(".", end="", flush=True)
    _print(sums)
    return int(bool(sums.not_reproduced or sums.false or sums.wronged or sums.ours))


def _measure(course: Course, result: Result, sums: Sums) -> None:
    by_exercise: dict[str, list[Observation]] = {}
    for seen in result.observations:
        by_exercise.setdefault(seen.check.split("/")[0], []).append(seen)
    for slug, observations in by_exercise.items():
        name = f"{result.submission.id}: {slug}"
        sums.ours += [f"{name}: {seen.staff}" for seen in observations if _is_ours(seen)]
        example = next((seen.counterexample for seen in observations if seen.counterexample), None)
        lines = next((seen.right_lines for seen in observations if seen.right_lines), None)
        failing = [seen for seen in observations if seen.outcome in WRONG]
        if failing and all(seen.outcome not in ANSWERED for seen in observations):
            sums.unanswered.append(name)
            sums.unanswered_found += [name] if example else []
            continue
        if not failing:
            sums.wronged += [name] if example or lines else []
            continue
        _count(sums, name, example, lines, any(_is_public(course, seen) for seen in failing))
        stem = course.rubric.exercises[slug].assignment
        if example and not reproduced(example, sources(course, result.submission, stem), stem):
            sums.not_reproduced.append(name)
        if lines:
            texts = sources(course, result.submission, stem)
            targets = course.rubric.exercises[slug].targets
            false = false_lines(course, stem, targets, lines, texts)
            sums.compared += false is not None
            sums.false += [f"{name}: {one}" for one in false or ()]


def false_lines(
    course: Course,
    stem: str,
    targets: Sequence[str],
    lines: RightLines,
    texts: Mapping[str, str],
) -> list[str] | None:
    """Return the right lines that are none, looked at in a new process; None if it failed."""
    receiving, sending = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(AGAIN_S)
        with contextlib.suppress(BaseException):
            false = Bench(course).false_lines(stem, targets, lines, texts)
            os.write(
                sending, json.dumps([f"{one.where.line} {one.text}" for one in false]).encode()
            )
            os._exit(0)
        os._exit(1)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        found = pipe.read()
    is_done = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return list(json.loads(found)) if is_done else None


def _is_ours(seen: Observation) -> bool:
    return seen.staff.startswith(("counterexample: ", "intermediates: "))


def _is_public(course: Course, seen: Observation) -> bool:
    slug, criterion, *_rest = seen.check.split("/")
    found = course.rubric.exercises[slug].criteria.get(criterion)
    return found is not None and found.visibility is Visibility.PUBLIC


def _count(
    sums: Sums, name: str, example: Counterexample | None, lines: RightLines | None, is_public: bool
) -> None:
    """Count a wrong exercise."""
    if example is None:
        (sums.missed if is_public else sums.missed_hidden).append(name)
    else:
        (sums.found if is_public else sums.found_hidden).append(name)
        sums.sizes.append(sum(len(one.entries) for one in example.inputs))
    if lines is None:
        sums.silent.append(name)
    else:
        (sums.of_right_answers if lines.right_answer else sums.named).append(name)


def sources(course: Course, submission: Submission, stem: str) -> Mapping[str, str]:
    """Return the code of an assignment as it was handed in, and of those that it may import.

    What is not written in those is taken from the reference, as a grader takes it.
    """
    stems = list(course.rubric.assignments.values())
    needed = stems[: stems.index(stem) + 1]
    own = {Path(name).stem: "\n".join(_code(name, data)) for name, data in submission.files.items()}
    right = {one: course.reference(one).read_text(encoding="utf-8") for one in needed[:-1]}
    return {
        **{one: f"{text}\n{own.get(one, '')}" for one, text in right.items()},
        stem: own.get(stem, ""),
    }


def _code(name: str, data: bytes) -> Iterator[str]:
    """Yield the pieces of code in a file; of a notebook, the definitions in cells that are code.

    The grader goes on after a statement that raises, and so has to leave those out who cannot.
    """
    text = data.decode("utf-8", "replace")
    if not name.endswith(".ipynb"):
        yield text
        return
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            lines = "".join(cell["source"]).splitlines()
            code = "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!")))
            with contextlib.suppress(SyntaxError):
                yield from (ast.unparse(one) for one in ast.parse(code).body if _is_kept(one))


def _is_kept(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))


def _print(sums: Sums) -> None:
    public, hidden = len(sums.found), len(sums.found_hidden)
    told = len(sums.named) + len(sums.of_right_answers)
    print(f"\nfails a public check: {public} of {public + len(sums.missed)} found")
    print(f"fails hidden checks only: {hidden} of {hidden + len(sums.missed_hidden)} found")
    print(f"answers no check at all: {len(sums.unanswered)}, ", end="")
    print(f"{len(sums.unanswered_found)} found; they are in none of the other numbers")
    print(f"numbers: {max(sums.sizes, default=0)} at most")
    print(f"a right line named in {told} of {told + len(sums.silent)} wrong exercises, ", end="")
    print(f"{len(sums.of_right_answers)} of them on a call whose answer is right")
    print(f"right lines of {sums.compared} exercises compared again: {len(sums.false)} false")
    for label in (
        "missed",
        "missed_hidden",
        "silent",
        "not_reproduced",
        "false",
        "wronged",
        "ours",
    ):
        for one in getattr(sums, label):
            print(f"  {label}: {one}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
