"""Measure "right up to here" on the known mistakes: `tools/right_up_to_here.py [SLUG ...]`.

For each exercise: for how many wrong functions of several lines a right line is named, for how many
on a call whose answer is right, and how many claims are false. A claim is false if, on a third
draw, the value of the named line is none of those that the unedited reference computes in the same
line, in the lines that the mistake replaced, or under the same name; or if an answer that is called
right is wrong. Of a right program nothing may be named but lines of a right answer, whose values
the reference has to compute on a third draw. `RENAMED=1` gives every variable a name of its own
first, as students do, so that no name agrees with the reference's; `SHOW=1` lists every function
and its last claim, and `EVERY=4` looks at a sample, every fourth function; `EVERY=4:1` at the next
one of each four.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

from grader.course.course import Course, find_course  # noqa: E402
from grader.course.kill_record import read_kills  # noqa: E402
from grader.course.misconceptions import Misconception  # noqa: E402
from grader.course.rubric import POLICY  # noqa: E402
from grader.grade.evidence import Where  # noqa: E402
from grader.grade.right_lines import RightAnswer, RightKind, RightLines, RightValue  # noqa: E402
from grader.judge.bind.roles import load_roles  # noqa: E402
from grader.judge.calls.client import LocalClient  # noqa: E402
from grader.judge.calls.faults import StudentFault  # noqa: E402
from grader.judge.check_runner import ReferenceDefinitions, settle  # noqa: E402
from grader.judge.checks.namespace import Student  # noqa: E402
from grader.judge.checks.probe import Probe  # noqa: E402
from grader.judge.intermediates.agreement import own_comparable  # noqa: E402
from grader.judge.intermediates.alignment import align, comparable  # noqa: E402
from grader.judge.intermediates.draws import RecordedCall, RecordingSides  # noqa: E402
from grader.judge.intermediates.received import NO_PART, OwnValue  # noqa: E402
from grader.judge.intermediates.reference_trace import ReferenceValue  # noqa: E402
from grader.judge.intermediates.right_up_to_here import (  # noqa: E402
    TwoDraws,
    recorded_calls,
    right_up_to_here,
)
from grader.judge.reference.memo import Memo, Reference  # noqa: E402
from grader.judge.reference.references import References  # noqa: E402
from grader.judge.smallest.small_calls import load_small_calls  # noqa: E402
from grader.validate.data import Edited, read_course  # noqa: E402
from grader.worker.recording import RETURNED  # noqa: E402

SEED = 7
THIRD_DRAW = 1000
MOST_DRAWS = 6
"""The most further draws from which a claim is looked at."""
KINDS = ("of_right_answers", "returned_alone", "first_is_wrong", "nothing_compared", "not_made")
"""The lists of a row beside those of a wrong answer."""
SEVERAL = 2
"""Statements, besides the docstring, from which on a function is one of several lines."""


@dataclass
class Row:
    """What was measured on one exercise."""

    named: list[str] = field(default_factory=list)
    of_right_answers: list[str] = field(default_factory=list)
    """Those of which lines are named on a call whose answer is right."""
    returned_alone: list[str] = field(default_factory=list)
    """Those of which nothing is named but the line that returns a right answer."""
    first_is_wrong: list[str] = field(default_factory=list)
    """Those of which no line is named, since the first value that is compared is wrong already."""
    nothing_compared: list[str] = field(default_factory=list)
    """Those that compute no float tensor, beside constants and parts of what was given."""
    not_made: list[str] = field(default_factory=list)
    """Those that cannot be called: the module is not made, or has no room for a parameter."""
    short: list[str] = field(default_factory=list)
    short_named: list[str] = field(default_factory=list)
    claims: int = 0
    false: list[str] = field(default_factory=list)
    right: int = 0
    wronged: list[str] = field(default_factory=list)


@dataclass
class FurtherDraws:
    """A call, the two draws that claims were made from, and some that none was made from."""

    call: RightAnswer
    both: TwoDraws
    made: list[RecordedCall] = field(default_factory=list)

    def draws(self) -> Iterator[RecordedCall]:
        """Yield the third draw and more: on one of them a mask may leave little to compare."""
        for number in range(MOST_DRAWS):
            if number == len(self.made):
                with torch.no_grad():
                    self.made.append(self.both.prepared.recorded(SEED + THIRD_DRAW + number))
            yield self.made[number]

    def first_two(self) -> list[RecordedCall]:
        """Return the third draw and the fourth."""
        return list(islice(self.draws(), 2))


class TextClient(LocalClient):
    """A client that knows the texts of edited files, as one of a submission does."""

    texts: Mapping[str, str] = {}

    def own_text(self, where: Where, start: int, end: int) -> str:
        lines = self.texts.get(where.file, "").split("\n")
        line = lines[where.line - 1] if where.line and where.line <= len(lines) else ""
        return line.encode()[start:end].decode(errors="replace")


class Bench:
    """The references of a course, and recorded runs of edits of them, all in this process."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self.times_ms: list[float] = []
        """The processor time of every search."""
        self._references = References(course.root, course.rubric.assignments.values())
        self._roles = load_roles(course.root)
        self._calls = load_small_calls(course.root, course.rubric.exercises)

    def lines(self, stem: str, target: str, source: str) -> RightLines | None:
        """Return what is said of a source of an assignment."""
        sides, calls = self._sides(stem, source), self._calls.drawn([target])
        started = time.process_time()
        try:
            return right_up_to_here(calls, sides, SEED, None)
        except StudentFault:
            return None  # there is no such function, or no room for its parameters
        finally:
            self.times_ms.append((time.process_time() - started) * 1e3)

    def further_draws(
        self, stem: str, target: str, source: str, beside: Mapping[str, str] | None = None
    ) -> list[FurtherDraws]:
        """Return all calls, to be made with numbers that no claim was made from.

        `beside`: the sources of other assignments, if they are not the reference's.
        """
        sides, calls = self._sides(stem, source, beside or {}), self._calls.drawn([target])
        result: list[FurtherDraws] = []
        with torch.no_grad(), contextlib.suppress(StudentFault):
            for both in recorded_calls(calls, sides, SEED, None):
                result.append(FurtherDraws(both.prepared.in_words, both))
        return result

    def false_lines(
        self, stem: str, targets: Sequence[str], lines: RightLines, texts: Mapping[str, str]
    ) -> list[RightValue]:
        """Return those values of a whole submission that the reference computes nowhere.

        `texts`: the sources of its assignments. Values in another file than `stem`'s are left out.
        """
        file = self._references.module(stem).__file__ or ""
        draws = [
            one
            for target in targets
            for one in self.further_draws(stem, target, texts[stem], texts)
        ]
        meant = _draws_of(lines, draws)
        here = [
            replace(one, where=replace(one.where, file=file))
            for one in _to_compare(lines)
            if one.where.cell is None and _is_in(one, stem)
        ]
        return [one for one in here if _is_false(meant, lambda draw: _is_computed(one, draw))]  # noqa: B023

    def _sides(
        self, stem: str, source: str, beside: Mapping[str, str] | None = None
    ) -> RecordingSides:
        names = self._course.rubric.assignments.values()
        edited = References(self._course.root, names, {**(beside or {}), stem: source})
        modules = {one: edited.module(one) for one in names if one == stem or not beside}
        folder = Path(modules[stem].__file__ or "").parent
        client = TextClient(
            lambda stem, name: getattr(modules[stem], name), lambda n: Path(n).parent == folder
        )
        client.texts = {modules[stem].__file__ or "": source}
        client.begin_check()
        settle(SEED)
        reference = Reference(self._references.module(stem), Memo(), self._roles)
        student = Student(client, ReferenceDefinitions(modules), stem, reference.is_module)
        probe = Probe(SEED, student, reference, Memo(), client.known)
        return RecordingSides(client, student, reference, probe, folder)


