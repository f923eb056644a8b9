"""What a student reads: one table of wrong answers, the cause that is named, and its sentence, in
every language.

The answers are written by hand, each in a style of its own. `# here` marks the likely place.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

import pytest
from babel.messages.pofile import read_po

from grader.course.course import find_course
from grader.course.explanations import load_explanations
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import Cause, Observation, Where
from grader.report.content import LOST
from grader.submission.submission import Submission, digest_of
from grader.text.language import LANGUAGES, use_language

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
SDPA = """
import math
import torch

def scaled_dot_product_attention(query, key, value, mask=None):
    {scores}
    if mask is not None:
        if mask.dtype == torch.bool:
            {fill}
        else:
            s = s + mask
    {weights}
    empty = torch.isinf(s).all(-1, keepdim=True)
    w = w.masked_fill(empty, 0.0)
    return w @ value, w
"""
PIECES = {
    "scores": "s = torch.matmul(query, key.mT) / math.sqrt(query.size(-1))",
    "fill": "s = s.masked_fill(torch.logical_not(mask), float('-inf'))",
    "weights": "w = torch.nn.functional.softmax(s, dim=-1)",
}


class Row(NamedTuple):
    """A wrong answer, and what is to be said of it."""

    slug: str
    source: str
    cause: str
    sentence: str


def sdpa(**wrong: str) -> str:
    return SDPA.format(**{**PIECES, **wrong})


def softmax(body: str) -> str:
    return f"import torch\n\n\ndef stable_softmax(x, dim=-1):\n{body}"


def causal_mask(expression: str) -> str:
    return (
        "import torch\n\n\ndef causal_mask(T, offset=0, device=None):\n"
        f"    full = torch.ones(T, T + offset, device=device)\n    return {expression}\n"
    )


TABLE = {
    "not scaled": Row(
        "a1.sdpa",
        sdpa(scores="s = query @ key.transpose(-2, -1)  # here"),
        "sdpa.unscaled",
        "Scores are not divided by √Dh.",
    ),
    "divided by the width": Row(
        "a1.sdpa",
        sdpa(scores="s = torch.matmul(query, key.mT) / query.shape[-1]  # here"),
        "sdpa.scale_without_root",
        "Scores are divided by Dh and not by its root.",
    ),
    "scaled by the values": Row(
        "a1.sdpa",
        sdpa(scores="s = query @ key.mT / math.sqrt(value.shape[-1])  # here"),
        "sdpa.scale_by_values",
        "The scale is taken from the width of the values.",
    ),
    "scaled by a constant": Row(
        "a1.sdpa",
        sdpa(scores="s = query @ key.mT / 8  # here"),
        "sdpa.scale_of_64",
        "The scale is the constant 8, which is right for a width of 64 only.",
    ),
    "result thrown away": Row(
        "a1.sdpa",
        sdpa(
            fill="s.masked_fill(~mask, float('-inf'))  # here",
            weights="w = s.softmax(dim=-1)\n    return w @ value, w",
        ),
        "sdpa.masked_fill_dropped",
        "The mask has no effect: it is not used, or `masked_fill` returns a new tensor that is not "
        "kept.",
    ),
    "softmax over the queries": Row(
        "a1.simple",
        "import torch\n\n\ndef simple_self_attention(x):\n    s = torch.matmul(x, x.mT)\n"
        "    w = torch.softmax(s, dim=-2)  # here\n    return torch.matmul(w, x), w\n",
        "simple.softmax_over_queries",
        "The softmax runs over the queries, which are axis 1 of a batch: columns add up to 1 and "
        "not rows.",
    ),
    "mask transposed": Row(
        "a1.sdpa",
        sdpa(fill="s = s.masked_fill(~mask.transpose(-2, -1), float('-inf'))  # here"),
        "sdpa.mask_transposed",
        "The mask is read as [key, query]: its rows are queries.",
    ),
    "exp without a maximum": Row(
        "a1.softmax",
        softmax("    e = torch.exp(x)  # here\n    return e / e.sum(dim, keepdim=True)\n"),
        "softmax.no_maximum",
        "exp overflows for scores beyond 88: subtract the maximum of the row first.",
    ),
    "one maximum for all": Row(
        "a1.softmax",
        softmax(
            "    m = x.max()  # here\n    e = torch.exp(x - m)\n"
            "    return e / e.sum(dim, keepdim=True)\n"
        ),
        "softmax.global_maximum",
        "The maximum of all scores is subtracted: a row far below it becomes 0 / 0.",
    ),
    "the logarithm": Row(
        "a1.softmax",
        softmax("    return torch.log_softmax(x, dim)  # here\n"),
        "softmax.logarithm",
        "This is the logarithm of the softmax.",
    ),
    "triangle too wide": Row(
        "a2.causal_mask",
        causal_mask("full.tril(offset + 1) > 0  # here"),
        "causal_mask.next_token_seen",
        "The triangle is one diagonal too wide: every token also sees the next one.",
    ),
    "the other triangle": Row(
        "a2.causal_mask",
        causal_mask("torch.triu(full, offset).bool()  # here"),
        "causal_mask.upper_triangle",
        "The upper triangle is kept: every token sees the future and not the past.",
    ),
}


LITERALLY = {
    "not scaled": "점수를 √Dh로 나누지 않았습니다.",
    "the logarithm": "이것은 소프트맥스의 로그입니다.",
}
"""A few in Korean, word for word."""


@functools.cache
def sentences(language: str) -> dict[str, str]:
    """Each sentence of the table in a language, as people wrote it down."""
    if language == "en":
        return {row.sentence: row.sentence for row in TABLE.values()}
    file = ROOT / "reference" / "locale" / language / "LC_MESSAGES" / "course.po"
    with file.open("rb") as stream:
        texts = {str(one.id): str(one.string) for one in read_po(stream) if one.string}
    return {row.sentence: texts[row.sentence] for row in TABLE.values()}


@functools.cache
def told(language: str) -> dict[str, tuple[Observation, ...]]:
    """What went wrong with each answer."""
    course = find_course(ROOT)
    slugs = tuple(dict.fromkeys(row.slug for row in TABLE.values()))
    handed_in = []
    for name, row in TABLE.items():
        stem = course.rubric.exercises[row.slug].assignment
        files = {f"{stem}.py": row.source.encode()}
        handed_in.append(Submission(name, files, digest_of(files), path=""))
    use_language(language, ROOT)
    with Engine(course, Options(only=slugs, isolation="none")) as engine:
        return {
            one.submission.id: tuple(
                seen
                for seen in one.observations
                if seen.outcome in LOST and seen.exercise == TABLE[name_of(one)].slug
            )
            for one in engine.grade(handed_in)
        }


def name_of(result: Result) -> str:
    return result.submission.id


def named(name: str, language: str) -> list[tuple[Cause, Where | None]]:
    """The known mistakes that were named, and where. What else is seen in numbers (these answers
    have NaN gradients where nothing may be attended to) is not asked for here."""
    found = [(seen.cause, seen.where) for seen in told(language)[name]]
    return [(cause, where) for cause, where in found if cause and not cause.is_observation]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TABLE)
def test_the_cause_and_its_sentence_are_told(name: str, language: str) -> None:
    row = TABLE[name]
    causes = {(cause.id, cause.text) for cause, _ in named(name, language)}

    assert causes == {(row.cause, sentences(language)[row.sentence])}


@pytest.mark.parametrize("name", LITERALLY)
def test_some_sentences_are_told_word_for_word(name: str) -> None:
    assert {cause.text for cause, _ in named(name, "ko")} == {LITERALLY[name]}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TABLE)
def test_the_likely_line_is_the_wrong_one(name: str, language: str) -> None:
    line = TABLE[name].source[: TABLE[name].source.index("# here")].count("\n") + 1
    places = {place for _, place in named(name, language)}

    assert {place.line for place in places if place} == {line}
    assert True in {place.likely for place in places if place}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TABLE)
def test_what_is_told_can_be_explained(name: str, language: str) -> None:
    row = TABLE[name]
    use_language(language, ROOT)
    found = load_explanations(ROOT, find_course(ROOT).rubric).of(row.cause)

    assert found.what == sentences(language)[row.sentence]
