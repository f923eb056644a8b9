"""`Right up to here` on whole submissions: what it says, and what a submission cannot make of it.

The attacks have replaced what records in their own process. They can say what they like about their
own values; they learn no number, name nothing but their own lines, and earn nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import FLAG
from grader.grade.right_lines import RightLines
from grader.submission.submission import Submission, digest_of
from tests.support import busy

pytestmark = pytest.mark.usefixtures("warm_nursery")

SLUG = "a1.sdpa"
WRONG = """
def scaled_dot_product_attention(query, key, value, mask=None):
    product = query @ key.transpose(-2, -1)
    scaled = product / query.shape[-1] ** 0.5
    if mask is not None:
        scaled = scaled.masked_fill(~mask, -torch.inf)
    shares = torch.softmax(scaled, dim=-2)
    mixed = shares @ value
    return mixed, shares
"""
REACHING = """
import os
import sys

import torch


def recorder():
    frame = sys._getframe(2)
    while frame is not None:
        side = getattr(frame.f_locals.get("self"), "side", None)
        if getattr(side, "_recorder", None) is not None:
            return type(side._recorder)
        frame = frame.f_back


def attack():
    Recorder, file, secret = recorder(), "a1_attention.py", torch.arange(24.0)
    if Recorder is not None:
        Recorder.rows = {rows}
"""
ATTACKS = {
    "nothing": "[]",
    "a secret for a name": "[(file, None, 1, 'hidden_input_7', -1, -1, secret)]",
    "a secret for a file": "[('/etc/passwd', None, 1, 'torch', -1, -1, secret)]",
    "too much": "[(file, None, 1, 'torch', -1, -1, torch.zeros(8192))] * 9999",
    "a huge view": "[(file, None, 1, 'torch', -1, -1, torch.zeros(1).expand(1 << 40))]",
    "no list": "{'passed': True}",
    "the end": "property(lambda self: os._exit(0))",
}
"""Sent in place of a record; "nothing" is the control that a record can be replaced."""
CODE: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": []}
NOTEBOOK = {
    "cells": [{**CODE, "source": "import torch"}, {**CODE, "source": WRONG.strip()}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def submission(name: str, files: dict[str, str]) -> Submission:
    data = {file: text.encode() for file, text in files.items()}
    return Submission(id=name, files=data, digest=digest_of(data), path="")


@pytest.fixture(scope="module")
def course() -> Course:
    return find_course(Path(__file__).parent)


@pytest.fixture(scope="module")
def results(course: Course) -> Iterator[dict[str, Result]]:
    file = "a1_attention.py"
    submissions = [
        submission("wrong", {file: f"import torch\n{WRONG}"}),
        submission("notebook", {"a1_attention.ipynb": json.dumps(NOTEBOOK)}),
        submission("right", {file: course.reference("a1_attention").read_text("utf-8")}),
    ]
    for name, rows in ATTACKS.items():
        text = REACHING.replace("{rows}", rows) + WRONG.replace(
            "=None):\n", "=None):\n    attack()\n"
        )
        submissions.append(submission(name, {file: text}))
    with Engine(course, Options(only=(SLUG,), counterexamples=True)) as engine:
        yield {one.submission.id: one for one in busy.graded(engine, submissions)}


def lines(result: Result) -> RightLines | None:
    return next((seen.right_lines for seen in result.observations if seen.right_lines), None)


def outcomes(result: Result) -> dict[str, str]:
    return {seen.check: seen.outcome.value for seen in result.observations}


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("wrong", [(4, None, "product"), (5, None, "scaled")]),
        ("notebook", [(2, 2, "product"), (3, 2, "scaled")]),
    ],
)
def test_the_last_right_line_stands_in_the_report(
    results: dict[str, Result], name: str, places: list[tuple[int, int | None, str]]
) -> None:
    said = lines(results[name])

    assert said is not None
    assert [(v.where.line, v.where.cell, v.text) for v in said.values] == places
    assert said.nothing_from is not None
    assert said.nothing_from.line == places[-1][0] + 3


def test_our_own_hook_is_not_taken_for_one_of_the_students(results: dict[str, Result]) -> None:
    assert [note for note in results["wrong"].loading if note.kind == FLAG] == []


def test_nothing_is_said_of_a_right_submission(results: dict[str, Result]) -> None:
    assert lines(results["right"]) is None


@pytest.mark.parametrize("name", ATTACKS)
def test_a_submission_that_forges_its_record_names_nothing_and_earns_nothing(
    results: dict[str, Result], name: str
) -> None:
    assert lines(results[name]) is None
    assert outcomes(results[name]) == outcomes(results["wrong"])
    assert not [seen.staff for seen in results[name].observations if seen.staff]