def main(only: Sequence[str]) -> int:
    """Print a row for each exercise; return 1 if a claim is false, or made of a right program."""
    torch.set_num_threads(1)  # a forked process has none of the others
    course = find_course(ROOT)
    slugs = tuple(only) or tuple(course.rubric.exercises)
    data, bench = read_course(course, slugs), Bench(course)
    rows = {slug: Row() for slug in slugs}
    every, _colon, first = os.environ.get("EVERY", "1").partition(":")
    for slug in slugs:
        for edited in data.edited[int(first or 0) :: int(every)]:
            stem = course.rubric.exercises[slug].assignment
            if slug in edited.slugs and edited.stem == stem:
                _measure(course, bench, edited, slug, rows[slug], data.references[stem])
        print(_line(slug, rows[slug]), flush=True)
    _print_sums(list(rows.values()), sorted(bench.times_ms))
    return int(any(row.false or row.wronged for row in rows.values()))


def _measure(course: Course, bench: Bench, edited: Edited, slug: str, row: Row, right: str) -> None:
    exercise, id = course.rubric.exercises[slug], edited.entry.id
    name = edited.entry.target.partition(".")[0]
    targets = [name] if name in exercise.targets else exercise.targets
    source = _renamed(edited.source) if os.environ.get("RENAMED") else edited.source
    if not isinstance(edited.entry, Misconception):
        if slug in {earned for earned, _criterion in edited.named}:  # else right elsewhere alone
            _measure_right(bench, edited, targets, row, source)
        return
    kills = read_kills(course.root, slug).get(id, frozenset())
    if not {check.split("/")[1] for check in kills} - {POLICY}:
        return
    target, lines = _first(bench, edited.stem, targets, source)
    several = _statements(edited.source, edited.entry.target) >= SEVERAL
    if not several:
        (row.short if lines is None else row.short_named).append(id)
    if lines is None:
        if several:
            _why_silent(bench, edited.stem, targets, source, row).append(id)
        return
    if several:
        _list_of(row, lines).append(id)
    row.claims += len(lines.values)
    if os.environ.get("SHOW"):
        print(
            f"    {id}: {_claim(lines.values[-1], edited.stem, source)}", lines.right_answer or ""
        )
    draws = _draws_of(lines, bench.further_draws(edited.stem, target, source))
    if lines.right_answer and not all(two.is_right for one in draws for two in one.first_two()):
        row.false.append(f"{id}: the answer of {lines.right_answer.call} is not right")
    for value in _to_compare(lines):
        texts = (edited.source, right) if _is_in(value, edited.stem) else ("", "")
        if _is_false(draws, lambda draw: _holds(value, draw, *texts)):  # noqa: B023
            row.false.append(f"{id}: {_claim(value, edited.stem, source)}")


