"""After a change of suites some exercises run again, and it ends where grading all of it ends."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.cli.commands import batch, regrade
from grader.course.scope import Scope
from grader.engine.engine import Engine
from grader.engine.result import Result
from grader.submission.submission import Submission

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
STEM = "a1_attention"
SLUGS = ("a1.scores", "a1.softmax", "a1.simple", "a1.sdpa", "a1.modules")
OF_CORPUS = (
    "exit_in_call",
    "follow_called",
    "follow_copied",
    "scale_by_wrong_width",
    "softmax_maximum_of_everything",
    "untouched_stub",
)
EDITS = (
    ("torch.exp(x - largest)", "torch.exp(x)"),
    ("/ shifted_powers.sum(dim=dim, keepdim=True)", "/ shifted_powers.sum()"),
    ("torch.softmax(scores, dim=-1)\n", "torch.softmax(scores, dim=-2)\n"),
)
MORE = {
    "a1.scores": """
    def test_one_more(self, student, probe, expect):
        \"\"\"One query and one key give one score.\"\"\"
        expect.shape(student.attention_scores(probe.randn(1, 3), probe.randn(1, 3)), (1, 1))
""",
    "a1.softmax": """
    def test_one_more(self, student, probe, expect):
        \"\"\"Large scores give shares.\"\"\"
        x = 200 + probe.randn(2, 3)
        expect.close(student.stable_softmax(x, dim=1), torch.softmax(x, dim=1), what="shares")
""",
}


@dataclass
class Noted:
    """An engine that says what it was asked to grade on."""

    scopes: list[tuple[str, ...]] = field(default_factory=list)

    def open(self, course: Any, options: Any) -> Engine:
        scopes = self.scopes

        class Noting(Engine):
            def grade(
                self,
                submissions: Iterable[Submission],
                of: Mapping[str, Scope] | None = None,
                groups: Mapping[str, str] | None = None,
            ) -> Iterator[Result]:
                for one in super().grade(submissions, of, groups):
                    scopes.append((of or {}).get(one.submission.id, Scope()).only)
                    yield one

        return Noting(course, options)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course, and a class with right and wrong work, graded into `out`."""
    place = tmp_path_factory.mktemp("regrade")
    for name in ("rubric.yaml", "reference", "tests/suites", "assignments"):
        source, target = ROOT / name, place / "course" / name
        ignored = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignored)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    right = (ROOT / "reference" / f"{STEM}.py").read_text("utf-8")
    texts = [right, *(right.replace(*edit) for edit in EDITS)]
    assert len(set(texts)) == 4
    for number, text in enumerate(texts):
        folder = place / "class" / f"student-{number:03}"
        folder.mkdir(parents=True)
        (folder / f"{STEM}.py").write_text(text, encoding="utf-8")
    for name in OF_CORPUS:
        shutil.copytree(ROOT / "tests" / "corpus" / name, place / "class" / name)
    graded(place, "out")
    return place


def graded(place: Path, out: str) -> None:
    batch.run(
        place / "class",
        place / out,
        jobs=1,
        only=SLUGS,
        spawn=False,
        isolation="none",
        course_folder=place / "course",
        quiet=True,
    )


def results(place: Path, out: str) -> dict[str, Any]:
    """The gradebook to the byte, and all records but for their times."""
    found: dict[str, Any] = {"gradebook": (place / out / "gradebook.csv").read_bytes()}
    for path in sorted((place / out / "records").glob("*.json")):
        found[path.name] = json.loads(path.read_text("utf-8"))
        found[path.name].pop("timings", None)
    return found


@pytest.mark.parametrize(
    ("changed", "run"),
    [
        ("a1.scores", ("a1.scores",)),
        ("a1.softmax", ("a1.softmax", "a1.sdpa", "a1.modules")),
    ],
)
def test_it_ends_where_grading_all_of_it_ends(
    place: Path, changed: str, run: tuple[str, ...]
) -> None:
    suite = place / "course" / "tests" / "suites" / STEM / f"test_{changed[3:]}.py"
    before = suite.read_text("utf-8")
    part, anew = f"part {changed}", f"anew {changed}"
    shutil.copytree(place / "out", place / part)
    was = results(place, part)
    noted = Noted()
    suite.write_text(before + MORE[changed], encoding="utf-8")
    try:
        regrade.run(
            place / part,
            only_show=False,
            isolation="none",
            course_folder=place / "course",
            open_engine=noted.open,
        )
        graded(place, anew)
    finally:
        suite.write_text(before, encoding="utf-8")

    assert results(place, part) == results(place, anew)
    assert results(place, part) != was
    assert noted.scopes.count(run) >= 4
    assert set(noted.scopes) <= {run, ()}
