"""Whether hidden checks may be named is the author's to say, once, in `rubric.yaml`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.rubric_file import RubricError, load_rubric
from grader.grade.evidence import Observation, Outcome
from grader.report.content import report_on
from grader.report.formats import renderer
from tests.unit.samples import RUBRIC, RUBRIC_TEXT, SampleResult

FORMATS = ("text", "json", "junit", "markdown", "html")


def named(tmp_path: Path, line: str) -> bool | str:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC_TEXT + line, encoding="utf-8")
    try:
        return load_rubric(path).name_hidden_checks
    except RubricError as error:
        return str(error).partition("rubric.yaml")[2]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        pytest.param("", False, id="nothing said"),
        pytest.param("name_hidden_checks: true\n", True, id="allowed"),
        pytest.param("name_hidden_checks: false\n", False, id="forbidden"),
        pytest.param(
            "name_hidden_checks: ture\n",
            ":14:21  name_hidden_checks: expected true or false, got 'ture' - did you mean true?",
            id="misspelt",
        ),
        pytest.param(
            "name_hidden_cheks: true\n",
            ":14:1  name_hidden_cheks: unknown key 'name_hidden_cheks'"
            " - did you mean 'name_hidden_checks'?",
            id="a misspelt key",
        ),
    ],
)
def test_the_author_says_whether_hidden_checks_are_named(
    tmp_path: Path, line: str, read: bool | str
) -> None:
    assert named(tmp_path, line) == read


def shown(format_: str, outcome: Outcome, *, allowed: bool) -> str:
    """A report on one public check and one hidden one, which is named and titled by secrets."""
    title = "" if outcome is not Outcome.PASSED else "A secret title."
    seen = (
        Observation("s1.add/shapes/test_shape", "The shape.", Outcome.PASSED),
        Observation("s1.add/outputs/test_secret[odd-secret]", title, outcome, "3", "4"),
    )
    report = report_on(SampleResult(observations=seen), RUBRIC, only=("s1.add",))
    return renderer(format_)(replace(report, name_hidden_checks=allowed))


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("outcome", Outcome)
def test_no_format_names_a_hidden_check(format_: str, outcome: Outcome) -> None:
    assert "secret" not in shown(format_, outcome, allowed=False)


@pytest.mark.parametrize("format_", ["json", "junit"])
def test_control_formats_with_names_give_them_where_the_author_allows_it(format_: str) -> None:
    text = shown(format_, Outcome.PASSED, allowed=True)

    assert "test_secret[odd-secret]" in text
    assert "A secret title." in text
