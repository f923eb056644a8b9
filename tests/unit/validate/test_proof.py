"""Whatever is taken from a course is missed: every line, entry, check and hand-out, one by one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import CourseError, find_course
from grader.course.paths import CoursePaths
from grader.course.rubric_file import RubricError
from grader.messages.answers import CheckFacts
from grader.validate.data import CourseData, Edited, read_course
from grader.validate.gap import Gap
from grader.validate.mistake_map import map_gaps
from grader.validate.proof import read_gaps
from grader.validate.record import (
    ACCEPT,
    KillRecord,
    differences,
    read_record,
    static_differences,
    to_text,
)
from tests.support.remembered import remembered

SDPA, MHA = "reference/exercises/a1.sdpa", "reference/exercises/a3.mha"
SCORES = "reference/mistakes/scores.toml"
ROOT = Path(__file__).resolve().parents[3]


_NAMES = re.compile(r"[\d.]+|(?<=\[).*(?=])|\w+(?=: *{)|(?<=- ).*|a\d\.\w+|\w+(?=: a\d\.)")
"""What lines of one kind differ in: numbers, lists, criteria, what is banned, exercises."""


def rubric_lines() -> list[int]:
    """One line of each kind; all on request, which takes minutes."""
    every = os.environ.get("GRADER_EVERY_LINE") == "1"
    kinds: dict[str, int] = {}
    for number, line in enumerate((ROOT / "rubric.yaml").read_text().splitlines()):
        if line.strip() and not line.lstrip().startswith("#"):
            kinds.setdefault(str(number) if every else _NAMES.sub("", line), number)
    return list(kinds.values())


def told(root: Path) -> list[str]:
    """Everything that reading the course tells, one line each."""
    try:
        return [str(gap).splitlines()[0] for gap in read_gaps(find_course(root))[1]]
    except (RubricError, CourseError) as error:
        return str(error).splitlines()


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def _what_stays_is_read_once() -> Iterator[None]:
    """A course is read a hundred times here, each time with one of its files changed."""
    with remembered():
        yield


@pytest.fixture(scope="module")
def data() -> CourseData:
    return read_course(find_course(ROOT))


@pytest.fixture(scope="module")
def old(data: CourseData) -> dict[str, KillRecord]:
    found = {slug: read_record(CoursePaths(ROOT), slug) for slug in data.slugs}
    assert all(isinstance(record, KillRecord) for record in found.values())
    return {slug: record for slug, record in found.items() if isinstance(record, KillRecord)}


def test_this_course_reads_without_gaps() -> None:
    assert told(ROOT) == []


@pytest.mark.parametrize("number", rubric_lines())
def test_no_line_of_the_rubric_can_go(copied: Path, number: int) -> None:
    path = copied / "rubric.yaml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:number] + lines[number + 1 :]), encoding="utf-8")
    assert told(copied) != []


def test_every_entry_is_missed(data: CourseData, old: dict[str, KillRecord]) -> None:
    """Without it, an exercise's record names it; and the mistake it stands for may stay empty."""
    for gone in [*data.misconceptions, *data.variants]:
        gaps = without(data, gone, old)
        assert any(f"{gone.entry.id} is gone" in gap.message for gap in gaps), gone.entry.id


def without(data: CourseData, gone: Edited, old: dict[str, KillRecord]) -> list[Gap]:
    kept = [each for each in data.edited if each is not gone]
    less = CourseData(data.course, data.slugs, edited=kept)
    return [gap for slug in gone.slugs for gap in static_differences(less, slug, old[slug])]


def test_an_entry_that_is_gone_is_told_with_what_it_was_for(
    data: CourseData, old: dict[str, KillRecord]
) -> None:
    (unscaled,) = [each for each in data.edited if each.entry.id == "sdpa.unscaled"]
    (einsum,) = [each for each in data.edited if each.entry.id == "sdpa.einsum"]
    assert without(data, unscaled, old) == [
        Gap(
            "reference/exercises/a1.sdpa/mistakes.diff",
            1,
            "sdpa.unscaled is gone, which failed 5 checks of a1.sdpa",
            ACCEPT,
        )
    ]
    assert without(data, einsum, old) == [
        Gap(
            "reference/exercises/a1.sdpa/variants.py",
            1,
            "sdpa.einsum is gone, another right way to write a1.sdpa",
            ACCEPT,
        )
    ]


