"""Rules on how an answer may be written cost what the rubric says, and accuse nobody else."""

from __future__ import annotations

import functools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome, Where
from grader.report.content import Report, report_on
from grader.report.formats import renderer
from grader.report.json import as_dict
from grader.submission.submission import Submission, digest_of

pytestmark = pytest.mark.usefixtures("warm_nursery")

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
    "by its kernel": RIGHT.replace("weights @ value, ", "attend(query, key, value, mask), ")
    + """

def attend(query, key, value, mask):
    shape, four = (*query.shape[:-1], value.shape[-1]), [
        one.reshape(1, -1, *one.shape[-2:]) for one in (query, key, value)
    ]
    if mask is not None or query.shape != value.shape:
        return (attention_scores(query, key) / query.shape[-1] ** 0.5).softmax(-1) @ value
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*four)[0].reshape(shape)
""",
    "run beside one's own": RIGHT.replace(
        "weights = scores", "OPS[-1](query, key, value)\n    weights = scores"
    )
    + "\n\nOPS = [value for name, value in vars(F).items() if name.startswith('scaled_dot')]\n",
    "compared at the top": RIGHT
    + "\n\nONE = torch.ones(1, 2, 3)\nSAME = F.scaled_dot_product_attention(ONE, ONE, ONE)\n"
    + "\n\ndef mean(x, like=SAME):\n    return x.mean() - like.mean()\n",
    "looking at every frame": RIGHT.replace(
        "    scores = attention_scores",
        "    sys.settrace(lambda *_: None)\n    sys.settrace(None)\n    scores = attention_scores",
    ).replace("import torch\n", "import sys\nimport torch\n", 1),
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
    return {
        one.submission.id: report_on(one, course.rubric, slugs, for_staff=True) for one in results
    }


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
        ("put together at run time", "a1.sdpa", 0),
        ("by its kernel", "a1.sdpa", 0),
        ("run beside one's own", "a1.sdpa", 1),
        ("compared at the top", "a1.sdpa", 1),
        ("looking at every frame", "a1.sdpa", 1),
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


@pytest.mark.parametrize("name", ["put together at run time", "by its kernel"])
def test_what_answers_depend_on_is_told_with_the_line_that_led_to_it(name: str) -> None:
    (seen,) = [o for o in reports()[name].observations if o.check == "a1.sdpa/policy/banned"]

    assert seen.outcome is Outcome.FAILED
    assert seen.observed == (
        "runs torch.nn.functional.scaled_dot_product_attention, and your answers depend on it"
    )
    assert seen.where is not None
    line = ANSWERS[name].splitlines()[(seen.where.line or 0) - 1]
    assert "OPS[-1](" in line or "torch.ops.aten" in line


LOOKING = "the code reached for what counts the operators that run: sys.settrace"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("run beside one's own", [(RAN, Where("a1_attention.py", 16))]),
        ("looking at every frame", [(LOOKING, None)]),
        ("compared at the top", []),
        ("put together at run time", []),
        ("torch's own", []),
        ("named and not used", []),
        ("right", []),
        ("a loop", []),
    ],
)
def test_what_is_likely_costs_nothing_and_is_told_to_staff_alone(
    name: str, told: list[tuple[str, Where | None]]
) -> None:
    report = reports()[name]

    assert [(flag.text, flag.where) for flag in report.flags or ()] == told
    shown = replace(report, flags=None)
    for format_ in ("text", "json", "junit", "markdown", "html"):
        assert RAN not in renderer(format_)(shown)
    assert [flag["text"] for flag in as_dict(report)["flags"]] == [text for text, _ in told]


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
