"""Follow-through in a course of another subject: what is lent, how far, and what it costs."""

from __future__ import annotations

import functools
import shutil
import textwrap
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Observation, Outcome
from tests.support.courses import submission

pytestmark = pytest.mark.usefixtures("warm_nursery")

FILES = {
    "rubric.yaml": """
        course: toy
        seed: toy
        assignments: {t1: t1_blur, t2: t2_stack}
        exercises:
          t1.blur:
            targets: [blur]
            criteria: {outputs: {points: 1, visibility: public}}
          t2.stack:
            targets: [stack]
            criteria: {outputs: {points: 1, visibility: public}}
            follow_through: {blur: t1.blur, copied: true}
        """,
    "reference/t1_blur.py": """
        import torch

        def blur(pixels):
            if pixels.dim() < 1:
                raise ValueError("no pixels")
            return (pixels + pixels.roll(1, -1)) / 2
        """,
    "reference/t2_stack.py": """
        import torch

        def stack(pixels, times):
            for _ in range(times):
                pixels = (pixels + pixels.roll(1, -1)) / 2
            return pixels
        """,
    "reference/exercises/t1.blur/mistakes.diff": """
        --- reference/t1_blur.py

        id: blur.by_three
        mistakes: by_three
        fails: outputs
        @@ blur
        -return (pixels + pixels.roll(1, -1)) / 2
        +return (pixels + pixels.roll(1, -1)) / 3

        id: blur.by_four
        mistakes: by_four
        fails: outputs
        @@ blur
        -return (pixels + pixels.roll(1, -1)) / 2
        +return (pixels + pixels.roll(1, -1)) / 4
        """,
    "reference/exercises/t2.stack/mistakes.diff": """
        --- reference/t2_stack.py

        id: stack.by_three
        mistakes: by_three
        fails: outputs
        cause: By 3.
        @@ stack
        -pixels = (pixels + pixels.roll(1, -1)) / 2
        +pixels = (pixels + pixels.roll(1, -1)) / 3

        id: stack.by_five
        mistakes: by_five
        fails: outputs
        @@ stack
        -pixels = (pixels + pixels.roll(1, -1)) / 2
        +pixels = (pixels + pixels.roll(1, -1)) / 5
        """,
    "assignments/t1_blur.py": "\n",
    "assignments/t2_stack.py": "\n",
    "tests/suites/t1_blur/public/test_blur.py": """
        class TestOutputs:
            def test_values(self, student, reference, probe, expect):
                '''The values are right.'''
                expect.matches(student.blur, reference.blur, probe.randn(3, 4))
        """,
    "tests/suites/t2_stack/public/test_stack.py": """
        class TestOutputs:
            def test_values(self, student, reference, probe, expect):
                '''The values are right.'''
                expect.matches(student.stack, reference.stack, probe.randn(3, 4), 3)

            def test_gradients(self, student, reference, probe, expect):
                '''The gradients are right.'''
                expect.gradients(student.stack, reference.stack, probe.randn(3, 4), 2)

            def test_nothing(self, student, reference, probe, expect):
                '''No times is no change.'''
                expect.matches(student.stack, reference.stack, probe.randn(2), 0)
        """,
}
WRONG = "def blur(pixels):\n    return (pixels + pixels.roll(1, -1)) / 3\n"
CALLS = """
from t1_blur import blur

def stack(pixels, times):
    for _ in range(times):
        pixels = blur(pixels)
    return pixels
"""
COPY = """
def stack(pixels, times):
    for _ in range(times):
        pixels = (pixels + pixels.roll(1, -1)) / 3
    return pixels
"""
Seen = dict[str, Observation]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


@functools.cache
def graded(root: Path, first: str, second: str, reverse: bool = False, spawn: bool = False) -> Seen:
    files = {"t1_blur.py": first, "t2_stack.py": second}
    options = Options(isolation="none", reverse=reverse, spawn=spawn)
    with Engine(find_course(root), options) as engine:
        result = next(iter(engine.grade([submission(files)])))
    return {
        seen.check.rpartition("/")[2]: seen for seen in result.observations if "t2" in seen.check
    }


def outcomes(seen: Seen) -> dict[str, Outcome]:
    return {name: observation.outcome for name, observation in seen.items()}


ALL_PASS = dict.fromkeys(("test_values", "test_gradients", "test_nothing"), Outcome.PASSED)
TWO_FAIL = {**ALL_PASS, "test_values": Outcome.FAILED, "test_gradients": Outcome.FAILED}
CARRIED = {**ALL_PASS, "test_values": Outcome.CARRIED, "test_gradients": Outcome.CARRIED}
LENT = "a right blur was used here in place of yours, which loses points in t1.blur only"


@pytest.mark.parametrize("way", [{}, {"reverse": True}, {"spawn": True}], ids=str)
def test_a_wrong_function_that_is_called_costs_once(root: Path, way: dict[str, bool]) -> None:
    seen = graded(root, WRONG, CALLS, **way)
    assert outcomes(seen) == ALL_PASS
    assert seen["test_gradients"].notes == (LENT,)
    assert seen["test_nothing"].notes == (), "it passed without"


@pytest.mark.parametrize(
    "second",
    [
        CALLS.replace("import blur", "import blur as soften").replace(
            "blur(pixels)", "soften(pixels)"
        ),
        CALLS.replace("from t1_blur import blur", "import t1_blur").replace(
            "blur(pixels)", "t1_blur.blur(pixels)"
        ),
        CALLS.replace("from t1_blur import blur", "from t1_blur import *"),
    ],
    ids=["other name", "module", "star"],
)
def test_it_is_found_however_it_was_imported(root: Path, second: str) -> None:
    assert outcomes(graded(root, WRONG, second)) == ALL_PASS


