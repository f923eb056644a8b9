"""A text that is read beside the grading is read as before it: nothing else of a report changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import Outcome
from grader.submission.submission import Submission, digest_of, read_submission
from tests.support import busy

ROOT = Path(__file__).resolve().parents[2]
SLUGS = ("a1.scores", "a1.sdpa", "a2.causal_attention", "a3.mha")
CORPUS = (
    "right_plain",
    "right_multi_head",
    "right_notebooks",
    "mask_inverted",
    "mha_x_at_w",
    "mha_scale_by_model_width",
    "exit_at_import",
    "exit_in_call",
    "infinite_loop",
    "syntax_error",
    "empty_notebook",
    "malformed_reply",
    "follow_called",
    "follow_called_split_heads",
)
RIGHT = (ROOT / "tests" / "corpus" / "right_plain" / "a1_attention.py").read_text(encoding="utf-8")
USING_TORCH = """


def scaled_dot_product_attention(query, key, value, mask=None):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, mask), None
"""
SPINNING = """

import threading

for _ in range(20):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
"""
WRITTEN = {
    "threads that never end": RIGHT + SPINNING,
    "torch's own": RIGHT + USING_TORCH,
    "too deep to be read": RIGHT + "\nx = " + "(" * 200_000 + ")" * 200_000 + "\n",
    "without end": RIGHT + "\nx = 1" + " + 1" * 250_000 + "\n",
    "null bytes": RIGHT + "\0",
}


def submissions() -> Iterator[Submission]:
    for name in CORPUS:
        yield read_submission(ROOT / "tests" / "corpus" / name, name)
    for name, text in WRITTEN.items():
        files = {"a1_attention.py": text.encode()}
        yield Submission(name, files, digest_of(files), name)


@pytest.fixture(scope="module", params=["full", "none"])
def both(request: pytest.FixtureRequest) -> list[dict[str, Result]]:
    return [graded(Options(only=SLUGS, isolation=request.param, hurry=h)) for h in (False, True)]


def graded(options: Options) -> dict[str, Result]:
    with Engine(find_course(ROOT), options) as engine:
        return {result.submission.id: result for result in busy.graded(engine, submissions())}


def told(result: Result) -> list[dict[str, Any]]:
    return [{**asdict(seen), "duration_ms": 0.0} for seen in result.observations]


def test_the_same_is_said_of_everybody(both: list[dict[str, Result]]) -> None:
    before, beside = both
    assert beside.keys() == before.keys() == {*CORPUS, *WRITTEN}
    for name, result in beside.items():
        assert told(result) == told(before[name]), name
        assert result.loading == before[name].loading, name


def test_a_broken_rule_is_seen(both: list[dict[str, Result]]) -> None:
    for results in both:
        seen = {one.check: one.outcome for one in results["torch's own"].observations}
        assert seen["a1.sdpa/policy/banned"] is Outcome.FAILED


def test_a_reader_that_dies_costs_no_other_submission_anything() -> None:
    """And little time: who is graded next gets a reader of their own."""
    files = {"a1_attention.py": WRITTEN["too deep to be read"].encode()}
    fatal = Submission("fatal", files, digest_of(files), "fatal")
    right = read_submission(ROOT / "tests" / "corpus" / "right_plain", "right_plain")
    with Engine(find_course(ROOT), Options(only=("a1.sdpa",), hurry=True)) as engine:
        started = time.monotonic()
        found = {one.submission.id: one for one in engine.grade([fatal, right, fatal, right])}
        assert time.monotonic() - started < 60
    outcomes = {seen.outcome for seen in found["right_plain"].observations}
    assert outcomes == {Outcome.PASSED}
