"""What a submission draws, or seeds, changes no grade: weights are drawn and written by us."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.score import Grade, block, score
from grader.submission.submission import Submission, digest_of, read_submission

pytestmark = pytest.mark.usefixtures("warm_nursery")

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
NAMES = (
    "right_six_plain",
    "mha_renamed_everything",
    "mha_packed_h_d_qkv",
    "mha_scale_by_model_width",
    "mha_packed_unscaled",
    "vit_separate_maps_other_names",
    "vit_scale_by_model_width",
    "follow_copied",
)
DRAW = "torch.rand(7); torch.randn(3)"
MADE = "super().__init__()"
SEED = "torch.manual_seed(7)"
CHANGES = {
    "seeds": lambda text: re.sub(r"(?m)^import torch$", f"import torch; {SEED}", text, count=1),
    "draws when made": lambda text: text.replace(MADE, f"{MADE}; {DRAW}"),
    "draws when called": lambda text: re.sub(
        r"(?m)^(    def forward\(self, .*\):)$", rf"\1\n        {DRAW}", text
    ),
}


def changed(name: str, way: str) -> Submission:
    read = read_submission(CORPUS / name, id=f"{name} {way}")
    if not way:
        return read
    files = {
        path: CHANGES[way](data.decode()).encode() if path.endswith(".py") else data
        for path, data in read.files.items()
    }
    assert files != dict(read.files)
    return Submission(id=read.id, files=files, digest=digest_of(files), path="")


@functools.cache
def grades() -> dict[str, Grade]:
    course = find_course(CORPUS)
    submissions = [changed(name, way) for name in NAMES for way in ("", *CHANGES)]
    with Engine(course, Options(isolation="none", diagnose=False)) as engine:
        results = list(engine.grade(submissions))
    return {
        result.submission.id: score(course.rubric, block(course.rubric, result.observations))
        for result in results
    }


@pytest.mark.parametrize("way", CHANGES)
@pytest.mark.parametrize("name", NAMES)
def test_draws_of_the_students_change_no_grade(name: str, way: str) -> None:
    assert grades()[f"{name} {way}"] == grades()[f"{name} "]


def test_the_grades_are_not_all_alike() -> None:
    """The control: what is compared above tells these submissions apart."""
    assert len({grades()[f"{name} "].points for name in NAMES}) >= 4
