"""A sealed file opens with its key, as it was written, until its day; otherwise it is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date

import pytest

from grader.sealed.ciphers import new_key
from grader.sealed.key import AuthorKey, GradingKey
from grader.sealed.refusal import SealedError
from grader.sealed.sealed_file import seal, unseal
from grader.text.language import use_language

OUTLINE = {"rubric.yaml": b"course: toy\n", "reference/locale/ko/LC_MESSAGES/course.mo": b"\0\1"}
REST = {"tests/suites/t1/test_add.py": b"SECRET_LINE = 17\n" * 9, "reference/t1.py": b""}
KEY = new_key()
LAST_DAY = date(2027, 6, 30)
PARTS = {"": "5f", "t1.add": "a0"}
DATA = seal(OUTLINE, REST, KEY, LAST_DAY, PARTS)
HEADER_AT = DATA.index(b"{")
OUTLINE_AT = DATA.index(b"}") + 1


def refusal(data: bytes, *, key: GradingKey = KEY.grading, today: date = LAST_DAY) -> str:
    with pytest.raises(SealedError) as error:
        unseal(data, key, today, "course.sealed", whole=True)
    return str(error.value)


def test_what_was_sealed_is_opened() -> None:
    course = unseal(DATA, KEY.grading, LAST_DAY, "f", whole=True)
    assert course.files == {**OUTLINE, **REST}
    assert course.expires == LAST_DAY


def test_the_outline_is_opened_without_the_rest() -> None:
    course = unseal(DATA, KEY.grading, LAST_DAY, "f", whole=False)
    assert course.files == OUTLINE
    assert course.digests.keys() == {*OUTLINE, *REST}
    assert course.parts == PARTS


def test_the_file_is_the_same_byte_for_byte() -> None:
    outline, rest = dict(reversed(OUTLINE.items())), dict(reversed(REST.items()))
    again = seal(outline, rest, KEY, LAST_DAY, PARTS)
    assert again == DATA


def test_nothing_of_the_course_is_in_the_file() -> None:
    course = unseal(DATA, KEY.grading, LAST_DAY, "f", whole=True)
    assert b"SECRET_LINE" in b"".join(course.files.values())  # the control
    for piece in (b"SECRET_LINE", b"course: toy", b"test_add", b"rubric", b"reference"):
        assert piece not in DATA


CHANGED = (
    "course.sealed: this sealed course was changed or damaged after it was sealed, and is not "
    "used. Get it from its author again."
)


def flipped(at: int) -> bytes:
    changed = bytearray(DATA)
    changed[at] ^= 1
    return bytes(changed)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(flipped(OUTLINE_AT), id="outline"),
        pytest.param(flipped(len(DATA) - 70), id="rest"),
        pytest.param(flipped(len(DATA) - 1), id="signature"),
        pytest.param(DATA.replace(b"2027-06-30", b"2037-06-30"), id="another day"),
        pytest.param(DATA.replace(b'"rest"', b'"rust"'), id="another header"),
        pytest.param(DATA.replace(b'"rest":', b'"rest":-'), id="no header"),
        pytest.param(flipped(HEADER_AT - 4), id="length of the header"),
        pytest.param(DATA[: HEADER_AT - 2], id="cut off in the length"),
        pytest.param(DATA[: HEADER_AT + 9], id="cut off in the header"),
    ],
)
def test_a_changed_file_is_refused(data: bytes) -> None:
    assert data != DATA
    assert refusal(data) == CHANGED


def test_no_changed_byte_goes_unnoticed() -> None:
    for at in range(len(DATA)):
        with pytest.raises(SealedError):
            unseal(flipped(at), KEY.grading, LAST_DAY, "f", whole=False)


@pytest.mark.parametrize("left", [OUTLINE_AT, OUTLINE_AT + 40, len(DATA) - 64, len(DATA) - 1])
def test_a_file_that_is_cut_short_is_refused(left: int) -> None:
    assert refusal(DATA[:left]) == (
        f"course.sealed: this sealed course is not whole: {left} bytes, expected {len(DATA)}. "
        "Copy it again."
    )


def test_a_file_with_more_at_its_end_is_refused() -> None:
    assert refusal(DATA + b"\n").startswith("course.sealed: this sealed course is not whole")


def test_another_key_is_refused_by_name() -> None:
    other = new_key().grading
    assert refusal(DATA, key=other) == (
        f"course.sealed: this course was sealed with the key {KEY.grading.fingerprint}, and the "
        f"key given here belongs to {other.fingerprint}. Use the grading key that was made with "
        "the author's."
    )


def test_who_can_open_a_course_cannot_make_one() -> None:
    """With the secret of the cipher and a signature of their own."""
    forger = new_key()
    theirs = AuthorKey(forger.signing, KEY.grading)
    assert refusal(seal(OUTLINE, REST, theirs, LAST_DAY, PARTS)) == CHANGED


def test_a_signed_file_that_was_encrypted_with_another_secret_is_refused() -> None:
    mixed = GradingKey(new_key().grading.cipher, KEY.grading.public)
    assert refusal(DATA, key=mixed) == CHANGED


def test_parts_of_two_courses_are_not_mixed() -> None:
    """The author signs the whole; and each part is bound to its header and its place."""
    other = seal(OUTLINE, {**REST, "reference/t1.py": b"x"}, KEY, LAST_DAY, PARTS)
    swapped = DATA[:-64] + other[-64:]
    assert refusal(swapped) == CHANGED


def test_a_course_is_used_until_its_last_day() -> None:
    assert unseal(DATA, KEY.grading, LAST_DAY, "f", whole=True)
    assert refusal(DATA, today=date(2027, 7, 1)) == (
        "course.sealed: this sealed course could be used until 2027-06-30 (UTC). Ask its author "
        "to seal it again."
    )


def test_other_files_are_refused() -> None:
    assert refusal(b"course: toy\n") == (
        "course.sealed: this file is no sealed course. Name the course's folder, or what "
        "`grader release --sealed` wrote."
    )
    assert refusal(b"") == refusal(b"course: toy\n")
    assert refusal(DATA.replace(b"course 2\n", b"course 1\n")) == (
        "course.sealed: sealed by another version of the grader. Install that."
    )


def test_a_machine_without_the_library_is_told_what_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert refusal(DATA) == (
        "a sealed course needs the package cryptography. Next: "
        f"{sys.executable} -m pip install 'cryptography>=44,<51'"
    )


KOREAN: dict[str, Callable[[], str]] = {
    CHANGED: lambda: refusal(flipped(OUTLINE_AT)),
    "not whole": lambda: refusal(DATA[:-1]),
    "key": lambda: refusal(DATA, key=new_key().grading),
    "expired": lambda: refusal(DATA, today=date(2027, 7, 1)),
    "no sealed course": lambda: refusal(b""),
    "version": lambda: refusal(DATA.replace(b"course 2\n", b"course 1\n")),
}


@pytest.mark.parametrize("refused", KOREAN.values(), ids=KOREAN)
def test_refusals_are_said_in_korean(refused: Callable[[], str]) -> None:
    english = refused()
    use_language("ko")
    korean = refused()
    assert korean != english
    assert korean.startswith("course.sealed: ")
    assert korean.rstrip(".").endswith(("세요", "니다"))