def _list_of(row: Row, lines: RightLines) -> list[str]:
    """Return the list of a row for a function of which these lines are named."""
    if lines.right_answer is None:
        return row.named
    alone = all(one.kind is RightKind.RETURNED for one in lines.values)
    return row.returned_alone if alone else row.of_right_answers


def _measure_right(
    bench: Bench, edited: Edited, targets: Sequence[str], row: Row, source: str
) -> None:
    row.right += 1
    for target in targets:
        lines = bench.lines(edited.stem, target, source)
        if lines is None:
            continue
        draws = _draws_of(lines, bench.further_draws(edited.stem, target, source))
        for value in _to_compare(lines) if lines.right_answer else ():
            if _is_false(draws, lambda draw: _is_computed(value, draw)):  # noqa: B023
                row.false.append(f"{edited.entry.id}: {_claim(value, edited.stem, source)}")
        row.wronged += [] if lines.right_answer else [edited.entry.id]


def _to_compare(lines: RightLines) -> list[RightValue]:
    """Return the claims whose values are compared: what is returned is the answer, if it is right.

    The answer itself was compared, and may be a mask, or a view of what was given.
    """
    is_answer = lines.right_answer is not None
    return [one for one in lines.values if not (is_answer and one.kind is RightKind.RETURNED)]