def facts(slug: str, checks: list[str]) -> list[CheckFacts]:
    return [CheckFacts(f"{slug}/{c}", "", "tests/suites/t.py", 7, False, "") for c in checks]


def test_every_check_is_missed(old: dict[str, KillRecord]) -> None:
    for slug, record in old.items():
        for gone in record.checks:
            kept = {check: ids for check, ids in record.checks.items() if check != gone}
            new = KillRecord(kept, record.variants, record.terms)
            (gap,) = differences(slug, record, new, facts(slug, list(kept)), set())
            assert gap.message.startswith(f"the check {slug}/{gone} is gone, which "), gap


def test_every_failed_check_is_missed(old: dict[str, KillRecord]) -> None:
    """A check that lets one mistake through that it caught before."""
    record = old["a1.sdpa"]
    known = {id for ids in record.checks.values() for id in ids}
    for check, ids in record.checks.items():
        for gone in ids:
            weaker = {**record.checks, check: tuple(id for id in ids if id != gone)}
            new = KillRecord(weaker, record.variants, record.terms)
            gaps = differences("a1.sdpa", record, new, facts("a1.sdpa", list(weaker)), known)
            assert [gap.message for gap in gaps] == [f"a1.sdpa/{check}: no longer failed by {gone}"]


def test_what_is_new_wants_to_be_recorded(old: dict[str, KillRecord]) -> None:
    record = old["a1.sdpa"]
    check = "outputs/test_all_widths_differ"
    more = {**record.checks, check: (*record.checks[check], "sdpa.new"), "outputs/test_new": ()}
    new = KillRecord(more, (*record.variants, "sdpa.way"), (*record.terms, ("banned", "torch.bmm")))
    gaps = differences("a1.sdpa", record, new, facts("a1.sdpa", list(more)), set())
    assert [gap.message for gap in gaps] == [
        "a1.sdpa/outputs/test_all_widths_differ: now also failed by sdpa.new",
        "a1.sdpa/outputs/test_new is new and not in reference/exercises/a1.sdpa/kill_record.json",
        "the variant sdpa.way is new",
        "banned: torch.bmm is new in rubric.yaml",
    ]


def test_a_record_says_the_same_after_writing(copied: Path, old: dict[str, KillRecord]) -> None:
    path = copied / "reference/exercises/a3.mha/kill_record.json"
    path.write_text(to_text(old["a3.mha"]), encoding="utf-8")
    assert read_record(CoursePaths(copied), "a3.mha") == old["a3.mha"]
    assert path.read_bytes() == (ROOT / "reference/exercises/a3.mha/kill_record.json").read_bytes()


