"""The report for CI systems is valid JUnit XML in pytest's shape, whatever a student wrote."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema

from grader.course.rubric import Scoring
from grader.grade.evidence import Cause, Note, Observation, Outcome, Where
from grader.report.content import Graded, report_on
from grader.report.junit import rendered
from tests.unit.samples import RUBRIC, SampleResult, observations, submission

SCHEMA = xmlschema.XMLSchema(Path(__file__).resolve().parents[2] / "schema" / "junit.xsd")
HOSTILE = "]]><failure/>\x1b[31m\x00\x08\ufffe\ud800\u202e\n::error::x\n##[group]&\"'<"


def junit(graded: Graded, **changes: object) -> str:
    return rendered(report_on(graded, replace(RUBRIC, **changes)))  # type: ignore[arg-type]


def suites(text: str) -> ElementTree.Element:
    SCHEMA.validate(text)
    return ElementTree.fromstring(text)


def one(outcome: Outcome) -> SampleResult:
    first, *others = observations(Outcome.PASSED)
    return SampleResult(observations=(replace(first, outcome=outcome, observed="3"), *others))


def test_a_suite_in_full() -> None:
    failed = Observation(
        "s2.mean/outputs/test_mean[2]",
        "The mean.",
        Outcome.FAILED,
        "3",
        "2",
        Cause("mean.sum", "Not divided.", 2, 3),
        Where("s2_means.py", 7),
        ("computes in float32",),
        duration_ms=1.25,
    )
    passed = Observation("s2.mean/outputs/test_mean[1]", "The mean.", Outcome.PASSED)
    loading = (Note("note", "Defined twice.", Where("s2_means.py", 9)),)
    graded = SampleResult(observations=(failed, passed), loading=loading)

    text = rendered(report_on(graded, RUBRIC, only=("s2.mean",)))

    assert text == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<testsuites name="sums">\n'
        '  <testsuite name="s2.mean" tests="2" failures="1" errors="0" skipped="0" time="0.001">\n'
        "    <properties>\n"
        '      <property name="submission" value="student-001" />\n'
        f'      <property name="digest" value="{submission().digest}" />\n'
        '      <property name="isolation" value="partial" />\n'
        '      <property name="points" value="1.5" />\n'
        '      <property name="max_points" value="3" />\n'
        '      <property name="outputs.points" value="1.5" />\n'
        '      <property name="outputs.max_points" value="3" />\n'
        "    </properties>\n"
        '    <testcase classname="s2.mean.outputs" name="test_mean[2]" time="0.001">\n'
        "      <properties>\n"
        '        <property name="title" value="The mean." />\n'
        '        <property name="points" value="0" />\n'
        '        <property name="max_points" value="1.5" />\n'
        "      </properties>\n"
        '      <failure type="failed" message="The mean. 3">observed: 3\n'
        "expected: 2\n"
        "likely cause: Not divided. (gives your numbers on 2 of 3 probes)\n"
        "where: s2_means.py:7</failure>\n"
        "      <system-out>note: computes in float32</system-out>\n"
        "    </testcase>\n"
        '    <testcase classname="s2.mean.outputs" name="test_mean[1]" time="0.000">\n'
        "      <properties>\n"
        '        <property name="title" value="The mean." />\n'
        '        <property name="points" value="1.5" />\n'
        '        <property name="max_points" value="1.5" />\n'
        "      </properties>\n"
        "    </testcase>\n"
        "    <system-out>note: s2_means.py:9 Defined twice.</system-out>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )
    SCHEMA.validate(text)


@pytest.mark.parametrize(
    ("outcome", "child"),
    [
        (Outcome.PASSED, None),
        (Outcome.CARRIED, None),
        (Outcome.FAILED, "failure"),
        (Outcome.STUDENT_ERROR, "error"),
        (Outcome.TIMED_OUT, "error"),
        (Outcome.COULD_NOT_CHECK, "error"),
        (Outcome.NOT_ATTEMPTED, "skipped"),
        (Outcome.BLOCKED, "skipped"),
    ],
)
def test_an_outcome_is_the_child_that_ci_systems_know(outcome: Outcome, child: str | None) -> None:
    suite = suites(junit(one(outcome)))[0]
    case = suite.find("testcase")
    assert case is not None
    found = [element for element in case if element.tag != "properties"]

    assert [element.tag for element in found] == ([child] if child else [])
    assert [element.get("type") for element in found] == ([outcome.value] if child else [])
    counted = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for tag, count in counted.items():
        assert suite.get(count) == str(int(tag == child))


TITLE = "Title of s1.add/outputs/test_sum."


def hidden_cases(outcome: Outcome, **changes: object) -> list[tuple[str, str, str]]:
    """Name, title and message of the cases of a hidden criterion."""
    text = junit(SampleResult(observations=observations(outcome)), **changes)
    cases = suites(text).findall(".//testcase[@classname='s1.add.outputs']")
    return [
        (
            case.get("name", ""),
            next(
                (
                    one.get("value", "")
                    for one in case.iter("property")
                    if one.get("name") == "title"
                ),
                "",
            ),
            next((child.get("message", "") for child in case if child.get("message")), ""),
        )
        for case in cases
    ]


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [
        pytest.param(Outcome.PASSED, ("hidden_1", "", ""), id="passed"),
        pytest.param(Outcome.BLOCKED, ("hidden_1", "", "blocked"), id="waiting"),
        pytest.param(Outcome.NOT_ATTEMPTED, ("hidden_1", "", "not attempted"), id="nothing"),
        pytest.param(Outcome.FAILED, ("hidden_1", TITLE, f"{TITLE} failed"), id="failed"),
    ],
)
def test_hidden_checks_are_numbered_and_titled_only_where_something_failed(
    outcome: Outcome, shown: tuple[str, str, str]
) -> None:
    assert hidden_cases(outcome) == [shown]
    text = junit(SampleResult(observations=observations(outcome)))
    assert 'name="test_sum"' not in text
    assert ("test_sum" in text) is (outcome is Outcome.FAILED)


def test_hidden_checks_are_named_where_the_author_allows_it() -> None:
    ((name, title, _message),) = hidden_cases(Outcome.PASSED, name_hidden_checks=True)

    assert (name, bool(title)) == ("test_sum", True)


def test_checks_of_a_hidden_criterion_are_numbered_each() -> None:
    checks = tuple(
        Observation(f"s1.add/outputs/test_sum[{case}]", "The sum.", Outcome.PASSED)
        for case in ("zero", "one")
    )
    text = junit(SampleResult(observations=(*observations(Outcome.PASSED)[:1], *checks)))

    names = [case.get("name") for case in suites(text)[0].findall("testcase")]
    assert names == ["test_shape", "hidden_1", "hidden_2"]


def test_hostile_text_stays_text() -> None:
    hostile = tuple(
        Observation(
            seen.check,
            HOSTILE,
            Outcome.FAILED,
            HOSTILE,
            HOSTILE,
            Cause("x", HOSTILE, 1, 1),
            Where(HOSTILE, 3),
            (HOSTILE,),
        )
        for seen in observations(Outcome.FAILED)
    )
    graded = SampleResult(
        submission(id=HOSTILE),
        observations=hostile,
        loading=(Note("problem", HOSTILE, Where(HOSTILE, 4)),),
        tier=HOSTILE,
    )

    text = junit(graded, course=HOSTILE)
    root = suites(text)

    assert len(root.findall(".//failure")) == 3
    assert "]]><failure/>" in (root.findtext(".//failure") or "")
    assert re.search(r"[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text) is None
    assert re.search(r"^\s*::|##\[", text, re.MULTILINE) is None
    assert "\u202e" not in text


def test_the_shares_of_the_checks_are_the_points() -> None:
    checks = (
        *observations(Outcome.PASSED),
        *(Observation(f"s1.add/outputs/test_{n}", "", Outcome.FAILED) for n in range(2)),
    )
    root = suites(junit(SampleResult(observations=checks)))

    shares = [
        float(element.get("value", ""))
        for element in root.findall(".//testcase/properties/property[@name='points']")
    ]
    assert shares == [1, 0.833333, 0, 0, 3]
    assert [
        element.get("value")
        for element in root.findall("testsuite/properties/property[@name='points']")
    ] == ["1.833333", "3"]


def test_all_or_nothing_gives_nothing_to_its_passing_checks() -> None:
    outputs = replace(
        RUBRIC.exercises["s1.add"].criteria["outputs"], scoring=Scoring.ALL_OR_NOTHING
    )
    add = replace(RUBRIC.exercises["s1.add"], criteria={"outputs": outputs})
    checks = (
        Observation("s1.add/outputs/test_a", "", Outcome.PASSED),
        Observation("s1.add/outputs/test_b", "", Outcome.FAILED),
    )

    root = suites(junit(SampleResult(observations=checks), exercises={"s1.add": add}))

    shares = root.findall(".//testcase/properties/property[@name='points']")
    assert [share.get("value") for share in shares] == ["0", "0"]
    assert outputs.points == Fraction(5, 2)


def test_what_is_not_known_has_no_points_and_is_no_zero() -> None:
    root = suites(junit(SampleResult(observations=observations(Outcome.COULD_NOT_CHECK))))

    assert root.findall(".//property[@name='points']") == []
    assert len(root.findall(".//property[@name='max_points']")) == 5


def test_a_criterion_without_a_check_is_an_error_and_not_silence() -> None:
    root = suites(junit(SampleResult(observations=observations(Outcome.PASSED)[:2])))

    case = root.find("testsuite[@name='s2.mean']/testcase")
    assert case is not None
    assert (case.get("classname"), case.get("name")) == ("s2.mean.outputs", "not_checked")
    assert case.find("error[@type='could_not_check']") is not None


def test_only_the_times_differ_between_runs() -> None:
    slower = replace(one(Outcome.FAILED), duration_ms=9.0)
    slower = replace(
        slower, observations=tuple(replace(seen, duration_ms=7.0) for seen in slower.observations)
    )
    texts = {
        re.sub(r' time="[^"]*"', "", junit(graded)) for graded in (one(Outcome.FAILED), slower)
    }

    assert len(texts) == 1


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        pytest.param(' skipped="0"', "", id="a count is missing"),
        pytest.param("<(/?)failure", r"<\1flop", id="unknown child"),
        pytest.param('name="hidden_1"', 'name="hidden_1" file="x.py"', id="no place for a file"),
        pytest.param('time="0.000"', 'time="soon"', id="no time"),
        pytest.param(
            's1.add.outputs" name="hidden_1', 's1.add.shapes" name="test_shape', id="twice"
        ),
    ],
)
def test_the_schema_refuses_another_shape(pattern: str, wrong: str) -> None:
    """The positive control: the schema is not one that lets everything through."""
    text = junit(one(Outcome.FAILED))
    SCHEMA.validate(text)

    with pytest.raises(xmlschema.XMLSchemaValidationError):
        SCHEMA.validate(re.sub(pattern, wrong, text))


def test_the_schema_is_the_shape_that_pytest_writes(tmp_path: Path) -> None:
    (tmp_path / "test_sample.py").write_text(
        "import pytest\n"
        "def test_passes(record_property):\n    record_property('points', 1)\n    print('hello')\n"
        "def test_fails():\n    assert 1 == 2\n"
        "@pytest.fixture\ndef broken():\n    raise RuntimeError\n"
        "def test_errs(broken):\n    pass\n"
        "@pytest.mark.skip(reason='later')\ndef test_waits():\n    pass\n",
        encoding="utf-8",
    )
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=out.xml"],
        cwd=tmp_path,
        capture_output=True,
    )

    text = (tmp_path / "out.xml").read_text(encoding="utf-8")

    assert suites(text)[0].get("tests") == "4"
