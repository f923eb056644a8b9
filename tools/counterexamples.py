"""Measure smallest counterexamples on the known mistakes: `tools/counterexamples.py [SLUG ...]`.

For each exercise: how many wrong programs fail a public check by the kill record, for how many of
them a tiny counterexample is found, how many numbers these hold at most, how long a search takes,
and which a new process cannot reproduce. No counterexample may be found for a right program.
`TIMES=1` and `SHOW=1` list each.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

from grader.course.course import Course, find_course  # noqa: E402
from grader.course.kill_record import read_kills  # noqa: E402
from grader.course.misconceptions import Misconception, Variant  # noqa: E402
from grader.course.rubric import POLICY, Visibility  # noqa: E402
from grader.grade.counterexample import Counterexample  # noqa: E402
from grader.judge.bind.roles import load_roles  # noqa: E402
from grader.judge.calls.client import LocalClient  # noqa: E402
from grader.judge.check_runner import ReferenceDefinitions, settle  # noqa: E402
from grader.judge.checks.namespace import Student  # noqa: E402
from grader.judge.checks.probe import Probe  # noqa: E402
from grader.judge.reference.memo import Memo, Reference  # noqa: E402
from grader.judge.reference.references import References  # noqa: E402
from grader.judge.smallest.in_words import counterexample  # noqa: E402
from grader.judge.smallest.search import Budget, smallest  # noqa: E402
from grader.judge.smallest.sides import Sides  # noqa: E402
from grader.judge.smallest.small_calls import load_small_calls  # noqa: E402
from grader.validate.data import Edited, read_course  # noqa: E402
from grader.worker import dynamo  # noqa: E402

SEED = 7
AGAIN_S = 60
"""The seconds that a snippet may take in a new process."""
LIMIT_MS = 150
"""The processor time that a search may take."""


@dataclass
class Row:
    """What was measured on one exercise."""

    found: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    in_time: int = 0
    """How many of `found` were found within LIMIT_MS."""
    found_hidden: list[str] = field(default_factory=list)
    missed_hidden: list[str] = field(default_factory=list)
    right: int = 0
    wronged: list[str] = field(default_factory=list)
    not_reproduced: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)


class Bench:
    """The references of a course, and searches on edits of them, all in this process."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._references = References(course.root, course.rubric.assignments.values())
        self._roles = load_roles(course.root)
        self._calls = load_small_calls(course.root, course.rubric.exercises)
        # A judge is warm: it keeps the reference, and how modules of it are stored, for all.
        self._memo, self._warm = Memo(), dict[str, Reference]()
        self.spent_s = 0.0
        """The processor time of all searches, without the making of modules for them."""

    def example(
        self, stem: str, targets: Sequence[str], source: str | None = None
    ) -> Counterexample | None:
        """Return the counterexample to a source of an assignment, or to the reference itself."""
        stems = self._course.rubric.assignments.values()
        edited = self._references.rewritten(stem, source) if source else self._references
        modules = {one: edited.module(one) for one in stems}
        # A second process has modules of its own, with nothing in them that calls left behind.
        fresh = self._references.rewritten(stem, source) if source else self._references
        apart = {one: fresh.module(one) for one in stems}
        for target in targets:
            client = _client(modules, apart)
            client.begin_check()
            settle(SEED)
            reference = self._reference(stem)
            definitions = ReferenceDefinitions(modules)
            student = Student(client, definitions, stem, reference.is_module)
            probe = Probe(SEED, student, reference, self._memo, client.known)
            budget = Budget(time.process_time)  # a busy machine must not look like a miss
            changed = lambda client=client: client.changed  # noqa: E731
            sides = Sides(student, reference, probe, budget.spend, changed)
            started = time.process_time()  # of this process alone, however busy the machine is
            result = smallest(self._calls.of([target]), sides, budget)
            found = None
            if result is not None:
                found = counterexample(result, sides.stored(result.filled), self._calls)
            self.spent_s += time.process_time() - started
            reference.take_back()
            if found is not None:
                return found
        return None

    def _reference(self, stem: str) -> Reference:
        if stem not in self._warm:
            module = self._references.module(stem)
            self._warm[stem] = Reference(module, self._memo, self._roles)
        return self._warm[stem]


def _client(modules: Mapping[str, ModuleType], apart: Mapping[str, ModuleType]) -> LocalClient:
    def lookup(stem: str, name: str) -> object:
        is_apart = client._now is client.apart.state
        return getattr((apart if is_apart else modules)[stem], name)

    client = LocalClient(lookup, lambda _name: False)
    return client


def main(only: Sequence[str]) -> int:
    """Print a row for each exercise; return 1 if a counterexample is not reproduced, or wrong."""
    torch.set_num_threads(1)  # a forked process has none of the others
    dynamo.install()  # as in every process that grades
    course = find_course(ROOT)
    slugs = tuple(only) or tuple(course.rubric.exercises)
    data, bench = read_course(course, slugs), Bench(course)
    rows = {slug: Row() for slug in slugs}
    for slug in slugs:
        for edited in data.edited:
            stem = course.rubric.exercises[slug].assignment
            if slug in edited.slugs and edited.stem == stem:
                _measure(course, bench, edited, slug, rows[slug], data.references)
        print(_line(slug, rows[slug]), flush=True)
    _print_sums(list(rows.values()))
    return int(any(row.not_reproduced or row.wronged for row in rows.values()))


