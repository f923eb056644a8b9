"""A form with blanks, filled in, is a variant of its exercise, and so earns what that earns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.misconceptions import Variant
from grader.course.whole_definitions import read_variants
from grader.release.leaks import leaks
from grader.release.secrets import secret_lines

ROOT = Path(__file__).resolve().parents[3]
COURSE = find_course(ROOT)
LECTURES = sorted(COURSE.paths.lectures.glob("*.md"))
FORMS = [
    form
    for path in LECTURES
    for form in re.findall(r"(?ms)^```python\n(.*?)^```$", path.read_text(encoding="utf-8"))
]
GUIDED = {
    variant.id: variant
    for slug in COURSE.rubric.exercises
    for variant in read_variants(COURSE.paths, slug)[0]
    if variant.id.endswith(".guided")
}
BLANK = re.compile(r"blank_(\d)")


def is_filled_in(form: str, source: str) -> bool:
    """Tell whether a source is the form with something in each blank, the same in equal ones."""
    seen: set[str] = set()

    def blank(match: re.Match[str]) -> str:
        number = match[1]
        again = number in seen
        seen.add(number)
        return f"(?P=b{number})" if again else f"(?P<b{number}>[^\\n]+?)"

    pattern = re.sub(r"blank_(\d)", blank, re.escape(form.strip()))
    return re.fullmatch(pattern, source.strip()) is not None


def test_each_guided_variant_has_a_form() -> None:
    assert len(FORMS) == len(GUIDED) == 7


@pytest.mark.parametrize("id", GUIDED)
def test_a_form_is_its_variant_with_blanks(id: str) -> None:
    source = GUIDED[id].source

    assert [is_filled_in(form, source) for form in FORMS].count(True) == 1


@pytest.mark.parametrize("id", GUIDED)
def test_a_guided_variant_earns_all(id: str) -> None:
    assert (GUIDED[id].earns, GUIDED[id].mistakes) == ("all", ())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.split("(")[0])
def test_a_form_has_five_blanks(form: str) -> None:
    assert sorted(set(BLANK.findall(form))) == list("12345")


def test_no_form_holds_a_line_of_the_reference() -> None:
    told = {path.name: path.read_bytes() for path in LECTURES}
    solved = {"solved.md": b"\n".join(variant_text(one) for one in GUIDED.values())}
    secrets = secret_lines(COURSE)

    assert list(leaks(told, secrets)) == []
    assert list(leaks(solved, secrets)) != [], "the positive control"


def variant_text(variant: Variant) -> bytes:
    return variant.source.encode()


def test_another_answer_in_an_equal_blank_would_be_noticed() -> None:
    """The positive control."""
    assert is_filled_in("a = blank_1 + blank_1", "a = 2 + 2")
    assert not is_filled_in("a = blank_1 + blank_1", "a = 2 + 3")
    assert not is_filled_in("a = blank_1", "b = 2")
