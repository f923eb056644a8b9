"""The course under attack: planted canaries, things of the world outside to reach for, and a
grader that is watched."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.batch.gradebook import gradebook, row_of
from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import Observation, Outcome
from grader.report.content import report_on
from grader.report.formats import renderer
from grader.report.json import as_dict
from grader.submission.submission import Submission, digest_of
from tests.attack import outside, unknowns
from tests.attack.attack import STEM, Attack, End
from tests.attack.leftovers import Leftovers
from tests.support.busy import STARVED

BUSY_ATTEMPTS = 2
"""A machine that has no time for us can't tell who was slow: the clock ended it all the same."""
FORMATS = ("text", "json", "junit", "markdown", "html")
CANARY = re.compile(r"CANARY[a-z]+[0-9a-f]{24}|41\.414213")
"""Planted secrets, and a number that only the inputs of hidden checks have."""
CODE_SPAN, TAG = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)"), re.compile(r"</?([a-zA-Z!?][\w-]*)")
OWN_TAGS = {"pre", "details", "summary"}
RUBRIC = f"""\
course: arena
seed: {{key}}
assignments: {{{{t1: {STEM}}}}}
exercises:
  t1.work:
    targets: [work]
    criteria:
      outputs: {{{{points: 2, visibility: public}}}}
      hidden: {{{{points: 2, visibility: hidden}}}}
    banned: [torch.neg]
  t1.layer:
    targets: [Layer]
    criteria:
      layer: {{{{points: 1, visibility: hidden}}}}
  t1.odd:
    targets: [Odd]
    criteria:
      odd: {{{{points: 1, visibility: hidden}}}}
  t1.own:
    targets: [twice]
    criteria:
      own: {{{{points: 1, visibility: public, requires: [policy]}}}}
      policy: {{{{points: 1, visibility: public}}}}
    banned: [torch.nn.functional.scaled_dot_product_attention, torch.nn.MultiheadAttention]
  t1.deed:
    targets: [attempt]
    criteria:
      deed: {{{{points: 1, visibility: public}}}}
  t1.halves:
    targets: [halves]
    criteria:
      halves: {{{{points: 1, visibility: public}}}}
  t1.middle:
    targets: [middle]
    criteria:
      middle: {{{{points: 2, visibility: public}}}}
    follow_through: {{{{halves: t1.halves, copied: true}}}}
"""
OPERATORS = """\
operators:
  torch.nn.functional.scaled_dot_product_attention:
    - aten::scaled_dot_product_attention
    - aten::_scaled_dot_product_attention_math
    - aten::_scaled_dot_product_flash_attention_for_cpu
  torch.nn.MultiheadAttention: [aten::_native_multi_head_attention]
"""
"""What is counted where it runs; without it only a text can tell."""
REFERENCE = """\
SECRET = {canary!r}

import torch
from torch import nn


def work(x):
    return x * 3 - 1


class Layer(nn.Linear):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.register_buffer("factor", torch.tensor(3.0))

    def forward(self, x):
        return super().forward(x) * self.factor


def twice(x):
    return (x @ x.transpose(-2, -1) / x.shape[-1] ** 0.5).softmax(-1) @ x


def attempt():
    return "nothing"


def halves(x):
    return x.reshape(2, -1)


def middle(x):
    return x.reshape(2, -1).mean(0)
""" + unknowns.HONEST.partition("nn\n")[2]
EDITED = {"halves": "x.reshape(2, -1)", "middle": "x.reshape(2, -1).mean(0)"}
WAYS = {"view": "x.view(2, -1)", "zero": "torch.zeros(2, x.numel() // 2).double()",
        "tripled": "(x.reshape(2, -1) * 3)"}  # fmt: skip


def mistake(target: str, way: str, listed: str, by: str) -> str:
    return (
        f"id: {target}.{way}\nmistakes: {listed}\nfails: {target}\n@@ {target}\n"
        f"-return {EDITED[target]}\n+return {by}\n\n"
    )


def mistakes(target: str) -> str:
    """The mistakes of an exercise, the same ones in both."""
    rest = EDITED[target].removeprefix(EDITED["halves"])
    found = [mistake(target, way, way, by + rest) for way, by in WAYS.items()]
    if target == "middle":
        found.append(mistake(target, "sum", "view", "x.reshape(2, -1).sum(0)"))
    return f"--- reference/{STEM}.py\n\n" + "".join(found)