def _draws_of(lines: RightLines, draws: Sequence[FurtherDraws]) -> list[FurtherDraws]:
    """Return the calls that claims may be about: the one they name, or those that are wrong."""
    if lines.right_answer:
        return [one for one in draws if one.call == lines.right_answer]
    return [one for one in draws if not one.both.are_right]


def _why_silent(
    bench: Bench, stem: str, targets: Sequence[str], source: str, row: Row
) -> list[str]:
    """Return the list of a row for a function of which no line is named."""
    draws = [one for target in targets for one in bench.further_draws(stem, target, source)]
    if not draws:
        return row.not_made
    compared = any(True for one in draws for _value in own_comparable(one.both.first))
    return row.first_is_wrong if compared else row.nothing_compared


def _first(
    bench: Bench, stem: str, targets: Sequence[str], source: str
) -> tuple[str, RightLines | None]:
    """Return the target of which most can be told: of a wrong answer before a right one."""
    found = [(target, bench.lines(stem, target, source)) for target in targets]
    there = [(target, lines) for target, lines in found if lines is not None]
    there.sort(key=lambda one: bool(one[1].right_answer))
    return there[0] if there else ("", None)


def _is_in(value: RightValue, stem: str) -> bool:
    return Path(value.where.file).stem == stem


def _claim(value: RightValue, stem: str, source: str) -> str:
    """Return a claim with the line that it is about, for people who look for a false one."""
    line = value.where.line or 1
    text = source.splitlines()[line - 1].strip() if _is_in(value, stem) else value.where.file
    how = ", ".join(value.likeness) or "as it is"
    return f"line {line} {value.kind} {value.text} ({how}): {text}"


def _holds(value: RightValue, draw: RecordedCall, source: str, right: str) -> bool | None:
    """Tell whether the reference computes the value of a claim in the lines that stand there.

    What a function of another file returns is a value of the line that calls it, too, and so is
    what the same name holds, where a mistake has moved the line.
    """
    theirs = _same_lines(value.where.line or 0, source, right)

    def is_meant(one: ReferenceValue) -> bool:
        if one.file != value.where.file:
            return one.name.endswith(RETURNED)
        return one.line in theirs or (value.kind is RightKind.NAMED and one.name == value.text)

    return _agrees(value, draw, is_meant)


def _is_computed(value: RightValue, draw: RecordedCall) -> bool | None:
    """Tell whether the reference computes the value of a claim anywhere."""
    return _agrees(value, draw, lambda _one: True)


def _agrees(
    value: RightValue, draw: RecordedCall, is_meant: Callable[[ReferenceValue], bool]
) -> bool | None:
    """Compare the value of a claim; None if too few of its numbers differ on this draw."""
    own = [
        found
        for one in draw.yours
        if one.where == value.where and _is_named(one, value)
        if (found := comparable(one.value)) is not None
    ]
    right = [comparable(one.value) for one in draw.right if is_meant(one)]
    pairs = ((one, other) for one in own for other in right if other is not None)
    return any(align(*pair) is not None for pair in pairs) if own else None


def _is_named(one: OwnValue, value: RightValue) -> bool:
    """Tell whether a claim is about a value that its line computes."""
    if value.kind is RightKind.PART:
        return one.part != NO_PART
    return value.text in (one.name, "")


def _is_false(draws: Sequence[FurtherDraws], agrees: Callable[[RecordedCall], bool | None]) -> bool:
    """Tell whether a claim holds on none of these calls, each with the first draw that tells."""
    verdicts = (
        next((said for draw in one.draws() if (said := agrees(draw)) is not None), None)
        for one in draws
    )
    return not any(verdicts)


