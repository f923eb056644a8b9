"""Keys are one line of text each, are not mixed up, and never show in a message."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.sealed.ciphers import new_key
from grader.sealed.key import (
    KEY_FILE_VARIABLE,
    KEY_VARIABLE,
    author_key,
    grading_key,
    grading_key_in,
    read_key,
)
from grader.sealed.refusal import SealedError
from grader.text.language import use_language

KEY = new_key()
OTHER = new_key()


def test_a_key_is_read_as_it_was_written() -> None:
    assert author_key(f"{KEY.text}\n", "k") == KEY
    assert grading_key(f"{KEY.grading.text}\n", "k") == KEY.grading


def test_two_keys_have_nothing_in_common() -> None:
    assert KEY.signing != OTHER.signing
    assert KEY.grading.cipher != OTHER.grading.cipher
    assert KEY.grading.fingerprint != OTHER.grading.fingerprint


def test_a_key_does_not_show_its_secret() -> None:
    shown = f"{KEY!r} {KEY.grading!r}"
    assert repr(KEY.grading.public) in shown
    assert repr(KEY.grading.cipher) not in shown
    assert repr(KEY.signing) not in shown


def test_the_key_comes_from_the_environment_or_from_the_file_that_it_names(tmp_path: Path) -> None:
    file = tmp_path / "course.grading.key"
    file.write_text(OTHER.grading.text, encoding="ascii")
    named = {KEY_FILE_VARIABLE: str(file)}

    assert grading_key_in(named) == OTHER.grading
    assert grading_key_in({KEY_VARIABLE: KEY.grading.text}) == KEY.grading
    assert grading_key_in({KEY_VARIABLE: KEY.grading.text, **named}) == KEY.grading


NO_KEY = "k: this is no key, or a part of one: expected one line that begins with grader-"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("hunter2", id="a password"),
        pytest.param(KEY.grading.text[:-1], id="cut short"),
        pytest.param(KEY.grading.text[:-8], id="cut shorter"),
        pytest.param(KEY.grading.text + "AAAA", id="too long"),
        pytest.param(KEY.grading.text.replace(":", ":?", 1), id="another character"),
        pytest.param(KEY.grading.text * 9, id="nine keys"),
    ],
)
def test_what_is_no_key_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(SealedError) as grading:
        grading_key(text, "k")
    assert str(grading.value) == f"{NO_KEY}grading-key-1:"
    text = text.replace("grading", "author")
    with pytest.raises(SealedError) as author:
        author_key(text, "k")
    expected = "author-key-1:"
    assert str(author.value) == f"{NO_KEY}{expected}"


def test_the_keys_are_not_taken_for_each_other() -> None:
    with pytest.raises(SealedError) as grading:
        grading_key(KEY.text, "k")
    assert str(grading.value) == (
        "k: this is the author's key, which can also sign a course and stays with the author. "
        "Use the grading key that was made with it."
    )
    with pytest.raises(SealedError) as author:
        author_key(KEY.grading.text, "k")
    assert str(author.value) == "k: this key opens a course and cannot seal one. Name the author's."


def test_without_a_key_both_variables_are_named() -> None:
    with pytest.raises(SealedError) as error:
        grading_key_in({})
    assert str(error.value) == (
        "a sealed course needs its grading key, in the variable GRADER_COURSE_KEY or in a file "
        "that GRADER_COURSE_KEY_FILE names."
    )


REFUSED: dict[str, Callable[[], object]] = {
    "no key": lambda: grading_key("hunter2", "k"),
    "the author's": lambda: grading_key(KEY.text, "k"),
    "the grading key": lambda: author_key(KEY.grading.text, "k"),
    "no variable": lambda: grading_key_in({}),
    "no file": lambda: read_key(Path("/nowhere/k")),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_refusals_are_said_in_korean(refused: Callable[[], object]) -> None:
    with pytest.raises(SealedError) as english:
        refused()
    use_language("ko")
    with pytest.raises(SealedError) as korean:
        refused()
    assert str(korean.value) != str(english.value)
    assert "열쇠" in str(korean.value)
    assert "hunter2" not in str(korean.value)


def test_a_file_without_a_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.key"
    with pytest.raises(SealedError) as error:
        read_key(path)
    assert str(error.value) == f"{path}: the key cannot be read: No such file or directory"
