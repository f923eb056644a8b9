"""Written answers are found wherever their mark is, kept whole, and never taken for code."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from grader.course.question_text import PLACEHOLDER, answer_text, marker, question_text
from grader.course.questions import Wording, WrittenItem
from grader.grade.evidence import Where
from grader.handouts.handout import notebook_handout, written_handout
from grader.submission.submission import Submission, digest_of
from grader.submission.written_answers import WrittenAnswer, written_answers

WHY = WrittenItem("t1.why", "t1_toy", Fraction(3), "Why is it so?\nSay what grows.")
HOW = WrittenItem("t2.how", "t2_toy", Fraction(1), "How?")
ITEMS = {item.slug: item for item in (WHY, HOW)}
FILE = written_handout(ITEMS.values())["answers.md"]
STUB = "def f():\n    raise NotImplementedError\n"


def markdown(source: str, *tags: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {"tags": list(tags)}, "source": source}


def code(source: str) -> dict[str, Any]:
    return {**markdown(source), "cell_type": "code", "outputs": []}


def notebook(*cells: Mapping[str, Any]) -> bytes:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


def answers(
    *cells: Mapping[str, Any], file: str | bytes = "", files: Mapping[str, bytes] | None = None
) -> tuple[WrittenAnswer, ...]:
    handed_in = {"t1_toy.ipynb": notebook(*cells)} if cells else {}
    handed_in |= files or {}
    data = file.encode() if isinstance(file, str) else file
    submission = Submission(
        "student-001", handed_in, digest_of(handed_in), "x", answers={"answers.md": data}
    )
    return written_answers(submission, ITEMS, ITEMS.values())


def texts(*cells: Mapping[str, Any], file: str | bytes = "") -> list[str]:
    return [answer.text for answer in answers(*cells, file=file)]


def filled(text: str) -> str:
    """The file with an answer to the first question."""
    return FILE.replace(PLACEHOLDER, text, 1)


def test_the_untouched_hand_outs_are_empty() -> None:
    handed_in = {"t1_toy.ipynb": notebook_handout(STUB, written=[WHY, HOW]).encode()}

    found = answers(file=FILE, files=handed_in)

    assert [(one.text, one.words, one.places, one.digest) for one in found] == [
        ("", 0, (), ""),
        ("", 0, (), ""),
    ]


class TestAskedInAnotherLanguage:
    ASKED = replace(WHY, wordings=(Wording("## 답: `t1.why`\n\n왜 그렇습니까?", "*쓰는 곳*"),))
    FILE = f"# 답\n\n{ASKED.wordings[0].text}\n\n{marker('t1.why')}\n*쓰는 곳*\n"

    def found(self, file: str) -> str:
        submission = Submission("s", {}, "", "x", answers={"ko/answers.md": file.encode()})
        (why,) = written_answers(submission, ITEMS | {"t1.why": self.ASKED}, [self.ASKED])
        return why.text

    def test_what_was_handed_out_is_no_answer(self) -> None:
        assert self.found(self.FILE) == ""
        assert self.found(FILE) == ""
        assert self.found(self.FILE.replace("왜 그렇습니까?", "왜요?")) == "왜요?"

    def test_an_answer_is_found_and_nothing_else(self) -> None:
        assert self.found(self.FILE.replace("*쓰는 곳*", "커집니다.")) == "커집니다."
        assert self.found(self.FILE + "커집니다.") == "커집니다."


def test_an_answer_in_the_file_is_found() -> None:
    why, how = answers(file=filled("It grows.\n\nAnd grows."))

    assert (why.text, why.words) == ("It grows.\n\nAnd grows.", 4)
    assert why.places == (Where("answers.md", FILE.split("\n").index(marker("t1.why")) + 1),)
    assert how.text == ""


def test_an_answer_in_the_handed_out_notebook_is_found() -> None:
    handed_out = json.loads(notebook_handout(STUB, written=[WHY]))
    cell = handed_out["cells"][-1]
    cell["source"] = [answer_text(WHY).replace(PLACEHOLDER, "It grows.")]
    number = len(handed_out["cells"])

    why, _ = answers(files={"t1_toy.ipynb": json.dumps(handed_out).encode()})

    assert (why.text, why.places) == ("It grows.", (Where("t1_toy.ipynb", cell=number),))


@pytest.mark.parametrize(
    "cells",
    [
        [markdown(f"{marker('t1.why')}\nIt grows.")],
        [markdown(f"<!--ANSWER:t1.why--> It grows.  \r\n{PLACEHOLDER}")],
        [markdown("It grows.", "answer:t1.why")],
        [markdown(f"{question_text(WHY)}\n\nIt grows.")],
        [markdown(answer_text(WHY)), markdown("It grows.")],
        [markdown(f"{marker('t1.why')}\nIt grows.", "answer:t2.how")],
        [markdown(f"## my answer to `t1.why`\n{PLACEHOLDER} It grows.")],
    ],
    ids=[
        "by its mark",
        "by a mark written another way, with CRLF",
        "by its tag alone",
        "below the question",
        "in a cell of its own below the mark",
        "by the mark, where the tag says otherwise",
        "below a heading, beside the placeholder",
    ],
)
def test_an_answer_survives_editing(cells: list[dict[str, Any]]) -> None:
    assert texts(*cells) == ["It grows.", ""]


@pytest.mark.parametrize(
    "cells",
    [
        [code(f"'''{marker('t1.why')}\nIt grows.'''")],
        [markdown(answer_text(WHY)), code("x = 1"), markdown("It grows.")],
        [markdown(answer_text(WHY)), markdown("# Next part\nIt grows.")],
        [markdown("<!-- answer: t9.other -->\nIt grows.")],
        [markdown("t1.why: It grows.")],
    ],
    ids=["in code", "behind code", "below a heading", "under another mark", "without a mark"],
)
def test_other_text_is_no_answer(cells: list[dict[str, Any]]) -> None:
    assert texts(*cells) == ["", ""]


def test_of_two_cells_with_one_mark_both_are_kept() -> None:
    cell = f"{marker('t1.why')}\n"

    why, _ = answers(markdown(cell + "One."), markdown(cell + "Two."), markdown(cell + "One."))

    assert why.text == "[t1_toy.ipynb cell 1]\nOne.\n\n[t1_toy.ipynb cell 2]\nTwo."
    assert why.places == (Where("t1_toy.ipynb", cell=1), Where("t1_toy.ipynb", cell=2))


def test_the_file_and_the_notebook_are_both_read() -> None:
    why, _ = answers(markdown(f"{marker('t1.why')}\nTwo."), file=filled("One."))

    assert [str(place).split(":")[0] for place in why.places] == [
        "answers.md",
        "t1_toy.ipynb cell 1",
    ]


def test_an_answer_ends_where_the_next_one_begins_though_it_is_not_asked_for() -> None:
    submission = Submission("s", {}, "", "x", answers={"answers.md": filled("One.").encode()})

    (why,) = written_answers(submission, ITEMS, [WHY])

    assert why.text == "One."


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (filled("키가 크면 커진다.").encode(), "키가 크면 커진다."),
        (filled("é").encode("utf-16"), "é"),
        (b"\xef\xbb\xbf" + filled("é").encode(), "é"),
        (filled("a\nb").replace("\n", "\r\n").encode(), "a\nb"),
        (filled("a\nb").replace("\n", "\r").encode(), "a\nb"),
        (filled("X").encode().replace(b"X", b"a\xffb"), "a\N{REPLACEMENT CHARACTER}b"),
    ],
    ids=["Korean", "UTF-16", "byte order mark", "CRLF", "CR", "not UTF-8"],
)
def test_a_file_of_any_encoding_is_read(data: bytes, text: str) -> None:
    assert texts(file=data) == [text, ""]


@pytest.mark.parametrize(
    "hostile",
    [
        "<!-- answer: " * 80_000,
        "#" + " t1.wh" * 150_000,
        "<!--" + " " * 1_000_000,
        f"{marker('t1.why')}\n" * 30_000,
        "\n" * 1_000_000,
        "# t1.why x\n" * 80_000,
    ],
    ids=["marks that never end", "one long heading", "blanks", "many marks", "lines", "headings"],
)
def test_hostile_text_costs_bounded_time(hostile: str) -> None:
    begun = time.process_time()
    answers(file=hostile)

    assert time.process_time() - begun < 5


def test_a_notebook_that_cannot_be_read_has_no_answers() -> None:
    assert texts(file=filled("One.")) == ["One.", ""]
    found = answers(file=filled("One."), files={"t1_toy.ipynb": b'{"cells": [t1.why'})
    assert [one.text for one in found] == ["One.", ""]