@pytest.mark.parametrize(
    ("file", "old", "new", "told_line"),
    [
        (
            "rubric.yaml",
            "      masking:   {points: 2, visibility: hidden}\n      numerics:  {points: 1, "
            "visibility: hidden, scoring: all_or_nothing, requires: [masking]}\n      gradients: "
            "{points: 1, visibility: hidden, requires: [outputs]}\n      state:     {points: 1, "
            "visibility: hidden}\n      policy:    {points: 1, visibility: public}\n"
            "    follow_through: {",
            "      numerics:  {points: 1, visibility: hidden}\n      gradients: {points: 3, "
            "visibility: hidden}\n      state:     {points: 1, visibility: hidden}\n"
            "      policy:    {points: 1, visibility: public}\n    follow_through: {",
            "rubric.yaml:52  exercises.a1.sdpa.criteria.masking is gone, for which 9 checks stood",
        ),
        (
            "rubric.yaml",
            "    follow_through: {stable_softmax: a1.softmax}\n    banned:\n"
            "      - torch.nn.functional.scaled_dot_product_attention\n",
            "    follow_through: {stable_softmax: a1.softmax}\n    banned:\n",
            "rubric.yaml:61  exercises.a1.sdpa.banned: "
            "torch.nn.functional.scaled_dot_product_attention is gone",
        ),
        (
            f"{MHA}/mistakes.diff",
            "self.head_dim**-0.5\n+scores = query @ key.transpose(2, 3) * (self.num_heads",
            "self.head_dim**-0.6\n+scores = query @ key.transpose(2, 3) * (self.num_heads",
            f"{MHA}/mistakes.diff:{{line}}  mha.scale_by_width: the edit does not fit in "
            "MultiHeadAttention of the reference, and must fit exactly once: it changes "
            "'scores = query @ key.transpose(2, 3) * self.head_dim**-0.6'",
        ),
        (
            f"{SDPA}/mistakes.diff",
            "fails: masking\ncause: The mask is read as [key, query]",
            "fails: maskings\ncause: The mask is read as [key, query]",
            f"{SDPA}/mistakes.diff:{{line}}  sdpa.mask_transposed: the rubric has no 'maskings'",
        ),
        (
            f"{SDPA}/mistakes.diff",
            "+scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -2\n",
            "+scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … S L\n",
            f"{SDPA}/mistakes.diff:{{line}}  sdpa.width_squared: the same text as the reference",
        ),
        (
            f"{SDPA}/mistakes.diff",
            "mistakes: scaled_by_the_width_squared\nfails: outputs\n",
            "mistakes: scaled_by_the_width_squared\n",
            f"{SDPA}/mistakes.diff:{{line}}  sdpa.width_squared: names no criterion that it fails",
        ),
        (
            f"{SDPA}/mistakes.diff",
            "mistakes: scaled_by_the_width_squared\n",
            "mistakes: scaled_by_the_width_cubed\n",
            f"{SDPA}/mistakes.diff:{{line}}  sdpa.width_squared: no mistake "
            "'scaled_by_the_width_cubed' in the list - did you mean 'scaled_by_the_width_squared'?",
        ),
        (
            f"{SDPA}/mistakes.diff",
            "mistakes: scaled_by_the_width_squared\n",
            "",
            f"{SCORES}:{{line}}  mistake scaled_by_the_width_squared (scaled by the width squared):"
            " nothing stands for it",
        ),
        (
            SCORES,
            "[scaled_by_the_width_squared]",
            "[scaled_by_the_width_thrice]",
            f"{SCORES}:{{line}}  mistake scaled_by_the_width_thrice (scaled by the width squared): "
            "nothing stands for it",
        ),
        (
            SCORES,
            'title = "scaled by the width squared"\n',
            'title = "scaled by the width squared"\nreason = "nobody does"\n',
            f"{SCORES}:{{line}}  mistake scaled_by_the_width_squared: sdpa.width_squared stands for"
            " it, so 'nobody does' is stale",
        ),
        (
            SCORES,
            "[scaled_by_the_width_squared]\n",
            '[new]\ntitle = "new"\nopen = "a3.mha"\n\n[scaled_by_the_width_squared]\n',
            f"{SCORES}:{{line}}  mistake new waits for a3.mha, which is there by now",
        ),
        (
            f"{SDPA}/mistakes.diff",
            "--- reference/a1_attention.py\n",
            "--- reference/a2_masking.py\n",
            f"{SDPA}/mistakes.diff:1  changes a2_masking.py, but a1.sdpa belongs to a1_attention",
        ),
        (
            f"{MHA}/mistakes.diff",
            "family: dropout_unused\n",
            "family: dropout_used\n",
            f"{MHA}/mistakes.diff:{{line}}  mha.dropout_unused: no family 'dropout_used' - did you "
            "mean 'dropout_unused'?",
        ),
        (
            "reference/blank_answers.py",
            '    "shapes":',
            '    "shape":',
            "reference/blank_answers.py:{line}  MAY_EARN: the rubric has no criterion 'shape'",
        ),
        (
            "reference/exercises/a3.gqa/blank_answers.py",
            "# %% blank: uniform attention in a3.gqa\n# target: GroupedQueryAttention.forward\n",
            "# %% blank: uniform attention in a3.gqa\n# target: CrossAttention.forward\n",
            "reference/exercises/a3.gqa/blank_answers.py:{line}  blank: uniform attention in "
            "a3.gqa: CrossAttention is a target of a3.cross and not of a3.gqa",
        ),
        (
            "assignments/a1_attention.py",
            '"stable_softmax: replace this line with your solution"',
            '"stable_softmax: solve it"',
            "assignments/a1_attention.py:{line}  not what the reference makes: solved here, or the "
            "reference changed",
        ),
        (
            "assignments/ko/a1_attention.ipynb",
            "# 과제 1",
            "# 과제 2",
            "assignments/ko/a1_attention.ipynb:{line}  not what the reference makes: solved here, "
            "or the reference changed",
        ),
        (
            "assignments/answers.md",
            "Why are the scores divided",
            "Why are the scores not divided",
            "assignments/answers.md:{line}  not what rubric.yaml asks: answered here, or a question"
            " changed",
        ),
        (
            "rubric.yaml",
            "  a1.why_scale:\n",
            "  a1.why_scaled:\n",
            "reference/guides/a1.why_scale.md:1  rubric.yaml asks no question a1.why_scale",
        ),
        (
            "rubric.yaml",
            "  a1.why_scale:\n",
            "  a1.why_scaled:\n",
            "reference/guides/a1.why_scaled.md:1  nothing says how to mark a1.why_scaled",
        ),
        (
            "reference/notebooks.py",
            '"a5.positions"',
            '"a5.position"',
            "reference/notebooks.py:1  notebook 004: there is no a5.position in rubric.yaml",
        ),
        (
            "reference/a3_multi_head.py",
            "        output: torch.Tensor = self.out_proj(context)\n        return output\n"
            "        # END SOLUTION",
            "        output: torch.Tensor = self.out_proj(context)\n        return output",
            "reference/a3_multi_head.py:{line}  '# BEGIN SOLUTION' inside the one of line ",
        ),
        (
            "reference/exercises/a3.mha/kill_record.json",
            '"variants": [',
            '"variants": [[',
            "reference/exercises/a3.mha/kill_record.json:{line}  not a record: JSONDecodeError: ",
        ),
    ],
    ids=[
        "criterion", "banned", "edit", "criterion-named", "no-edit", "nothing-named",
        "mistake-unknown", "mistake-uncovered", "mistake-gone", "stale", "open", "other-assignment",
        "family-unknown", "may-earn",
        "blank-target", "hand-out", "hand-out in Korean", "question", "guide-stray",
        "guide-missing", "notebook", "fence", "record",
    ],
)  # fmt: skip
def test_what_is_spoilt_is_told_with_its_place(
    copied: Path, file: str, old: str, new: str, told_line: str
) -> None:
    spoil(copied / file, old, new)
    pattern = told_line.split("{line}")
    assert [line for line in told(copied) if all(part in line for part in pattern)], told(copied)


def test_mistakes_of_the_list_need_entries(data: CourseData) -> None:
    """The positive control: without any entry, every mistake without a reason is told."""
    expected = [m.id for m in data.mistakes.mistakes if not m.reason and not m.open]
    found = [gap.message.split()[1] for gap in map_gaps(data, [])]
    assert found == expected != []


@pytest.mark.parametrize("name", ["mistakes.diff", "variants.py"])
def test_a_missing_file_is_told(copied: Path, name: str) -> None:
    (copied / "reference/exercises/a4.vit" / name).unlink()
    assert f"reference/exercises/a4.vit/{name}:1  there is no such file" in told(copied)


def test_a_folder_without_its_exercise_is_told(copied: Path) -> None:
    (copied / "reference/exercises/a9.none").mkdir()
    assert told(copied) == [
        "reference/exercises/a9.none:1  the folder of a9.none, which rubric.yaml does not have"
    ]


def test_every_exercise_has_mistakes_and_right_ways(data: CourseData) -> None:
    """At least five of the first and three of the second."""
    for slug in data.slugs:
        assert len([e for e in data.misconceptions if slug in dict(e.named)]) >= 5
        assert len([e for e in data.variants if slug in dict(e.named)]) >= 3
