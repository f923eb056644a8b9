"""Follow-through of classes, which can't be lent: a known mistake is carried, others block."""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.rubric_file import load_rubric
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Observation, Outcome
from grader.grade.score import block, score
from tests.support.courses import submission

pytestmark = pytest.mark.usefixtures("warm_nursery")

FILES = {
    "rubric.yaml": """
        course: toy
        seed: toy
        assignments: {t1: t1_tint, t2: t2_paint}
        exercises:
          t1.tint:
            targets: [Tint, Gloss]
            criteria: {outputs: {points: 1, visibility: public}}
          t2.paint:
            targets: [Paint, Frame]
            criteria: {outputs: {points: 1, visibility: public}}
            follow_through: {Tint: t1.tint}
        """,
    "reference/t1_tint.py": '''
        from torch import nn

        class Tint(nn.Module):
            """Colour."""

            def __init__(self, width):
                """Make it."""
                # BEGIN SOLUTION
                super().__init__()
                self.linear = nn.Linear(width, width)
                # END SOLUTION

            def forward(self, pixels):
                """Tint pixels."""
                # BEGIN SOLUTION
                return self.linear(pixels) / 2
                # END SOLUTION

        class Gloss(nn.Module):
            """Used by nobody."""

            def forward(self, pixels):
                """Gloss pixels."""
                # BEGIN SOLUTION
                return pixels
                # END SOLUTION
        ''',
    "reference/t2_paint.py": '''
        from t1_tint import Tint
        from torch import nn

        class Paint(nn.Module):
            """Two colours."""

            def __init__(self, width):
                """Make it."""
                # BEGIN SOLUTION
                super().__init__()
                self.tint = Tint(width)
                # END SOLUTION

            def forward(self, pixels):
                """Paint pixels."""
                # BEGIN SOLUTION
                return pixels + self.tint(pixels)
                # END SOLUTION

        class Frame(nn.Module):
            """No colour."""

            def forward(self, pixels):
                """Frame pixels."""
                # BEGIN SOLUTION
                return pixels + 1
                # END SOLUTION
        ''',
    "reference/exercises/t1.tint/mistakes.diff": """
        --- reference/t1_tint.py

        id: tint.by_four
        fails: outputs
        cause: By 4.
        @@ Tint
        -return self.linear(pixels) / 2
        +return self.linear(pixels) / 4

        id: tint.by_three
        mistakes: by_three
        fails: outputs
        cause: By 3.
        @@ Tint
        -return self.linear(pixels) / 2
        +return self.linear(pixels) / 3
        """,
    "assignments/t1_tint.py": "\n",
    "assignments/t2_paint.py": "\n",
    "tests/suites/t1_tint/public/test_tint.py": """
        class TestOutputs:
            def test_values(self, probe, expect):
                '''The values are right.'''
                pair = probe.pair("Tint", 4)
                expect.matches(pair.student, pair.reference, probe.randn(3, 4))

            def test_gloss(self, student, probe, expect):
                '''Nothing changes.'''
                pixels = probe.randn(2)
                expect.close(student.Gloss()(pixels), pixels)
        """,
    "tests/suites/t2_paint/public/test_paint.py": """
        class TestOutputs:
            def test_paint(self, probe, expect):
                '''The values are right.'''
                pair = probe.pair("Paint", 4)
                expect.matches(pair.student, pair.reference, probe.randn(3, 4))

            def test_frame(self, student, probe, expect):
                '''One is added.'''
                pixels = probe.randn(2)
                expect.close(student.Frame()(pixels), pixels + 1)
        """,
}
PASSED, FAILED, BLOCKED = Outcome.PASSED, Outcome.FAILED, Outcome.BLOCKED
CARRIED, NOT_ATTEMPTED = Outcome.CARRIED, Outcome.NOT_ATTEMPTED

TINT = """
from torch import nn

class Tint(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, pixels):
        return self.linear(pixels) / 2

class Gloss(nn.Module):
    def forward(self, pixels):
        return pixels
"""
STUB = """
from torch import nn

class Tint(nn.Module):
    def __init__(self, width):
        raise NotImplementedError("Tint.__init__: replace this line with your solution")

    def forward(self, pixels):
        raise NotImplementedError("Tint.forward: replace this line with your solution")
"""
WRONG = TINT.replace("/ 2", "/ 3")
ODD = TINT.replace("/ 2", "/ 7")
PAINT = """
from t1_tint import Tint
from torch import nn

class Paint(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.tint = Tint(width)

    def forward(self, pixels):
        return pixels + self.tint(pixels)

class Frame(nn.Module):
    def forward(self, pixels):
        return pixels + 1
"""
NOT_WRITTEN = """
from t1_tint import Tint
from torch import nn

class Paint(nn.Module):
    def __init__(self, width):
        raise NotImplementedError("Paint.__init__: replace this line with your solution")

    def forward(self, pixels):
        raise NotImplementedError("Paint.forward: replace this line with your solution")

class Frame(nn.Module):
    def forward(self, pixels):
        raise NotImplementedError("Frame.forward: replace this line with your solution")
"""
MEAN = PAINT.replace("pixels + self", "pixels - self")
IN_PLACE = TINT + PAINT.replace("from t1_tint import Tint\n", "")
OTHER_NAME = TINT.replace("Tint", "Own") + PAINT.replace("Tint(width)", "Own(width)")


