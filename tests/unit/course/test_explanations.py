"""Everything a report can name is explained, in three steps that go from a nudge to the answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.explanations import ExplanationError, Explanations, load_explanations
from grader.course.misconceptions import Misconception
from grader.course.mistake_diff import read_mistakes
from grader.course.mistake_list import load_mistakes
from grader.grade.evidence import OBSERVED

ROOT = Path(__file__).resolve().parents[3]
COURSE = find_course(ROOT)
KNOWN = load_explanations(ROOT, COURSE.rubric)
ENTRIES = [
    entry for slug in COURSE.rubric.exercises for entry in read_mistakes(COURSE.paths, slug).entries
]
LISTED = [mistake.id for mistake in load_mistakes(COURSE.paths).mistakes]
STOP = frozenset(
    {"the", "and", "what", "your", "which", "that", "does", "how", "are", "with", "for", "from"}
)


def words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z_]{3,}", text.lower()) if word not in STOP}


def gives_away(nudge: str, answer: str) -> bool:
    """Whether the first hint is the last one in other words, or has code in it to copy."""
    code = [piece for piece in re.findall(r"`([^`]+)`", nudge) if re.search(r"[=@*]|\w\(", piece)]
    shared = words(nudge) & words(answer)
    return len(shared) > 0.6 * len(words(answer)) or any(piece in answer for piece in code)


def test_there_is_something_to_look_at() -> None:
    assert len(ENTRIES) >= 919
    assert len(LISTED) == 113


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_misconception_is_explained_in_three_steps(entry: Misconception) -> None:
    found = KNOWN.of(entry.id)

    assert found.name == entry.id
    assert found.what == entry.cause != ""
    assert len(set(found.hints)) == 3
    assert (
        all(len(text) > 20 for text in (found.why, found.equation, *found.hints)) or found.equation
    )
    assert found.source


@pytest.mark.parametrize("id", LISTED)
def test_every_mistake_has_a_ladder_whose_first_step_gives_nothing_away(id: str) -> None:
    found = KNOWN.by_mistake[id]

    assert not gives_away(found.hints[0], found.hints[2])
    assert (found.equation, found.source) != ("", "")


@pytest.mark.parametrize("part", sorted(OBSERVED))
def test_whatever_is_seen_in_numbers_is_explained(part: str) -> None:
    """By its own name, or by the first part of it."""
    named = [name for name in KNOWN.by_cause if name.partition(".")[0] == part]

    assert len(named) >= 1
    for name in named:
        found = KNOWN.of(name)
        assert len(set(found.hints)) == 3
        assert not gives_away(found.hints[0], found.hints[2])


@pytest.mark.parametrize("slug", COURSE.rubric.exercises)
def test_every_exercise_and_criterion_of_the_rubric_is_explained(slug: str) -> None:
    found = KNOWN.of(slug)

    assert not gives_away(found.hints[0], found.hints[2])
    for criterion in COURSE.rubric.exercises[slug].criteria:
        assert KNOWN.of(f"{slug}/{criterion}").hints[0] == KNOWN.by_criterion[criterion]


def test_a_first_hint_that_is_the_answer_would_be_noticed() -> None:
    """The positive control: with the last hint in its place every ladder fails."""
    last = [one.hints[2] for one in KNOWN.by_mistake.values()]

    assert all(gives_away(hint, hint) for hint in last)
    assert gives_away("Try `x.sum(-1, keepdim=True)`.", "Write `x.sum(-1, keepdim=True)`.")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sdpa.unscald", "nothing is called 'sdpa.unscald' - did you mean 'sdpa.unscaled'?"),
        ("a1.sdap", "nothing is called 'a1.sdap' - did you mean 'a1.sdpa'?"),
        ("a1.sdpa/maskin", "nothing is called 'a1.sdpa/maskin' - did you mean 'a1.sdpa/masking'?"),
        (
            "zzzz",
            "nothing is called 'zzzz': expected a cause, or one of a1.scores, a1.softmax, "
            "a1.simple, …",
        ),
    ],
)
def test_an_unknown_name_gets_the_one_that_was_meant(name: str, said: str) -> None:
    with pytest.raises(ExplanationError) as error:
        KNOWN.of(name)
    assert str(error.value) == said


def test_whether_a_hidden_check_exists_is_not_told() -> None:
    real, made_up = "a1.sdpa/masking/test_allowed_keys", "a1.sdpa/masking/test_nothing_of_the_kind"

    assert KNOWN.of(real).hints == KNOWN.of(made_up).hints


def test_explanations_hold_no_line_of_the_reference() -> None:
    lines = {
        line.strip()
        for path in (ROOT / "reference").glob("a*.py")
        for solution in re.findall(
            r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", path.read_text(encoding="utf-8"), re.DOTALL
        )
        for line in solution.splitlines()
        if len(line.strip()) > 25
    }
    told = "\n".join(all_texts(KNOWN))

    assert len(lines) > 100
    assert [line for line in lines if line in told] == []


def all_texts(known: Explanations) -> list[str]:
    tables = (known.by_mistake, known.by_exercise, known.by_cause)
    ladders = [one for table in tables for one in table.values()]
    return [text for one in ladders for text in (one.why, one.equation, *one.hints)]


def test_a_course_without_explanations_says_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(ExplanationError) as error:
        load_explanations(tmp_path, COURSE.rubric)
    assert str(error.value) == (
        f"{tmp_path}/reference/mistakes: this copy of the course has no explanations. "
        "Name a full one: --course DIR"
    )


def test_a_kit_says_that_it_has_no_explanations(tmp_path: Path) -> None:
    """No student has a full course to be named."""
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "recorded.json.gz").write_bytes(b"")
    with pytest.raises(ExplanationError) as error:
        load_explanations(tmp_path, COURSE.rubric)
    assert str(error.value) == (
        "a kit has no explanations: its report says a cause in a sentence. For more, ask those who "
        "teach the course"
    )
