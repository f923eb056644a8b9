"""The right lines of a wrong program read the same in every format, and say only what is right."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from grader.grade.evidence import Observation, Outcome, Where
from grader.grade.right_lines import Likeness, RightAnswer, RightKind, RightLines, RightValue
from grader.pytest_items.items import message_of
from grader.report import json as json_report
from grader.report import markdown, terminal
from grader.report.content import Report
from grader.report.html import page as html
from grader.report.record import report_of
from grader.report.right_so_far import right_sentences
from grader.text.language import ENGLISH, use_language
from tests.support.pages import everything
from tests.unit.samples import RUBRIC

FILE = "s1_sums.py"
NAMED, PART, RETURNED = RightKind
SCORES = RightValue(Where(FILE, 14), NAMED, "scores", (Likeness.TRANSPOSED,))
KEYS = RightValue(Where(FILE, 12), NAMED, "keys")
LINES = RightLines((KEYS, SCORES), Where(FILE, 15))
ANSWER = RightAnswer("sums(x)", ("x (3, 4)",))
TOLD_OF_KEYS = "s1_sums.py:12, `keys`: right."
TOLD = [
    "s1_sums.py:14, `scores`: right (transposed).",
    "From line 15 on nothing matches.",
    "Also right: line 12 `keys`.",
]


def report(lines: RightLines = LINES) -> Report:
    whole = everything()
    first, *others = whole.exercises
    seen = tuple(
        replace(one, right_lines=lines) if one.outcome is Outcome.FAILED else one
        for one in first.observations
    )
    return replace(whole, exercises=(replace(first, observations=seen), *others))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (LINES, TOLD),
        (RightLines((KEYS,)), [TOLD_OF_KEYS]),
        (
            RightLines((KEYS,), None, RightAnswer("sums(x, y)", ("x (3, 4)", "y (4,)"))),
            [
                "With random numbers the answer of `sums(x, y)` is right: x (3, 4), y (4,).",
                TOLD_OF_KEYS,
            ],
        ),
        (
            RightLines((KEYS,), None, RightAnswer("sums(4)", ())),
            ["The answer of `sums(4)` is right.", TOLD_OF_KEYS],
        ),
        (
            RightLines((RightValue(Where("n.ipynb", 2, 3), PART, "q @ k"),)),
            ["n.ipynb cell 3:2, `q @ k`: right."],
        ),
        (
            RightLines((RightValue(Where("n.ipynb", 2, 3), PART, ""),)),
            ["n.ipynb cell 3:2, a value in this line: right."],
        ),
        (
            RightLines((RightValue(Where(FILE, 9), RETURNED, "", (Likeness.SCALED,)),)),
            ["s1_sums.py:9, what is returned: right (but for a factor)."],
        ),
        (
            RightLines((RightValue(Where("a.py", 3), NAMED, "q"), KEYS)),
            ["s1_sums.py:12, `keys`: right.", "Also right: `q` (a.py:3)."],
        ),
    ],
    ids=[
        "whole",
        "one",
        "of a right answer",
        "of constants",
        "cell",
        "part of a cell",
        "returned",
        "another file",
    ],
)
def test_what_is_right_is_said_in_sentences(lines: RightLines, expected: list[str]) -> None:
    assert right_sentences(lines) == expected


def test_in_korean() -> None:
    use_language("ko")
    try:
        sentences = right_sentences(LINES)
        of_right_answer = right_sentences(RightLines((KEYS,), None, ANSWER))
    finally:
        use_language(ENGLISH)

    assert sentences == [
        "s1_sums.py:14, `scores`: 맞습니다(전치된 상태).",
        "15번째 줄부터는 일치하는 값이 없습니다.",
        "이것도 맞습니다: 12번째 줄 `keys`.",
    ]
    assert of_right_answer[0] == "무작위 수로는 `sums(x)`의 답이 맞습니다: x (3, 4)."


def test_a_terminal_shows_it_with_the_place_as_a_path() -> None:
    console = Console(width=100, record=True)
    text = "".join(terminal.pieces(report(), console, Path("/"))).replace("\n", " ")

    assert "Right up to here" in text
    assert "s1_sums.py:14, `scores`: right (transposed)." in text


@pytest.mark.parametrize("rendered", [markdown.rendered, html.rendered], ids=["markdown", "html"])
def test_a_page_shows_it_once(rendered: object) -> None:
    text = rendered(report())  # type: ignore[operator]

    assert text.count("From line 15 on nothing matches.") == 1


def test_the_message_of_a_test_item_shows_it() -> None:
    seen = Observation("s1.add/outputs/test_sum", "Sums.", Outcome.FAILED, right_lines=LINES)

    assert message_of(seen).endswith("\n".join(["Right up to here:", *TOLD]))


def test_a_record_holds_names_and_lines_and_no_number_of_the_reference() -> None:
    record = json.loads(json.dumps(json_report.as_dict(report(), for_staff=True)))
    (found,) = {
        json.dumps(check["right_lines"], sort_keys=True)
        for exercise in record["exercises"]
        for check in exercise["checks"]
        if "right_lines" in check
    }

    assert json.loads(found) == {
        "values": [
            {
                "where": {"file": FILE, "line": 12, "cell": None},
                "kind": "named",
                "text": "keys",
                "likeness": [],
            },
            {
                "where": {"file": FILE, "line": 14, "cell": None},
                "kind": "named",
                "text": "scores",
                "likeness": ["transposed"],
            },
        ],
        "nothing_from": {"file": FILE, "line": 15, "cell": None},
    }
    again = report_of(record, RUBRIC)
    assert again.exercises[0].observations[1].right_lines == LINES


def test_a_record_keeps_the_call_whose_answer_is_right() -> None:
    lines = replace(LINES, nothing_from=None, right_answer=ANSWER)
    record = json.loads(json.dumps(json_report.as_dict(report(lines), for_staff=True)))

    assert report_of(record, RUBRIC).exercises[0].observations[1].right_lines == lines
