"""What a student wrote cannot drive the terminal, turn the text round, or flood it."""

from __future__ import annotations

import pytest

from grader.report.cleaning import one_line, printable, without_commands


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain 가나다 é\n2", "plain 가나다 é\n2", id="plain text stays"),
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colour"),
        pytest.param("\x1b[2J\x1b[Hgone", "gone", id="clear screen"),
        pytest.param("a\x1b]52;c;c2VjcmV0\x07b", "ab", id="clipboard"),
        pytest.param("a\x1b]0;title\x1b\\b", "ab", id="window title"),
        pytest.param("a\x1bPq#0\x1b\\b", "ab", id="device control string"),
        pytest.param("a\x1b", "a", id="half an escape"),
        pytest.param("a\x9b31mb", "a\ufffd31mb", id="eight-bit escape"),
        pytest.param("a\rb\x08c\x00", "a\ufffdb\ufffdc\ufffd", id="control characters"),
        pytest.param("a\u202eb\u2066c", "a\ufffdb\ufffdc", id="direction"),
        pytest.param("a\u2028b", "a\ufffdb", id="line separator"),
        pytest.param("a\ud800b", "a\ufffdb", id="surrogate"),
        pytest.param("a\tb\r\nc", "a    b\nc", id="tab and Windows line end"),
    ],
)
def test_text_is_made_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut_in_the_middle() -> None:
    cut = printable("a" * 200 + "b" * 200, limit=300)
    assert cut == "a" * 150 + " … 100 characters cut … " + "b" * 150


def test_short_text_is_cut_without_words() -> None:
    assert printable("a" * 10 + "b" * 10, limit=6) == "aaa…bbb"


def test_one_line_is_one_line() -> None:
    assert one_line("  two\n\n lines\t") == "two lines"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("::error::x", ": :error::x", id="command"),
        pytest.param("a\n \t::set-env name=A::x", "a\n \t: :set-env name=A::x", id="indented"),
        pytest.param("a ##[error]x", "a ## [error]x", id="older form, anywhere"),
        pytest.param("##vso[task]x", "## vso[task]x", id="older form with a name"),
        pytest.param("x[::2] a::b ## b", "x[::2] a::b ## b", id="what is no command stays"),
    ],
)
def test_commands_to_a_ci_log_are_broken(text: str, shown: str) -> None:
    assert without_commands(text) == shown
