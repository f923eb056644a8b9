"""The course's own mistakes are found where they were made, nearly always."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from grader.course import find_course
from grader.evidence import OBSERVED
from grader.misconceptions import Misconception, apply_misconception, load_entries
from grader.worker.loading.layout import Layout
from grader.worker.loading.statements import Scripts
from grader.worker.survey import Wanted, survey
from grader.worker.survey.patterns import pattern

ROOT = Path(__file__).resolve().parents[4]
PLACES: dict[str, list[str]] = tomllib.loads(
    (ROOT / "reference" / "places.toml").read_text(encoding="utf-8")
)
RUBRIC = find_course(ROOT).rubric
STEMS = tuple(RUBRIC.assignments.values())
REFERENCES = {
    stem: (ROOT / "reference" / f"{stem}.py").read_text(encoding="utf-8") for stem in STEMS
}


def test_every_pattern_is_code() -> None:
    assert len([pattern(text) for texts in PLACES.values() for text in texts]) > 200


def test_every_group_is_a_number_or_a_cause() -> None:
    ids = {entry.id for stem in STEMS for entry in entries(stem)}

    others = [key for key in PLACES if key not in ids and key.partition(".")[0] not in OBSERVED]
    assert [key for key in others if not 1 <= int(key) <= 113] == []


def test_a_place_is_where_the_mistake_was_made() -> None:
    """Within three lines, because a missing line is seen at its neighbours."""
    distances = list(found())

    assert len(distances) >= 270
    assert sum(distance == 0 for distance in distances) >= 0.75 * len(distances)
    assert sum(distance <= 3 for distance in distances) >= 0.88 * len(distances)


def test_nothing_is_pointed_at_in_right_code_of_another_shape() -> None:
    """The control: a mistake's own pattern does not fit wherever one looks."""
    told = place("a1_attention", REFERENCES["a1_attention"], "attention_scores", PLACES["26"])

    assert told is None


def test_a_place_is_in_the_assignment_or_in_a_file_of_the_students_own() -> None:
    files = {
        "s1.py": b"def first(x):\n    return x.softmax(1)\n",
        "own.py": b"def own(x):\n    pass\n    return x.softmax(2)\n",
        "s2.py": b"from s1 import first\nfrom own import own\n\n\ndef second(x):\n"
        b"    return own(first(x))\n\n\ndef third(x):\n    return first(x)\n",
    }
    starts = {"s1": "s1.py", "s2": "s2.py"}
    shapes = {"one": ("softmax(...)",)}
    wanted = Wanted({"s1": ("first",), "s2": ("second", "third")}, {}, (), shapes)
    told = survey(wanted, starts, Layout(files, starts), Scripts(files))

    assert told["s1"]["first"]["places"] == {"one": ["s1.py", None, 2]}
    assert told["s2"]["second"]["places"] == {"one": ["own.py", None, 3]}
    assert told["s2"]["third"]["places"] == {}


@functools.cache
def entries(stem: str) -> tuple[Misconception, ...]:
    path = ROOT / "reference" / "misconceptions" / f"{stem}.py"
    return tuple(one for one in load_entries(path)[0] if isinstance(one, Misconception))


def found() -> Iterator[int]:
    """How far the likely place of each mistake is from the lines that it changed."""
    for stem in STEMS:
        origin = load_entries(ROOT / "reference" / "misconceptions" / f"{stem}.py")[1]
        for entry in entries(stem):
            definition = entry.target.partition(".")[0]
            source = apply_misconception(REFERENCES[stem], entry, origin)
            groups = [PLACES[str(number)] for number in entry.mistakes if str(number) in PLACES]
            told = next((p for g in groups if (p := place(stem, source, definition, g))), None)
            if told is not None:
                yield min(abs(told - line) for line in changed(REFERENCES[stem], source))


def place(stem: str, source: str, definition: str, shapes: list[str]) -> int | None:
    files = {f"{one}.py": text.encode() for one, text in {**REFERENCES, stem: source}.items()}
    starts = {one: f"{one}.py" for one in STEMS}
    wanted = Wanted({stem: (definition,)}, {}, (), {"one": tuple(shapes)})
    told = survey(wanted, starts, Layout(files, starts), Scripts(files))
    where = told[stem][definition]["places"].get("one")
    return None if where is None else where[2]


def changed(before: str, after: str) -> set[int]:
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    edits = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    spans = [range(first + 1, max(end, first + 1) + 1) for _, _, _, first, end in edits]
    return {line for span in spans for line in span}
