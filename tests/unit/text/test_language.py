"""The language in use: which one it is, and how sentences are looked up."""

from __future__ import annotations

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from grader.text.language import (
    COURSE_LOCALE,
    _,
    as_typed,
    catalogue,
    course_text,
    either,
    joined,
    language_in_use,
    ngettext,
    preferred_language,
    use_catalogue,
    use_language,
)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with a few sentences in Korean."""
    catalog = Catalog(locale="ko")
    catalog.add("output", "출력")
    catalog.add("output of {count} tokens", "토큰 {count}개의 출력")
    catalog.add("{count} tokens", "토큰 {count}개")
    catalog.add("{name} gets none", "{name}이(가) 없어요")
    catalog.add("{wanted}", "{wanted}")
    folder = tmp_path / COURSE_LOCALE / "ko" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "course.mo").open("wb") as file:
        write_mo(file, catalog)
    return tmp_path


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        pytest.param({}, "en", id="nothing said"),
        pytest.param({"LANG": "ko_KR.UTF-8"}, "ko", id="LANG"),
        pytest.param({"LANG": "ko"}, "ko", id="short"),
        pytest.param({"LC_ALL": "en_US.UTF-8", "LANG": "ko_KR.UTF-8"}, "en", id="LC_ALL before"),
        pytest.param({"LC_MESSAGES": "ko_KR.UTF-8", "LANG": "C.UTF-8"}, "ko", id="LC_MESSAGES"),
        pytest.param({"LANGUAGE": "fr:ko:en", "LANG": "C"}, "ko", id="the first there is"),
        pytest.param({"LANG": "fr_FR.UTF-8"}, "en", id="one there is none of"),
        pytest.param({"LANGUAGE": "", "LANG": "ko_KR"}, "ko", id="empty"),
    ],
)
def test_the_environment_says_which(environ: dict[str, str], language: str) -> None:
    assert preferred_language(environ) == language


def test_a_language_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(ValueError, match="no language 'fr': expected one of en, ko"):
        use_language("fr")


def test_a_sentence_is_looked_up_and_then_filled_in() -> None:
    use_language("ko")

    assert language_in_use() == "ko"
    assert _("not written yet") == "아직 쓰지 않았습니다"
    assert _("line {line}", line=3) == "3번째 줄"
    assert ngettext("row {rows}", "rows {rows}", 2, rows="0, 1") == "행 0, 1"
    assert joined(["a", "b"]) == "a, b"
    assert either(["a", "b"]) == "a 또는 b"


def test_english_is_what_stands_in_the_code() -> None:
    use_language("en")

    assert _("line {line}", line=3) == "line 3"
    assert ngettext("1 word", "{count} words", 1) == "1 word"
    assert ngettext("1 word", "{count} words", 2) == "2 words"
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert catalogue("en") is None


def test_what_has_no_translation_stays_english() -> None:
    use_language("ko")

    assert _("A sentence that nobody wrote.") == "A sentence that nobody wrote."
    assert course_text("A sentence without a course.") == "A sentence without a course."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("output", "출력", id="as it is"),
        pytest.param("output of 5 tokens", "토큰 5개의 출력", id="the one that says most"),
        pytest.param("5 tokens", "토큰 5개", id="the other one"),
        pytest.param("x2 gets none", "x2가 없어요", id="particle"),
        pytest.param("[1, 2]", "[1, 2]", id="a place alone fits nothing"),
        pytest.param("", "", id="empty"),
    ],
)
def test_what_an_f_string_of_the_course_made_is_found(course: Path, text: str, told: str) -> None:
    use_language("ko", course)

    assert course_text(text) == told


def test_a_course_without_a_catalogue_stays_english(tmp_path: Path) -> None:
    use_language("ko", tmp_path)

    assert course_text("output") == "output"
    assert _("not written yet") == "아직 쓰지 않았습니다"


def test_going_back_to_english_forgets_the_course(course: Path) -> None:
    use_language("ko", course)
    use_language("en", course)

    assert course_text("output of 5 tokens") == "output of 5 tokens"


def test_a_process_without_paths_speaks_from_what_it_was_handed() -> None:
    handed = catalogue("ko")
    use_language("en")
    use_catalogue("ko", handed)

    assert _("not written yet") == "아직 쓰지 않았습니다"


def test_a_command_is_told_with_its_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "en")
    use_language("ko")
    assert as_typed() == ["--lang", "ko"]
    monkeypatch.setenv("LANGUAGE", "ko")
    assert as_typed() == []