def _measure(
    course: Course,
    bench: Bench,
    edited: Edited,
    slug: str,
    row: Row,
    references: Mapping[str, str],
) -> None:
    exercise = course.rubric.exercises[slug]
    name = edited.entry.target.partition(".")[0]
    targets = [name] if name in exercise.targets else exercise.targets
    id = edited.entry.id
    if isinstance(edited.entry, Variant):
        if slug not in {earned for earned, _criterion in edited.named}:
            return  # right in another exercise alone
        row.right += 1
        row.wronged += [id] if bench.example(edited.stem, targets, edited.source) else []
        return
    kills = read_kills(course.root, slug).get(id, frozenset())
    failed = {check.split("/")[1] for check in kills} - {POLICY}
    if not isinstance(edited.entry, Misconception) or not failed:
        return
    criteria = exercise.criteria
    is_public = any(criteria[one].visibility is Visibility.PUBLIC for one in failed)
    before = bench.spent_s
    example = bench.example(edited.stem, targets, edited.source)
    row.times_ms.append((bench.spent_s - before) * 1e3)
    if os.environ.get("TIMES"):
        print(f"    {id}: {row.times_ms[-1]:.0f} ms")
    if example is None:
        (row.missed if is_public else row.missed_hidden).append(id)
        return
    (row.found if is_public else row.found_hidden).append(id)
    row.in_time += is_public and row.times_ms[-1] <= LIMIT_MS
    row.sizes.append(sum(len(one.entries) for one in example.inputs))
    if os.environ.get("SHOW"):
        print(id, example.call, *example.words, example.snippet, sep="\n")
    if not reproduced(example, {**references, edited.stem: edited.source}, exercise.assignment):
        row.not_reproduced.append(id)


def reproduced(example: Counterexample, sources: Mapping[str, str], stem: str) -> bool:
    """Tell whether a new process gets the same answer from the snippet, after a student's file."""
    child = os.fork()
    if not child:
        code = 2
        signal.alarm(AGAIN_S)
        try:
            code = 0 if _gives(example, sources, stem) else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _gives(example: Counterexample, sources: Mapping[str, str], stem: str) -> bool:
    for name, source in sources.items():
        module = sys.modules[name] = ModuleType(name)
        exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    names: dict[str, Any] = dict(vars(sys.modules[stem]))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(example.snippet, names)
    except Exception as error:
        # The words about a call of a function that it was given name no exception.
        is_named = type(error).__name__ in example.instead
        return is_named or example.instead.startswith("called the function")
    answer = names["shown"]
    if not isinstance(answer, torch.Tensor) and isinstance(answer, (bool, int, float, tuple)):
        answer = torch.tensor(answer)
    if example.instead == "no error":
        return True
    if example.yours is None:
        return not hasattr(answer, "dtype") or str(answer.dtype)[6:] in example.instead
    if tuple(answer.shape) != example.yours.shape:
        return False
    entries = [_number(entry) for entry in example.yours.entries]
    return all(map(_same, map(float, answer.detach().flatten().tolist()), entries))


def _number(entry: str) -> float:
    return float(entry == "True") if entry in ("True", "False") else float(entry)


def _same(one: float, other: float) -> bool:
    both = math.isnan(one) and math.isnan(other)
    return both or one == other or abs(one - other) < 1e-3 * (1 + abs(other))


def _line(slug: str, row: Row) -> str:
    public = f"{len(row.found)}/{len(row.found) + len(row.missed)}"
    hidden = f"{len(row.found_hidden)}/{len(row.found_hidden) + len(row.missed_hidden)}"
    text = (
        f"{slug:20} public {public:7} hidden only {hidden:7} numbers <= {max(row.sizes, default=0)}"
    )
    middle, high = (_quantile(row.times_ms, share) for share in (0.5, 0.95))
    text += f"  ms: median {middle:3.0f}, 95 % below {high:4.0f}, at most "
    text += f"{max(row.times_ms, default=0):4.0f}  right programs {row.right}"
    for label in ("missed", "wronged", "not_reproduced"):
        names = getattr(row, label)
        text += f"\n    {label}: {', '.join(names)}" if names else ""
    return text


def _print_sums(rows: Sequence[Row]) -> None:
    found, missed = (sum(len(getattr(row, name)) for row in rows) for name in ("found", "missed"))
    hidden = sum(len(row.found_hidden) for row in rows)
    rest = sum(len(row.missed_hidden) for row in rows)
    times = [time for row in rows for time in row.times_ms]
    middle, high = _quantile(times, 0.5), _quantile(times, 0.95)
    in_time = sum(row.in_time for row in rows)
    print(f"fails a public check: {found} of {found + missed} found, {in_time} in {LIMIT_MS} ms")
    print(f"fails hidden checks only: {hidden} of {hidden + rest} found")
    print(f"right programs: {sum(row.right for row in rows)}")
    within = sum(time <= LIMIT_MS for time in times)
    print(f"processor time: median {middle:.0f} ms, 95 % below {high:.0f} ms, ", end="")
    print(f"{within} of {len(times)} within {LIMIT_MS} ms")


def _quantile(times: Sequence[float], share: float) -> float:
    """Return the time below which this share of the times is; 0 if there are none."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)] if times else 0.0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
