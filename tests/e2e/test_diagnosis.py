"""What students read about their mistakes: the right cause, in these words, or none at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Observation
from grader.report.content import report_on
from grader.report.json import as_dict
from grader.submission.submission import Submission, digest_of, read_submission
from grader.validate.data import read_course
from grader.validate.diagnosis import Verdict, diagnose
from grader.validate.diagnosis_report import diagnosis_json, diagnosis_text
from tests.restyled.table import by_hand, by_machine, said
from tests.support import busy

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/corpus"
TOY = ROOT / "tests/toy_course"
OUTPUTS = "a1.sdpa/outputs/test_all_widths_differ"
SDPA = """
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = torch.zeros_like(scores).masked_fill(~mask, -torch.inf)
        scores = scores + mask.to(scores.dtype)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return weights @ value, weights
"""
CAUSAL = """
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).tril().bool())

    def forward(self, x):
        T = x.shape[1]
        if T > len(self.mask):
            raise ValueError(f"{T} tokens, at most {len(self.mask)}")
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(1, 2) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(~self.mask[:T, :T], -torch.inf)
        return self.dropout(scores.softmax(-1)) @ v
"""
# What is handed in: id -> (assignment, source, text in it, what stands there instead).
A1, A2, RETURN = "a1_attention", "a2_masking", "return weights @ value, weights"
CHANGED = {
    "divided-by-three": (A1, SDPA, "query.shape[-1] ** 0.5", "3.0"),
    "weights-shifted": (A1, SDPA, RETURN, f"weights = weights.roll(1, -2)\n    {RETURN}"),
    "weights-halved": (A1, SDPA, RETURN, f"weights = weights / 2\n    {RETURN}"),
    "weights-transposed": (A1, SDPA, RETURN, f"{RETURN}.mT"),
    "nan-in-empty-rows": (A1, SDPA, "torch.nan_to_num(torch", "(torch"),
    "exp-by-hand": (
        A1,
        SDPA,
        "torch.nan_to_num(torch.softmax(scores, dim=-1))",
        "scores.exp() / scores.exp().sum(-1, keepdim=True).clamp_min(1e-30)",
    ),
    "two-steps-ahead": (A2, CAUSAL, ".tril()", ".tril(2)"),
}
LOOKS_AHEAD = "a2.causal_attention/outputs/test_all_widths_differ[without-bias]"
SHIFTED = "the numbers are right, but the entries of axis 1 (queries) are in the order [3, 0, 1, 2]"


def changed(id: str) -> Submission:
    stem, source, text, by = CHANGED[id]
    assert source.count(text) == 1
    files = {f"{stem}.py": source.replace(text, by).encode()}
    return Submission(id=id, files=files, digest=digest_of(files), path="")


def handed_in() -> list[Submission]:
    """The corpus' own wrong answers, by the names of their folders, and the changed programs."""
    folders = ("mask_inverted", "softmax_before_scaling", "keys_T_of_a_batch", "minus_1e9")
    folders += ("mha_scale_by_model_width", "two_mistakes_in_one_line")
    return [*(replace(read_submission(CORPUS / name), id=name) for name in folders),
            *map(changed, CHANGED)]  # fmt: skip


SLUGS = ("a1.simple", "a1.sdpa", "a2.causal_attention", "a3.mha")


def reports(options: Options) -> dict[str, dict[str, Observation]]:
    with Engine(find_course(ROOT), replace(options, only=SLUGS)) as engine:
        return {
            result.submission.id: {seen.check: seen for seen in result.observations}
            for result in busy.graded(engine, handed_in())
        }


@pytest.fixture(scope="module")
def graded() -> Iterator[dict[str, dict[str, Observation]]]:
    yield reports(Options(workers=2))