CASES = (
    pytest.param(TINT, PAINT, PASSED, PASSED, id="right"),
    pytest.param(WRONG, PAINT, CARRIED, PASSED, id="known mistake"),
    pytest.param(ODD, PAINT, BLOCKED, PASSED, id="unknown mistake"),
    pytest.param(WRONG, MEAN, BLOCKED, PASSED, id="second mistake"),
    pytest.param(TINT, MEAN, FAILED, PASSED, id="only the second"),
    pytest.param(STUB, PAINT, BLOCKED, PASSED, id="not written there"),
    pytest.param(STUB, NOT_WRITTEN, NOT_ATTEMPTED, NOT_ATTEMPTED, id="nothing written"),
    pytest.param(WRONG, NOT_WRITTEN, NOT_ATTEMPTED, NOT_ATTEMPTED, id="not written here"),
    pytest.param(None, PAINT, BLOCKED, PASSED, id="no file there"),
    pytest.param("class Tint(:\n", PAINT, BLOCKED, PASSED, id="broken file there"),
    pytest.param("x = 1\n", PAINT, BLOCKED, PASSED, id="no such class there"),
    pytest.param(STUB, IN_PLACE, PASSED, PASSED, id="own class"),
    pytest.param(STUB, IN_PLACE.replace("/ 2", "/ 5"), FAILED, PASSED, id="own wrong class"),
    pytest.param(
        STUB, "from t1_tint import Tint\n" + IN_PLACE.replace("/ 2", "/ 5"), FAILED, PASSED,
        id="own wrong class over the imported one",
    ),
    pytest.param(
        STUB, OTHER_NAME.replace("/ 2", "/ 5"), FAILED, PASSED,
        id="own wrong class beside the imported one",
    ),
    pytest.param(
        None, OTHER_NAME.replace("/ 2", "/ 5"), FAILED, PASSED,
        id="own wrong class beside one that is not there",
    ),
    pytest.param(
        ODD, "import t1_tint as t\n" + PAINT.replace("Tint(width)", "t.Tint(width)"), BLOCKED,
        PASSED, id="through the module",
    ),
    pytest.param(
        ODD, PAINT.replace("import Tint", "import *"), BLOCKED, PASSED, id="star",
    ),
    pytest.param(
        ODD, PAINT.replace("import Tint", "import Tint as T").replace("= Tint(", "= T("),
        BLOCKED, PASSED, id="other name",
    ),
    pytest.param(
        ODD, PAINT.replace("= Tint(width)", "= make(width)") + "\nmake = lambda w: Tint(w)\n",
        BLOCKED, PASSED, id="through a function",
    ),
    pytest.param(
        ODD, PAINT.replace("pixels + 1", "pixels + 2"), BLOCKED, FAILED, id="frame uses none"
    ),
    pytest.param(
        TINT.replace("return pixels\n", "return 2 * pixels\n"), MEAN, FAILED, PASSED,
        id="another class there is wrong",
    ),
    pytest.param(
        ODD, PAINT.partition("class Frame")[0] + "".join(NOT_WRITTEN.partition("class Frame")[1:]),
        BLOCKED, NOT_ATTEMPTED, id="frame not written",
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


Pair = tuple[str | None, str]


@functools.cache
def graded(root: Path, spawn: bool = False) -> dict[Pair, list[Observation]]:
    """All pairs of files in one run."""
    pairs: dict[str, Pair] = {str(case.id): case.values[:2] for case in CASES}  # type: ignore[misc]
    handed_in = []
    for id, pair in pairs.items():
        files = dict(zip(("t1_tint.py", "t2_paint.py"), pair, strict=True))
        texts = {name: text for name, text in files.items() if text is not None}
        handed_in.append(submission(texts, id))
    with Engine(find_course(root), Options(isolation="none", spawn=spawn)) as engine:
        results = list(engine.grade(handed_in))
    return {pairs[result.submission.id]: list(result.observations) for result in results}


def outcomes(seen: list[Observation]) -> list[Outcome]:
    return [o.outcome for name in ("paint", "frame") for o in seen if o.check.endswith(name)]


@pytest.mark.parametrize(("first", "second", "paint", "frame"), CASES)
def test_what_becomes_of_checks_that_use_a_class(
    root: Path, first: str | None, second: str, paint: Outcome, frame: Outcome
) -> None:
    assert outcomes(graded(root)[first, second]) == [paint, frame]


def test_it_says_what_was_seen_and_what_to_do_first(root: Path) -> None:
    odd = next(o for o in graded(root)[ODD, PAINT] if o.check.endswith("paint"))
    assert odd.observed == "needs t1.tint to pass first"
    assert odd.notes[-1].startswith("failed: ")
    known = next(o for o in graded(root)[WRONG, PAINT] if o.check.endswith("paint"))
    assert known.cause is not None and known.cause.text == "By 3."
    assert known.notes[-1] == "the same mistake as in t1.tint, where it costs its points"


def test_a_new_process_for_each_says_the_same(root: Path) -> None:
    assert outcomes(graded(root, spawn=True)[ODD, PAINT]) == [BLOCKED, PASSED]
    assert outcomes(graded(root, spawn=True)[WRONG, PAINT]) == [CARRIED, PASSED]


def test_what_is_blocked_earns_nothing_and_what_is_carried_everything(root: Path) -> None:
    rubric = load_rubric(root / "rubric.yaml")
    points = {
        source: str(score(rubric, block(rubric, graded(root)[source, PAINT])).points)
        for source in (WRONG, ODD)
    }
    assert points == {WRONG: "3/2", ODD: "1"}
