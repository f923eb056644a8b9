"""The course's own mistakes are found where they were made, nearly always."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from grader.course.course import find_course
from grader.course.misconceptions import apply_misconception
from grader.course.mistake_diff import MistakesOfExercise, mistakes_of_assignment
from grader.course.mistake_list import load_mistakes
from grader.grade.evidence import OBSERVED
from grader.wire.load_plan import Wanted
from grader.wire.survey_report import encoded_survey
from grader.worker.loading.source.module_map import ModuleMap
from grader.worker.loading.source.statements import Scripts
from grader.worker.survey import survey
from grader.worker.survey.patterns import pattern

ROOT = Path(__file__).resolve().parents[4]
COURSE = find_course(ROOT)
PLACES: dict[str, list[str]] = tomllib.loads(COURSE.paths.places.read_text(encoding="utf-8"))
RUBRIC = COURSE.rubric
STEMS = tuple(RUBRIC.assignments.values())
REFERENCES = {
    stem: (ROOT / "reference" / f"{stem}.py").read_text(encoding="utf-8") for stem in STEMS
}


def test_every_pattern_is_code() -> None:
    assert len([pattern(text) for texts in PLACES.values() for text in texts]) > 200


def test_every_group_is_a_mistake_of_the_list_or_a_cause() -> None:
    ids = {entry.id for stem in STEMS for each in mistakes(stem) for entry in each.entries}
    ids |= {mistake.id for mistake in load_mistakes(COURSE.paths).mistakes}

    others = [key for key in PLACES if key not in ids]
    assert [key for key in others if key.partition(".")[0] not in OBSERVED] == []


def test_a_place_is_where_the_mistake_was_made() -> None:
    """Within three lines, because a missing line is seen at its neighbours."""
    distances = list(found())

    assert len(distances) >= 270
    assert sum(distance == 0 for distance in distances) >= 0.75 * len(distances)
    assert sum(distance <= 3 for distance in distances) >= 0.88 * len(distances)


def test_nothing_is_pointed_at_in_right_code_of_another_shape() -> None:
    """The control: a mistake's own pattern does not fit wherever one looks."""
    told = place(
        "a1_attention",
        REFERENCES["a1_attention"],
        "attention_scores",
        PLACES["result_of_masked_fill_thrown_away"],
    )

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
    told = encoded_survey(survey(wanted, starts, ModuleMap(files, starts), Scripts(files)))

    assert told["s1"]["first"]["places"] == {"one": ["s1.py", None, 2]}
    assert told["s2"]["second"]["places"] == {"one": ["own.py", None, 3]}
    assert told["s2"]["third"]["places"] == {}


@functools.cache
def mistakes(stem: str) -> tuple[MistakesOfExercise, ...]:
    return tuple(mistakes_of_assignment(COURSE.paths, stem))


def found() -> Iterator[int]:
    """How far the likely place of each mistake is from the lines that it changed."""
    all_mistakes = ((stem, each) for stem in STEMS for each in mistakes(stem))
    for stem, each in all_mistakes:
        for entry in each.entries:
            definition = entry.target.partition(".")[0]
            source = apply_misconception(REFERENCES[stem], entry, each.origin)
            groups = [PLACES[id] for id in entry.mistakes if id in PLACES]
            told = next((p for g in groups if (p := place(stem, source, definition, g))), None)
            if told is not None:
                yield min(abs(told - line) for line in changed(REFERENCES[stem], source))


def place(stem: str, source: str, definition: str, shapes: list[str]) -> int | None:
    files = {f"{one}.py": text.encode() for one, text in {**REFERENCES, stem: source}.items()}
    starts = {one: f"{one}.py" for one in STEMS}
    wanted = Wanted({stem: (definition,)}, {}, (), {"one": tuple(shapes)})
    told = encoded_survey(survey(wanted, starts, ModuleMap(files, starts), Scripts(files)))
    where = told[stem][definition]["places"].get("one")
    return None if where is None else where[2]


def changed(before: str, after: str) -> set[int]:
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    edits = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    spans = [range(first + 1, max(end, first + 1) + 1) for _, _, _, first, end in edits]
    return {line for span in spans for line in span}