def _same_lines(line: int, source: str, right: str) -> range:
    """Return the lines of the reference that stand where a line of an edit of it stands."""
    if not source:
        return range(line, line + 1)  # another file, which is as it was
    matcher = difflib.SequenceMatcher(None, right.splitlines(), source.splitlines(), autojunk=False)
    for kind, from_, to, own_from, own_to in matcher.get_opcodes():
        if own_from <= line - 1 < own_to:
            at = from_ + line - own_from
            # An inserted line changes what comes next, and works on what came before it.
            around = range(from_, to + 2) if kind == "insert" else range(from_ + 1, to + 1)
            return range(at, at + 1) if kind == "equal" else around
    return range(0)


def _statements(source: str, target: str) -> int:
    """Return the number of statements of a function, or of the forward of a class."""
    name, _dot, method = target.partition(".")
    scope: Sequence[ast.stmt] = ast.parse(source).body
    nodes = [one for one in scope if getattr(one, "name", "") == name]
    node = nodes[-1] if nodes else None
    if isinstance(node, ast.ClassDef):
        wanted = method or "forward"
        inner = [one for one in node.body if getattr(one, "name", "") == wanted]
        node = inner[-1] if inner else None
    if not isinstance(node, ast.FunctionDef):
        return 0
    count = sum(isinstance(one, ast.stmt) for one in ast.walk(node)) - 1
    return count - (ast.get_docstring(node) is not None)


def _renamed(source: str) -> str:
    """Return a source in which every variable has another name, in the same lines."""
    lines, tree = source.splitlines(), ast.parse(source)
    places = []
    for function in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)):
        nodes = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
        given = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
        local = {one.id for one in nodes if isinstance(one.ctx, ast.Store)} - given
        places += [(n.lineno, n.col_offset, n.end_col_offset) for n in nodes if n.id in local]
    for line, _start, end in sorted(set(places), reverse=True):
        text = lines[line - 1].encode()
        lines[line - 1] = (text[:end] + b"_of_mine" + text[end:]).decode()
    return "\n".join(lines) + "\n"


def _several(row: Row) -> int:
    silent = len(row.first_is_wrong) + len(row.nothing_compared) + len(row.not_made)
    return len(row.named) + len(row.of_right_answers) + len(row.returned_alone) + silent


def _line(slug: str, row: Row) -> str:
    right = len(row.of_right_answers) + len(row.returned_alone)
    several = f"{len(row.named)} + {right} of {_several(row)}"
    short = f"{len(row.short_named)}/{len(row.short_named) + len(row.short)}"
    text = f"{slug:20} several lines {several:13} one line {short:7} claims {row.claims:4}"
    text += f"  false {len(row.false)}  right programs {row.right}"
    silent = [
        "of_right_answers",
        "returned_alone",
        "first_is_wrong",
        "nothing_compared",
        "not_made",
    ]
    for label in ["false", "wronged", *(silent if os.environ.get("SHOW") else [])]:
        names = getattr(row, label)
        text += f"\n    {label}: {', '.join(names)}" if names else ""
    return text


def _print_sums(rows: Sequence[Row], times: Sequence[float]) -> None:
    def total(name: str) -> int:
        return sum(len(getattr(row, name)) for row in rows)

    several, first = sum(map(_several, rows)), total("first_is_wrong")
    right = total("of_right_answers") + total("returned_alone")
    told = total("named") + right
    print(f"functions of several lines: {several}, a right line named in {told}")
    print(f"  {total('named')} on a wrong answer, {right} on a right one ", end="")
    print(f"(in {total('returned_alone')} the line that returns it, and no other)")
    print(
        f"  silent: the first compared value is wrong in {first}, nothing is compared in ", end=""
    )
    print(f"{total('nothing_compared')}, cannot be called {total('not_made')}")
    print(f"  without those whose first compared value is wrong: {told} of {several - first}")
    short = total("short_named")
    print(f"functions of one line: {short} of {short + total('short')}")
    print(f"claims {sum(row.claims for row in rows)}, false {total('false')}")
    print(f"right programs: {sum(row.right for row in rows)}, wronged {total('wronged')}")
    if times:
        middle, high = times[len(times) // 2], times[int(0.95 * len(times))]
        print(f"processor time: median {middle:.0f} ms, 95 % below {high:.0f} ms")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