@pytest.mark.parametrize(
    ("id", "check", "cause", "sentence"),
    [
        (
            "mask_inverted",
            "a1.sdpa/masking/test_rows_are_queries",
            "sdpa.mask_inverted",
            "The mask hides what it should keep: True means may attend.",
        ),
        (
            "softmax_before_scaling",
            OUTPUTS,
            "sdpa.softmax_before_scaling",
            "The softmax comes before the division: rows of weights add up to 1 / √Dh.",
        ),
        (
            "mha_scale_by_model_width",
            "a3.mha/outputs/test_large_scores",
            "mha.scale_by_width",
            "Scores are divided by √d_out: use √Dh, the width of one head.",
        ),
        (
            "divided-by-three",
            OUTPUTS,
            "fit.scale",
            "your numbers are those of softmax(0.3333 · Q Kᵀ) V, "
            "and the right ones are those of softmax(1/√Dh · Q Kᵀ) V",
        ),
        ("weights-shifted", OUTPUTS, "value.permuted", SHIFTED),
        (
            "weights-transposed",
            OUTPUTS,
            "shape.axes_swapped",
            "you returned (batch, keys, queries) in place of (batch, queries, keys): "
            "swap axes 1 and 2",
        ),
        (
            "two-steps-ahead",
            LOOKS_AHEAD,
            "leak.depends",
            "the output at position 0 depends on the input at position 1, and must not",
        ),
    ],
)
def test_the_cause_and_its_words(
    graded: dict[str, dict[str, Observation]], id: str, check: str, cause: str, sentence: str
) -> None:
    found = graded[id][check].cause

    assert found is not None
    assert found.id == cause
    assert found.text == sentence


def test_two_mistakes_in_one_line_are_told_together(
    graded: dict[str, dict[str, Observation]],
) -> None:
    """Where both show, and each by itself where it alone does."""
    seen = graded["two_mistakes_in_one_line"]
    both = seen["a1.simple/outputs/test_context_and_weights[batch]"]
    columns = seen["a1.simple/structure/test_rows_add_up"]

    assert both.cause is not None and columns.cause is not None
    assert both.cause.id == "simple.scaled"
    assert [(one.id, one.is_beside) for one in both.also] == [("simple.softmax_over_axis_1", True)]
    assert (columns.cause.id, columns.also) == ("simple.softmax_over_axis_1", ())


def test_a_known_mistake_is_stated_on_two_probes_and_more(
    graded: dict[str, dict[str, Observation]],
) -> None:
    causes = [o.cause for o in graded["mask_inverted"].values() if o.exercise == "a1.sdpa"]
    named = [cause for cause in causes if cause is not None]

    assert named
    assert all(cause.fits == cause.of >= 2 for cause in named)


def test_what_is_not_finite_is_told_with_its_reason_and_without_numbers(
    graded: dict[str, dict[str, Observation]],
) -> None:
    seen = graded["nan-in-empty-rows"]["a1.sdpa/numerics/test_query_without_any_key[bool]"]

    assert seen.cause is not None
    assert seen.cause.id == "nan.empty_rows"
    assert seen.cause.text == (
        "NaN in some rows only: these are the rows that may attend to nothing, "
        "and the softmax of a row of -inf is 0/0. Give them zeros"
    )


def test_scores_that_overflow_are_told_where_nothing_else_fails(
    graded: dict[str, dict[str, Observation]],
) -> None:
    seen = graded["exp-by-hand"]["a1.sdpa/numerics/test_huge_scores"]

    assert seen.cause is not None
    assert seen.cause.id == "infinity.overflow"
    in_ordinary_rows = graded["nan-in-empty-rows"].values()
    assert all(o.cause is None or o.cause.id != "infinity.overflow" for o in in_ordinary_rows)


def test_public_checks_have_pictures_and_hidden_ones_none(
    graded: dict[str, dict[str, Observation]],
) -> None:
    leaky = graded["two-steps-ahead"][LOOKS_AHEAD].picture
    halved = graded["weights-halved"][OUTPUTS].picture

    assert leaky is not None
    assert leaky.rows == (
        (1.0, 2.0, 2.0, 0.0, 0.0),
        (1.0, 1.0, 2.0, 2.0, 0.0),
        (1.0, 1.0, 1.0, 2.0, 2.0),
        (1.0, 1.0, 1.0, 1.0, 2.0),
        (1.0, 1.0, 1.0, 1.0, 1.0),
    )
    assert halved is not None
    assert (halved.kind, halved.rows) == ("row_sums", ((0.5, 0.5, 0.5, 0.5),))
    hidden = find_course(ROOT).rubric.exercises["a2.causal_attention"].criteria
    drawn = {o.criterion for o in graded["two-steps-ahead"].values() if o.picture is not None}
    assert {hidden[name].visibility.value for name in drawn} == {"public"}


def as_told(found: dict[str, dict[str, Observation]]) -> dict[str, list[Observation]]:
    """Observations compare without their times."""
    return {id: [seen for _, seen in sorted(o.items())] for id, o in sorted(found.items())}


