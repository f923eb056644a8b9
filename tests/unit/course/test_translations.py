"""The languages of a course's hand-outs are those that it has a catalogue for."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from grader.course.course import find_course
from grader.course.question_text import PLACEHOLDER, handed_out_lines
from grader.course.questions import Wording, WrittenItem
from grader.course.translations import BEFORE, handout_languages, translation, with_wordings
from grader.handouts.translated_handout import in_all_languages
from grader.submission.submission import Submission
from grader.submission.written_answers import written_answers

ROOT = Path(__file__).resolve().parents[3]
WHY = WrittenItem("t1.why", "t1_toy", Fraction(3), "Why is it so?\nSay what grows.")
WORDS = {
    "Why is it so? Say what grows.": "왜 그렇습니까? 무엇이 커집니까?",
    "Written answer: `t1.why` (3 points)": "서술형 답안: `t1.why` (3점)",
    PLACEHOLDER: "*여기에 쓰세요.*",
}


def with_catalogue(root: Path, words: dict[str, str] = WORDS) -> Path:
    folder = root / "reference" / "locale" / "ko" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalog = Catalog(locale="ko")
    for english, korean in words.items():
        catalog.add(english, korean)
    data = io.BytesIO()
    write_mo(data, catalog)
    (folder / "handouts.mo").write_bytes(data.getvalue())
    return root


def test_a_course_without_a_catalogue_hands_out_in_english(tmp_path: Path) -> None:
    assert handout_languages(tmp_path) == ()
    assert in_all_languages(tmp_path, {"a.md": "Text."}) == {"a.md": "Text."}
    assert with_wordings(tmp_path, {"t1.why": WHY}) == {"t1.why": WHY}


def test_a_catalogue_makes_a_folder_of_its_language(tmp_path: Path) -> None:
    root = with_catalogue(tmp_path, {"Text.": "글."})

    assert handout_languages(root) == ("ko",)
    assert in_all_languages(root, {"a.md": "Text."}) == {"a.md": "Text.", "ko/a.md": "글."}
    assert translation(root, "ko")("Unknown.") == "Unknown."


def test_a_question_knows_how_it_is_asked_elsewhere(tmp_path: Path) -> None:
    (item,) = with_wordings(with_catalogue(tmp_path), {"t1.why": WHY}).values()

    assert item.question == WHY.question
    assert item.wordings == (
        Wording(
            "## 서술형 답안: `t1.why` (3점)\n\n왜 그렇습니까? 무엇이 커집니까?",
            "*여기에 쓰세요.*",
        ),
    )


def test_this_course_asks_every_question_in_korean() -> None:
    written = find_course(ROOT).rubric.written

    assert len(written) >= 4
    handed_out = (ROOT / "assignments" / "ko" / "answers.md").read_text("utf-8")
    for item in written.values():
        wording, *_ = item.wordings
        assert wording.text in handed_out
        assert handed_out.count(wording.placeholder) == len(written)


def test_a_question_knows_how_it_was_asked_before(tmp_path: Path) -> None:
    root = with_catalogue(tmp_path)
    (root / "reference" / "locale" / "ko" / BEFORE).write_text("왜 그러합니까?\n", "utf-8")

    (item,) = with_wordings(root, {"t1.why": WHY}).values()

    assert item.wordings[1] == Wording("왜 그러합니까?\n", "*여기에 쓰세요.*")
    assert "왜 그러합니까?" in handed_out_lines(item)


def test_answers_in_the_korean_of_earlier_hand_outs_are_still_empty() -> None:
    earlier = (ROOT / "reference" / "locale" / "ko" / BEFORE).read_bytes()
    known = find_course(ROOT).rubric.written
    submission = Submission("s", {}, "", "x", answers={"answers.md": earlier})
    begun = replace(submission, answers={"answers.md": earlier.replace(b"\n## ", b"\nX.\n## ", 2)})

    assert [one.text for one in written_answers(submission, known, known.values())] == [""] * 4
    assert "X." in [one.text for one in written_answers(begun, known, known.values())]
