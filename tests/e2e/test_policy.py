"""Rules on how an answer may be written cost what the rubric says, and accuse nobody else."""

from __future__ import annotations

import functools
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course import find_course
from grader.engine import Engine, Options
from grader.evidence import Outcome, Where
from grader.report.content import Report, report_on
from grader.submission import Submission, digest_of

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
RIGHT = """
import torch
import torch.nn.functional as F


def attention_scores(query, key):
    return query @ key.transpose(-2, -1)


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = attention_scores(query, key) / query.shape[-1] ** 0.5
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, -torch.inf)
    elif mask is not None:
        scores = scores + mask
    weights = scores.softmax(-1)
    return weights @ value, weights
"""
FORGING = """
import gc

for thing in gc.get_objects():
    if type(thing).__name__ == "Peer":
        thing._operations["survey"] = lambda message: {"found": {}}
    if type(thing).__name__ == "Worker":
        type(thing)._survey = lambda self, message: {"found": {}}
FORGED = True
"""
ANSWERS = {
    "right": RIGHT,
    "torch's own": RIGHT.replace("weights @ value, ", "attend(query, key, value, mask), ")
    + "\n\nattend = F.scaled_dot_product_attention\n",
    "named and not used": RIGHT
    + "\n\ndef compare(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)\n"
    + "\n\n# scaled_dot_product_attention = F.scaled_dot_product_attention\n",
    "put together at run time": RIGHT.replace(
        "weights @ value, ", "OPS[-1](query, key, value, mask), "
    )
    + "\n\nOPS = [value for name, value in vars(F).items() if name.startswith('scaled_dot')]\n",
    "a loop": RIGHT.replace(
        "return query @ key.transpose(-2, -1)",
        "rows = [(query * one[..., None, :]).sum(-1) for one in key.unbind(-2)]\n"
        "    return torch.stack(rows, -1)",
    ),
    "torch's own, and a forged account of it": FORGING
    + RIGHT.replace("weights @ value, ", "F.scaled_dot_product_attention(query, key, value), "),
    "unreadable": RIGHT + "\n\ndef scaled_dot_product_attention(:\n",
    "nothing": "import torch\n",
}  # fmt: skip


@functools.cache
def reports() -> dict[str, Report]:
    course = find_course(ROOT)
    slugs = ("a1.scores", "a1.sdpa")
    handed_in = [_submission(name, "a1_attention.py", text) for name, text in ANSWERS.items()]
    with Engine(course, Options(only=slugs, isolation="none")) as engine:
        results = list(engine.grade(handed_in))
    return {one.submission.id: report_on(one, course.rubric, slugs) for one in results}


def _submission(name: str, file: str, text: str) -> Submission:
    files = {file: text.encode()}
    return Submission(id=name, files=files, digest=digest_of(files), path="")


def points(name: str, slug: str) -> dict[str, Fraction | None]:
    found = next(one for one in reports()[name].grade.exercises if one.slug == slug)
    return {one.criterion: one.points for one in found.criteria}


@pytest.mark.parametrize(
    ("name", "slug", "policy"),
    [
        ("right", "a1.sdpa", 1),
        ("right", "a1.scores", 1),
        ("torch's own", "a1.sdpa", 0),
        ("torch's own", "a1.scores", 1),
        ("torch's own, and a forged account of it", "a1.sdpa", 0),
        ("named and not used", "a1.sdpa", 1),
        ("put together at run time", "a1.sdpa", 1),
        ("a loop", "a1.scores", 0),
        ("a loop", "a1.sdpa", 1),
        ("unreadable", "a1.scores", 1),
        ("nothing", "a1.sdpa", 0),
    ],
)
def test_a_rule_costs_its_points_where_it_was_broken(name: str, slug: str, policy: int) -> None:
    assert points(name, slug)["policy"] == policy


def test_right_values_earn_nothing_where_they_must_be_written() -> None:
    assert points("torch's own", "a1.sdpa")["outputs"] == 0
    assert points("right", "a1.sdpa")["outputs"] == 4


def test_the_line_and_the_reason_are_given() -> None:
    (seen,) = [
        o for o in reports()["torch's own"].observations if o.check == "a1.sdpa/policy/banned"
    ]

    assert seen.outcome is Outcome.FAILED
    assert (
        seen.observed == "uses `attend`, which is torch.nn.functional.scaled_dot_product_attention"
    )
    assert seen.expected == "code of your own for it: writing it is the exercise"
    assert seen.where == Where("a1_attention.py", 17)
    line = ANSWERS["torch's own"].splitlines()[16]
    assert "attend(query" in line


RAN = (
    "a1.sdpa: torch.nn.functional.scaled_dot_product_attention ran when "
    "scaled_dot_product_attention was called, though the text does not name it"
)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("put together at run time", [(RAN, Where("a1_attention.py", 17))]),
        ("torch's own", []),
        ("named and not used", []),
        ("right", []),
    ],
)
def test_what_ran_and_is_not_in_the_text_is_told_and_costs_nothing(
    name: str, told: list[tuple[str, Where]]
) -> None:
    assert [(n.text, n.where) for n in reports()[name].notes if " ran when " in n.text] == told


def test_a_loop_is_shown_as_it_is_written() -> None:
    (seen,) = [
        o for o in reports()["a loop"].observations if o.check == "a1.scores/policy/no_loops"
    ]

    assert seen.observed == (
        "loops: `[(query * one[..., None, :]).sum(-1) for one in key.unbind(-2)]`"
    )
    assert seen.where == Where("a1_attention.py", 7)


def test_a_file_without_the_function_is_not_attempted() -> None:
    found = {o.check: o.outcome for o in reports()["nothing"].observations}

    assert found["a1.sdpa/policy/banned"] is Outcome.NOT_ATTEMPTED


def test_without_points_a_broken_rule_is_a_finding() -> None:
    course = find_course(TOY)
    (slug,) = [slug for slug, one in course.rubric.exercises.items() if one.banned]
    exercise = course.rubric.exercises[slug]
    reference = course.reference(exercise.assignment).read_text(encoding="utf-8")
    target = exercise.targets[0]
    own = f"\n\nimport torch.nn.functional as f\ndef {target}(*a):\n    return f.avg_pool2d(*a)\n"
    file = f"{exercise.assignment}.py"
    answers = [_submission("own", file, reference), _submission("banned", file, reference + own)]
    with Engine(course, Options(only=(slug,), isolation="none")) as engine:
        notes = {one.submission.id: one.loading for one in engine.grade(answers)}

    assert [note for note in notes["own"] if note.kind == "problem"] == []
    (told,) = [note for note in notes["banned"] if note.kind == "problem"]
    assert told.text == (
        f"{slug} uses `f.avg_pool2d`, which is torch.nn.functional.avg_pool2d; it asks for code "
        "of your own for it: writing it is the exercise"
    )
    assert told.where is not None
    assert told.where.line == (reference + own).count("\n")