SUITE = '''\
SECRET = {canary!r}


class Test{name}:
    def test_values(self, student, reference, probe, expect):
        """The values are the reference's."""
        x = probe.randn({size})
        x[0] = {first}
        found = student.work(x)
        expect.close(found, reference.work(x))
'''
GRADIENTS = '''
    def test_gradients(self, student, reference, probe, expect):
        """Gradients too."""
        expect.gradients(student.work, reference.work, probe.randn(4))
'''
LAYER = '''\
SECRET = {canary!r}


class TestLayer:
    def test_values(self, student, probe, expect):
        """The values are the reference's."""
        pair = probe.pair("Layer", 3, 2)
        expect.matches(pair.student, pair.reference, probe.randn(4, 3))

    def test_gradients(self, student, probe, expect):
        """Gradients too."""
        pair = probe.pair("Layer", 3, 2)
        expect.gradients(pair.student, pair.reference, probe.randn(4, 3))

    def test_parts(self, student, probe, expect):
        """It has two parameters and a buffer."""
        layer = probe.module("Layer", 3, 2)
        found = [len(layer.state()), len(layer.named_parameters()), len(layer.named_buffers())]
        expect.true(found == [3, 2, 1], observed=f"{{found}}"[:200], expected="[3, 2, 1]")
'''
OWN = '''\
SECRET = {canary!r}


class TestOwn:
    def test_values(self, student, reference, probe, expect):
        """The values are the reference's."""
        expect.matches(student.twice, reference.twice, probe.randn(2, 3, 4))
'''
DEED = '''\
SECRET = {canary!r}


class TestDeed:
    def test_attempt(self, student, expect):
        """What is not allowed does not succeed."""
        found = str(student.attempt())
        expect.true(not found.startswith("done"), observed=f"it succeeded: {{found[:300]}}",
            expected="a refusal")
'''
FOLLOWED = '''\
SECRET = {canary!r}


class Test{name}:
    def test_values(self, student, reference, probe, expect):
        """The values are the reference's."""
        x = probe.randn(3, 4).T
        expect.close(student.{target}(x), reference.{target}(x))

    def test_more_values(self, student, reference, probe, expect):
        """Others too."""
        expect.matches(student.{target}, reference.{target}, probe.randn(5, 6).T)
'''
HONEST = REFERENCE.replace("SECRET = {canary!r}\n\n", "")


def canary(kind: str) -> str:
    return f"CANARY{kind}{secrets.token_hex(12)}"