@pytest.mark.parametrize(
    "options",
    [Options(spawn=True, isolation="none"), Options(workers=1), Options(reverse=True)],
    ids=["spawn", "one-lane", "reversed"],
)
def test_the_same_is_said_in_every_mode_and_order(
    graded: dict[str, dict[str, Observation]], options: Options
) -> None:
    told = as_told(graded)

    assert as_told(reports(options)) == told
    assert any(seen.cause for each in told.values() for seen in each)


def test_causes_are_in_the_report(graded: dict[str, dict[str, Observation]]) -> None:
    course = find_course(ROOT)
    with Engine(course, Options(only=("a1.sdpa",))) as engine:
        (result,) = engine.grade([handed_in()[0]])
    told = str(as_dict(report_on(result, course.rubric, ("a1.sdpa",))))

    assert "'id': 'sdpa.mask_inverted'" in told


def test_the_tables_are_as_they_have_to_be() -> None:
    """On a part of the course; tests/e2e/test_validate.py does it for all."""
    found = diagnose(find_course(ROOT), ("a1.scores", "a2.causal_mask"), Options(workers=2), 10)

    assert found.failures == ()
    assert len(found.itself.rows) == 32
    assert found.itself.of(Verdict.SILENT) == ()
    assert found.open.of(Verdict.WRONG) == ()
    assert not found.whole
    assert len(found.pairs.rows) == 10
    assert found.variants.count(Verdict.SILENT) == len(found.variants.rows) > 0
    text = diagnosis_text(found)
    assert "32 answers: 32 named (100.0%), 0 silent (0.0%), 0 wrong (0.0%)" in text
    assert max(map(len, text.splitlines())) <= 80
    assert len(diagnosis_json(found)["tables"]) == 4


def test_a_course_of_another_subject_is_diagnosed_as_well() -> None:
    found = diagnose(find_course(TOY), (), Options(workers=2), 6)

    assert found.pairs.of(Verdict.WRONG) == ()
    assert found.variants.of(Verdict.WRONG) == ()
    assert found.open.of(Verdict.WRONG) == ()
    assert found.itself.count(Verdict.NAMED) >= 0.9 * len(found.itself.rows)


@pytest.mark.parametrize(
    ("text", "by", "check", "cause", "sentence"),
    [
        (
            "windows.mean(dim=(3, 4))",
            "windows.mean(dim=(3, 4)).transpose(1, 2)",
            "f1.blur/outputs/test_values[3]",
            "shape.axes_swapped",
            "you returned (batch, columns, rows) in place of (batch, rows, columns): "
            "swap axes 1 and 2",
        ),
        (
            "torch.tensor([1, 2, 1], dtype=images.dtype,",
            "torch.tensor([1, 5, 1], dtype=images.dtype,",
            "f1.sobel/outputs/test_values",
            "fit.middle",
            "your numbers are those of the filter (1, 5, 1), "
            "and the right ones are those of (1, 2, 1)",
        ),
    ],
    ids=["axes", "number"],
)
def test_the_words_of_another_subject_come_from_its_course(
    text: str, by: str, check: str, cause: str, sentence: str
) -> None:
    source = (TOY / "reference/f1_filters.py").read_text(encoding="utf-8")
    assert source.count(text) == 1
    files = {"f1_filters.py": source.replace(text, by).encode()}
    handed = Submission(id="student-001", files=files, digest=digest_of(files), path="")
    with Engine(find_course(TOY), Options(only=("f1.blur", "f1.sobel"))) as engine:
        (result,) = engine.grade([handed])
    found = {seen.check: seen.cause for seen in result.observations}[check]

    assert found is not None
    assert (found.id, found.text) == (cause, sentence)


def test_known_mistakes_are_named_in_other_peoples_words() -> None:
    """A part of what `make restyled` tries."""
    course = find_course(ROOT)
    data = read_course(course, ("a1.sdpa", "a2.causal_mask", "a2.padding"))
    answers = [*by_hand(data), *list(by_machine(data, each=2))]
    rows = said(course, answers, Options(workers=2))

    wrong = [answer.truth for answer in answers if answer.truth]
    named = [row for row in rows if row.verdict is Verdict.NAMED]
    assert len(wrong) >= 30
    assert [row for row in rows if row.verdict is Verdict.WRONG] == []
    assert len(named) >= 0.9 * len(wrong)
    for answer, row in zip(answers, rows, strict=True):
        assert answer.truth or not row.observed, f"{answer.id} is not right: {row.observed}"
