"""Who forces a "could not check" escapes the grade: only what the reference suffers too is ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import NOT_YOURS, Outcome
from grader.report.content import report_on
from grader.report.formats import renderer
from grader.report.json import as_dict
from grader.submission.submission import Submission, digest_of
from tests.attack import unknowns
from tests.attack.attack import STEM
from tests.attack.test_attacks import pytestmark as pytestmark
from tests.support.courses import submission, write_course

FORMATS = ("text", "json", "junit", "markdown", "html")
PEAK_MIB = 400
"""What a judge may hold at most, torch and all, whatever it is sent."""
CONTROLLED = {
    f"unknown-{name}": str(unknowns.CATALOGUE.attacks[f"unknown-{name}"].files[f"{STEM}.py"])
    for name in ("parameter", "empty", "large-answer", "method", "items", "nothing")
}
"""One of each kind. Those that change torch would change it for the judge, in a reference."""


@pytest.fixture(scope="module")
def suffered(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Each attack graded by a course whose reference does the same."""
    root = tmp_path_factory.mktemp("course")
    rubric = "course: odd\nseed: key\nassignments:\n"
    stems = {id: f"u{number}_odd" for number, id in enumerate(CONTROLLED, 1)}
    rubric += "".join(f"  {stem.split('_')[0]}: {stem}\n" for stem in stems.values())
    rubric += "exercises:\n"
    files = {}
    for id, stem in stems.items():
        name = id.replace("-", "_")
        rubric += f"  {stem.split('_')[0]}.{name}:\n    targets: [Odd]\n    criteria:\n"
        rubric += "      odd: {points: 1, visibility: hidden}\n"
        files[f"reference/{stem}.py"] = CONTROLLED[id]
        files[f"assignments/{stem}.py"] = "\n"
        files[f"tests/suites/{stem}/test_{name}.py"] = unknowns.SUITE.format(canary="CANARY")
    for name, text in {"rubric.yaml": rubric, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    data = {f"{stem}.py": CONTROLLED[id].encode() for id, stem in stems.items()}
    handed_in = Submission("student-001", data, digest_of(data), "student-001")
    with Engine(find_course(root), Options(isolation="partial")) as engine:
        (result,) = engine.grade([handed_in])
    return result


@pytest.mark.parametrize("id", CONTROLLED)
def test_what_the_reference_suffers_too_could_not_be_checked(suffered: Result, id: str) -> None:
    """The control of the proof: the same deeds, where they are the course's own."""
    found = [row for row in suffered.observations if row.exercise.endswith(id.replace("-", "_"))]
    ours = [row for row in found if row.outcome is Outcome.COULD_NOT_CHECK]
    assert ours
    assert {row.outcome for row in found} <= {Outcome.COULD_NOT_CHECK, Outcome.PASSED}
    assert {row.observed for row in ours} == {NOT_YOURS}
    assert all(row.staff for row in ours)


@pytest.fixture(scope="module")
def tripped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Path]]:
    """A course whose own hidden check is broken."""
    root = write_course(
        tmp_path_factory.mktemp("toy"),
        targets="work",
        reference="def work(x):\n    return x\n",
        suite="""
            class TestOutputs:
                def test_it(self, student, expect):
                    '''It is checked.'''
                    student.work(1).no_such_thing
        """,
    )
    rubric = root / "rubric.yaml"
    rubric.write_text(rubric.read_text("utf-8").replace("public", "hidden"), encoding="utf-8")
    public = root / "tests" / "suites" / "t1_toy" / "public" / "test_toy.py"
    public.rename(public.parent.parent / "test_toy.py")
    with Engine(find_course(root), Options(isolation="partial")) as engine:
        yield engine, root


def test_no_report_tells_where_a_hidden_suite_is(tripped: tuple[Engine, Path]) -> None:
    """Staff read the place and the exception in the records of a batch."""
    engine, root = tripped
    (result,) = engine.grade([submission({"t1_toy.py": "def work(x):\n    return x\n"})])
    assert [row.outcome for row in result.observations] == [Outcome.COULD_NOT_CHECK]
    report = report_on(result, engine.course.rubric)
    for name in FORMATS:
        told = renderer(name)(report)
        assert NOT_YOURS.split(",")[0] in " ".join(told.split()), name
        assert [w for w in ("test_toy", "AttributeError", str(root)) if w in told] == [], name
    record = json.dumps(as_dict(report, for_staff=True))
    assert "test_toy.py:5" in record
    assert "AttributeError" in record


def test_long_words_in_every_check_do_not_cost_the_judge_its_message(tmp_path: Path) -> None:
    """What is said of all checks together is far more than one answer may be."""
    root = write_course(
        tmp_path,
        targets="work",
        reference="def work(x):\n    return x\n",
        suite="""
            import pytest

            @pytest.mark.parametrize("number", range(300))
            class TestOutputs:
                def test_it(self, student, expect, number):
                    '''It is checked.'''
                    expect.true(student.work(number) == number, observed="x", expected="y")
        """,
    )
    shouting = "def work(x):\n    raise ValueError('\\U0001f600' * 4000)\n"
    with Engine(find_course(root), Options(isolation="partial")) as engine:
        (result,) = engine.grade([submission({"t1_toy.py": shouting})])
    assert {row.outcome for row in result.observations} == {Outcome.STUDENT_ERROR}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells no peak")
def test_the_judge_stays_small_whatever_it_is_sent(tmp_path: Path) -> None:
    """The peak of the judge's memory over all attacks that are after it."""
    root = write_course(
        tmp_path, targets="Odd", reference=unknowns.HONEST, suite=unknowns.SUITE.format(canary="")
    )
    rubric = root / "rubric.yaml"
    text = rubric.read_text("utf-8").replace("outputs:", "odd:")
    rubric.write_text(text, encoding="utf-8")
    heavy = ("half", "parameter", "expanded", "large-answer", "names")
    with Engine(find_course(root), Options(isolation="partial")) as engine:
        for name in heavy:
            attack = unknowns.CATALOGUE.attacks[f"unknown-{name}"]
            (result,) = engine.grade([submission({"t1_toy.py": str(attack.files[f"{STEM}.py"])})])
            assert Outcome.COULD_NOT_CHECK not in {row.outcome for row in result.observations}
        (state,) = engine._lanes
        peak_mib = _peak_mib(state.lane.pids[0])
    assert peak_mib < PEAK_MIB


def _peak_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (row,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(row.split()[1]) / 1024