@dataclass(frozen=True)
class Tried:
    """What became of an attack."""

    attack: Attack
    tier: str
    ends: frozenset[End]
    said: tuple[str, ...]
    harm: tuple[str, ...] = ()
    """What was found in reports, on the machine or with the next submission."""

    @property
    def succeeded(self) -> bool:
        return End.SUCCEEDED in self.ends

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it does not hold; nothing if it does."""
        if self.tier in self.attack.leaks:
            return (*self.harm, *(() if self.succeeded else ("the documented leak is gone",)))
        odd = sorted(self.ends - set(self.attack.must))
        return (*(f"{end}: {'; '.join(self.said)[:200]}" for end in odd), *self.harm)


@dataclass
class Arena:
    """A running grader and its surroundings."""

    root: Path
    course: Course
    engine: Engine
    prelude: str
    leftovers: Leftovers
    nonce: str
    _count: int = 0
    wall_s: dict[str, float] = field(default_factory=dict)

    def submission(self, attack: Attack) -> Submission:
        data = {
            name: content if isinstance(content, bytes) else self._filled(name, content)
            for name, content in sorted(attack.files.items())
        }
        return Submission(attack.id, data, digest_of(data), attack.id)

    def _filled(self, name: str, text: str) -> bytes:
        # Ahead of the code of the file itself, so that every snippet may use it.
        return (self.prelude + text if name == f"{STEM}.py" else text).encode()

    def attempt(self, attack: Attack) -> Tried:
        """Grade the attack, look at what it left, and grade an honest submission."""
        started = time.monotonic()
        result = self._grade(self.submission(attack))
        honest = self._grade(self._honest())
        self.wall_s[attack.id] = time.monotonic() - started
        seen = _attacked(attack, result)
        told = self.outputs(result)
        harm = [*leaked(told), *_markup(told["markdown"]), *self.leftovers.found(self.engine)]
        harm += [
            f"the honest submission after it: {row.check} {row.outcome} {row.observed}"
            for row in honest.observations
            if row.outcome is not Outcome.PASSED and STARVED not in row.staff
        ]
        return Tried(
            attack,
            result.tier,
            frozenset(end_of(row) for row in seen),
            tuple(row.observed for row in seen if row.observed),
            tuple(harm),
        )

    def try_only(self, attack: Attack) -> Tried:
        """Grade the attack and nothing else: for runs in which it may well succeed."""
        result = self._grade(self.submission(attack))
        seen = _attacked(attack, result)
        said = tuple(row.observed for row in seen if row.observed)
        return Tried(attack, result.tier, frozenset(end_of(row) for row in seen), said)

    def _grade(self, submission: Submission) -> Result:
        for _ in range(BUSY_ATTEMPTS):
            (result,) = self.engine.grade([submission])
            if not any(STARVED in row.staff for row in result.observations):
                break
        return result

    def _honest(self) -> Submission:
        self._count += 1
        data = {f"{STEM}.py": f"# {self._count}\n{HONEST}".encode()}
        return Submission("student-001", data, digest_of(data), "student-001")

    def outputs(self, result: Result) -> dict[str, str]:
        """Everything that is written about a submission, by its format."""
        report = report_on(result, self.course.rubric)
        found = {name: renderer(name)(report) for name in FORMATS}
        found["csv"] = gradebook([row_of(as_dict(report))], self.course.rubric)
        self.engine._tree.errors.seek(0)
        found["errors"] = self.engine._tree.errors.read().decode("utf-8", "replace")
        self.engine._tree.errors.seek(0, os.SEEK_END)
        return found


def leaked(told: Mapping[str, str]) -> list[str]:
    """Canaries in anything that leaves the grader."""
    return sorted(
        {f"{match} in {where}" for where, text in told.items() for match in CANARY.findall(text)}
    )


def _markup(markdown: str) -> list[str]:
    """What the Markdown summary holds that any reader of Markdown would carry out."""
    text = CODE_SPAN.sub("", markdown)
    found = {f"<{tag}> in markdown" for tag in TAG.findall(text) if tag not in OWN_TAGS}
    return sorted(found) + ["a link in markdown"] * ("](" in text)


def _attacked(attack: Attack, result: Result) -> list[Observation]:
    """The checks that the attack is after."""
    source = b"".join(v if isinstance(v, bytes) else v.encode() for v in attack.files.values())
    if b"def twice" in source:
        return [row for row in result.observations if row.check.startswith("t1.own/policy/")]
    names = {
        b"def attempt": "deed",
        b"class Layer": "layer",
        b"def middle": "middle",
        b"class Odd": "odd",
    }
    part = next((part for name, part in names.items() if name in source), "work")
    return [row for row in result.observations if row.check.startswith(f"t1.{part}/")]


ENDED = (
    "the process ",
    "the system ended the process",
    "the code closed the grader's own connection",
)
"""How `grader.judge.calls.process_exit` begins to say that a process is no more."""


def end_of(row: Observation) -> End:
    """What an observation says about the attack."""
    deed = row.check.startswith("t1.deed")
    match row.outcome:
        case Outcome.PASSED:
            return End.REFUSED if deed else End.SUCCEEDED
        case Outcome.CARRIED:
            return End.SUCCEEDED
        case Outcome.FAILED:
            return End.SUCCEEDED if deed else End.WRONG
        case Outcome.TIMED_OUT:
            return End.TIMED_OUT
        case Outcome.NOT_ATTEMPTED:
            return End.ABSENT
        case Outcome.STUDENT_ERROR:
            if row.observed.startswith(ENDED):
                return End.KILLED
            return End.MALFORMED if "no valid reply" in row.observed else End.REFUSED
        case _:
            return End.TIMED_OUT if STARVED in row.staff else End.OURS


@contextmanager
def arena(tier: str, without: tuple[str, ...] = (), operators: str = OPERATORS) -> Iterator[Arena]:
    """A grader in `tier` around the planted course."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="grader-attack-"))
        root, nonce = Path(folder), secrets.token_hex(8)
        root.chmod(0o755)
        course = plant(root / "course", operators)
        leftovers = Leftovers(root, nonce)
        stack.callback(leftovers.remove)
        stack.callback(_restore, "GRADER_COURSE_TOKEN", os.environ.get("GRADER_COURSE_TOKEN"))
        os.environ["GRADER_COURSE_TOKEN"] = canary("environment")
        world = stack.enter_context(outside.world(root, nonce, canary))
        # One tier with texts read as for somebody who waits, by a worker beside the other.
        options = Options(isolation=tier, without=without, hurry=tier == "partial")
        engine = stack.enter_context(Engine(find_course(course), options))
        it = Arena(root, find_course(course), engine, world.prelude, leftovers, nonce)
        it._grade(it._honest())
        leftovers.remember(engine)
        yield it


def _restore(name: str, value: str | None) -> None:
    os.environ.pop(name, None)
    if value is not None:
        os.environ[name] = value


def plant(root: Path, operators: str = OPERATORS) -> Path:
    """A course with a canary in every part that is secret."""
    suites = root / "tests" / "suites" / STEM
    files = {
        root / "rubric.yaml": RUBRIC.format(key=canary("key")) + operators,
        root / "reference" / f"{STEM}.py": REFERENCE.format(canary=canary("reference")),
        root / "assignments" / f"{STEM}.py": "\n",
        suites / "public" / "test_work.py": SUITE.format(
            canary=canary("public"), name="Outputs", size="3", first="1.5"
        ),
        suites / "test_work.py": (
            SUITE.format(canary=canary("suite"), name="Hidden", size="5", first="41.41421356")
            + GRADIENTS
        ),
        suites / "test_layer.py": LAYER.format(canary=canary("suite")),
        suites / "test_odd.py": unknowns.SUITE.format(canary=canary("suite")),
        suites / "public" / "test_own.py": OWN.format(canary=canary("public")),
        suites / "public" / "test_deed.py": DEED.format(canary=canary("deed")),
    }
    for target in ("halves", "middle"):
        suite = FOLLOWED.format(canary=canary(target), name=target.title(), target=target)
        files[suites / "public" / f"test_{target}.py"] = suite
        folder = root / "reference" / "exercises" / f"t1.{target}"
        files[folder / "mistakes.diff"] = mistakes(target)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