def test_a_file_that_is_missing_or_broken_is_followed_too(root: Path) -> None:
    assert outcomes(graded(root, "def blur(pixels:\n", CALLS)) == ALL_PASS


def test_a_right_function_is_left_alone(root: Path) -> None:
    seen = graded(root, WRONG.replace("3", "2"), CALLS)
    assert outcomes(seen) == ALL_PASS
    assert all(observation.notes == () for observation in seen.values())


def test_the_same_mistake_written_once_more_is_carried(root: Path) -> None:
    seen = graded(root, WRONG, COPY)
    assert outcomes(seen) == CARRIED
    cause = seen["test_values"].cause
    assert cause is not None and (cause.id, cause.text) == ("stack.by_three", "By 3.")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(WRONG, COPY.replace("/ 3", "/ 5"), id="another mistake"),
        pytest.param(WRONG.replace("/ 3", "/ 4"), COPY, id="another mistake before"),
        pytest.param(WRONG, COPY.replace("roll(1", "roll(2"), id="a second mistake"),
        pytest.param(WRONG.replace("/ 3", "/ 2"), COPY, id="no mistake before"),
        pytest.param(WRONG, CALLS.replace("range(times)", "range(2 * times)"), id="beside a call"),
        pytest.param(WRONG.replace("/ 3", "/ 6"), COPY.replace("/ 3", "/ 6"), id="unknown"),
    ],
)
def test_anything_else_costs(root: Path, first: str, second: str) -> None:
    assert outcomes(graded(root, first, second)) == TWO_FAIL


DIG = CALLS.replace(
    "def stack",
    """
def dig(number, *args):
    lent = next(c.cell_contents for c in blur.__closure__ if hasattr(c.cell_contents, "number"))
    return type(lent)(lent._peer, number)(*args)

def stack""",
)


def test_the_right_function_can_be_dug_out_and_asked(root: Path) -> None:
    """The control of the next test: the same way, with the number that was lent."""
    seen = graded(root, WRONG, DIG.replace("blur(pixels)", "dig(0, pixels)"))
    assert outcomes(seen) == ALL_PASS


@pytest.mark.parametrize("number", ["1", "-1", "'reference'", "True"])
def test_nothing_else_can_be_asked_for(root: Path, number: str) -> None:
    mixed = DIG.replace("blur(pixels)", f"dig({number}, pixels) if blur(pixels) is not None else 0")
    seen = graded(root, WRONG, mixed)
    assert outcomes(seen) == {
        **ALL_PASS,
        "test_values": Outcome.STUDENT_ERROR,
        "test_gradients": Outcome.STUDENT_ERROR,
    }
    assert "no valid reply" in seen["test_values"].observed


@pytest.mark.parametrize(
    ("greed", "observed"),
    [
        ("[blur(pixels) for _ in range(600)]", "called blur more than 500 times"),
        (
            "blur(pixels[:1, :1].expand(1 << 10, 1 << 10))",
            "called blur with far more numbers than it was given",
        ),
        ("blur(print)", "called blur with something that is no tensor and no number"),
        ("blur(pixels.sum())", "called blur with arguments that raise ValueError"),
    ],
    ids=["often", "much", "function", "scalar"],
)
def test_greed_and_nonsense_are_the_students_failure(root: Path, greed: str, observed: str) -> None:
    """Also where the student's code swallows what it is told."""
    greedy = CALLS.replace(
        "        pixels = blur",
        f"        try:\n            {greed}\n        except Exception:\n            pass\n"
        "        pixels = blur",
    )
    seen = graded(root, WRONG, greedy)
    assert outcomes(seen) == TWO_FAIL
    assert seen["test_values"].observed == observed


HIDDEN_SUITE = """
class TestHidden:
    def test_far(self, student, reference, probe, expect):
        '''The values are right.'''
        expect.matches(student.stack, reference.stack, probe.randn(2, 3) + 4141, 1)
"""
WHISPERS = """
import sys
from t1_blur import blur

def stack(pixels, times):
    for _ in range(times):
        pixels = blur(pixels)
    if float(pixels.sum()) > 1000:
        sys.kept = pixels.tolist()
    elif hasattr(sys, "kept"):
        raise ValueError(f"kept {sys.kept}")
    return pixels
"""


def test_a_check_tried_again_knows_nothing_of_hidden_ones(root: Path, tmp_path: Path) -> None:
    """Public checks run before hidden ones, and so they do where a right function is lent."""
    course = tmp_path / "course"
    shutil.copytree(root, course)
    suite = course / "tests/suites/t2_stack/test_stack.py"
    suite.write_text(textwrap.dedent(HIDDEN_SUITE), encoding="utf-8")
    rubric = course / "rubric.yaml"
    text = rubric.read_text(encoding="utf-8")
    last = text.rindex("visibility: public}")
    hidden = "visibility: public}, hidden: {points: 1, visibility: hidden}"
    rubric.write_text(f"{text[:last]}{hidden}{text[last:].removeprefix('visibility: public}')}")
    handed_in = submission({"t1_blur.py": WRONG, "t2_stack.py": WHISPERS})

    with Engine(find_course(course), Options(isolation="none")) as engine:
        (result,) = engine.grade([handed_in])

    seen = {one.check: one for one in result.observations}
    assert seen["t2.stack/hidden/test_far"].outcome is Outcome.PASSED
    assert any("in place of yours" in note for one in seen.values() for note in one.notes)
    assert [one.observed for one in seen.values() if "kept" in one.observed] == []
