"""Hints can be read by who learns English, give no line of code away, and are long enough to help.

Grades are those of the Automated Readability Index, 4.71 · letters per word + 0.5 · words per
sentence - 21.43, of a ladder's three hints together. It needs no syllables, which a program can
only guess, and so no dictionary. What stands between backticks, and formulas, are no prose.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.explanations import Explanation, ExplanationError, load_explanations
from grader.text.language import ENGLISH, use_language

ROOT = Path(__file__).resolve().parents[3]
COURSE = find_course(ROOT)
KNOWN = load_explanations(ROOT, COURSE.rubric)
TARGETS = [target for one in COURSE.rubric.exercises.values() for target in one.targets]
SHARED = tomllib.loads(COURSE.paths.shared_causes.read_text(encoding="utf-8"))
OWN = {
    f"{slug} {key}": one.get("causes", [key])
    for slug in COURSE.rubric.exercises
    for key, one in tomllib.loads(
        COURSE.paths.exercise(slug).explanations.read_text(encoding="utf-8")
    ).items()
    if key not in (slug, *TARGETS)
}
"""The causes of each ladder that an exercise has for some of its own mistakes."""
LONG = {
    **KNOWN.by_target,
    **{f"shared {key}": KNOWN.by_cause[one["causes"][0]] for key, one in SHARED.items()},
    **{name: KNOWN.by_cause[causes[0]] for name, causes in OWN.items()},
}
"""The ladders that are more than three sentences."""
ALL = {
    **LONG,
    **KNOWN.by_mistake,
    **KNOWN.by_exercise,
    **KNOWN.by_cause,
}
HARDEST = 9.0
_CODE = re.compile(r"`[^`]*`|\([^()]*[=,][^()]*\)")
_LINE_OF_CODE = re.compile(r"[=@*+/]|\w\(.*\w.*\)|\n")


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z][A-Za-z'-]*", _CODE.sub("it", text))


def grade(text: str) -> float:
    own = words(text)
    sentences = max(1, len(re.findall(r"[.?!:;](?=\s|$)", _CODE.sub("it", text))))
    return 4.71 * sum(map(len, own)) / len(own) + 0.5 * len(own) / sentences - 21.43


def lines_of_code(hints: tuple[str, ...]) -> list[str]:
    pieces = (piece for hint in hints for piece in re.findall(r"`([^`]+)`", hint))
    return [piece for piece in pieces if _LINE_OF_CODE.search(piece)]


@pytest.fixture
def korean() -> Iterator[None]:
    use_language("ko", ROOT)
    yield
    use_language(ENGLISH)


@pytest.mark.parametrize("name", OWN)
def test_an_exercise_explains_its_own_mistakes(name: str) -> None:
    slugs = {KNOWN.entries[id][1] for id in OWN[name]}

    assert slugs == {name.partition(" ")[0]}


def test_every_target_has_hints_of_its_own() -> None:
    assert sorted(KNOWN.by_target) == sorted(TARGETS)
    assert len(TARGETS) == 62


@pytest.mark.parametrize("name", LONG)
def test_a_ladder_has_80_to_160_words(name: str) -> None:
    assert 80 <= sum(len(hint.split()) for hint in LONG[name].hints) <= 160


@pytest.mark.parametrize("name", ALL)
def test_hints_are_easy_to_read(name: str) -> None:
    assert grade(" ".join(ALL[name].hints)) <= HARDEST


@pytest.mark.parametrize("name", LONG)
def test_no_hint_is_a_line_of_code(name: str) -> None:
    assert lines_of_code(LONG[name].hints) == []


@pytest.mark.parametrize("name", LONG)
def test_korean_hints_are_whole_and_short_sentences(name: str, korean: None) -> None:
    hints = translated(LONG[name]).hints

    assert all(re.search("[가-힣]", hint) for hint in hints)
    assert lines_of_code(hints) == []
    sentences = [one for hint in hints for one in re.split(r"(?<=[.?!])\s", hint)]
    assert max(len(sentence.split()) for sentence in sentences) <= 22
    assert all(sentence.endswith((".", "?")) for sentence in sentences)
    assert 50 <= sum(len(hint.split()) for hint in hints) <= 160


def translated(one: Explanation) -> Explanation:
    return KNOWN.of(one.name)


def test_hard_and_given_away_would_be_noticed() -> None:
    """The positive controls."""
    hard = (
        "Notwithstanding considerable terminological heterogeneity, contemporary architectures "
        "necessitate simultaneous normalisation of multidimensional representations."
    )

    assert grade(hard) > 20
    assert grade("Put the two dogs in the sun. Do they run?") < 2
    assert lines_of_code(("Write `x.sum(-1, keepdim=True)` or `q @ k`.",)) == [
        "x.sum(-1, keepdim=True)",
        "q @ k",
    ]
    assert lines_of_code(("`squeeze` takes `dim` away.",)) == []


def test_what_is_shared_belongs_to_mistakes_that_have_nothing_else() -> None:
    causes = [id for one in SHARED.values() for id in one["causes"]]
    causes += [id for own in OWN.values() for id in own]

    assert len(causes) == len(set(causes))
    assert [id for id in causes if id not in KNOWN.entries] == []
    listed = [id for id in causes if {*KNOWN.entries[id][0].mistakes} & {*KNOWN.by_mistake}]
    assert listed == []


@pytest.mark.parametrize("id", KNOWN.entries)
def test_every_mistake_has_hints_of_its_own_or_of_the_list(id: str) -> None:
    entry, _slug = KNOWN.entries[id]

    assert id in KNOWN.by_cause or {*entry.mistakes} & {*KNOWN.by_mistake}


@pytest.mark.parametrize("name", OWN)
def test_a_ladder_leads_over_an_example_with_numbers(name: str) -> None:
    nudge, example, _answer = LONG[name].hints

    assert "?" in nudge
    assert re.search(r"\d|True", example)


def test_a_target_may_leave_the_equation_to_its_exercise() -> None:
    target, exercise = KNOWN.of("sliding_window_attention"), KNOWN.of("a5.cache")

    assert (target.why, target.equation, target.source) == (
        exercise.why,
        exercise.equation,
        exercise.source,
    )
    assert target.hints != exercise.hints


def test_an_entry_that_is_shared_by_nobody_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "reference" / "mistakes"
    folder.mkdir(parents=True)
    hints = 'why = "Why."\nhints = ["One.", "Two.", "Three."]\n'
    (folder / "shared.toml").write_text(f"[lonely]\n{hints}")

    with pytest.raises(ExplanationError) as error:
        load_explanations(tmp_path, COURSE.rubric)

    expected = "reference/mistakes/shared.toml: lonely: expected `causes`, a list of ids"
    assert str(error.value) == expected
