"""Lets plain pytest run every suite on the reference itself: all checks must pass, and no call of a
hidden check may be one of a public check, to which a student can record the answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_flatten

from grader.course.course import Course, find_course
from grader.judge.bind.roles import Roles, load_roles
from grader.judge.calls.client import LocalClient
from grader.judge.check_runner import ReferenceDefinitions, settle
from grader.judge.checks.checks import criterion_of
from grader.judge.checks.observe import CheckRecord
from grader.judge.checks.plugin import CheckContext, expect, probe, reference, student
from grader.judge.checks.probe import check_seed
from grader.judge.reference.memo import Memo, Reference
from grader.judge.reference.references import References

__all__ = ["expect", "probe", "reference", "student"]


@pytest.fixture(scope="session")
def course() -> Course:
    return find_course(Path(__file__).parent)


@pytest.fixture(scope="session")
def references(course: Course) -> dict[str, ModuleType]:
    stems = course.rubric.assignments.values()
    references = References(course.root, stems)
    return {stem: references.module(stem) for stem in stems}


@pytest.fixture(scope="session")
def roles(course: Course) -> Roles:
    return load_roles(course.root)


class RecordingClient(LocalClient):
    """Keeps what functions were called with; what a module answers depends on weights that are
    drawn for each check."""

    def begin_check(self) -> None:
        super().begin_check()
        self.asked: set[str] = set()

    def invoke(
        self, target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Any
    ) -> Any:
        leaves, shape = tree_flatten((list(args), dict(kwargs)))
        if target[0] == "N" and any(isinstance(x, torch.Tensor) and x.numel() > 1 for x in leaves):
            words = [str(target), str(shape), *map(_in_words, leaves)]
            self.asked.add(hashlib.sha256("\n".join(words).encode()).hexdigest())
        return super().invoke(target, args, kwargs, parameters)


def _in_words(leaf: Any) -> str:
    if not isinstance(leaf, torch.Tensor):
        return repr(leaf)
    data = b"" if leaf.is_meta else leaf.detach().double().contiguous().numpy().tobytes()
    return f"{leaf.dtype} {tuple(leaf.shape)} {leaf.device} {hashlib.sha256(data).hexdigest()}"


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all processes of a run note what public and what hidden checks asked."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "asked"
    for kind in ("public", "hidden"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    return folder


def require_apart(asked: Path, path: Path, calls: set[str]) -> None:
    """No hidden check has called a function with the inputs of a public one, nor the reverse."""
    kinds = ("public", "hidden") if path.parent.name == "public" else ("hidden", "public")
    for call in calls:
        (asked / kinds[0] / call).touch()
    both = [call for call in calls if (asked / kinds[1] / call).exists()]
    assert not both, f"a {kinds[1]} check asks with the same inputs: give this one others"


@pytest.fixture
def context(
    request: pytest.FixtureRequest,
    asked: Path,
    course: Course,
    references: dict[str, ModuleType],
    roles: Roles,
) -> Iterator[CheckContext]:
    path = request.path
    exercise = next(e for e in course.rubric.exercises.values() if path in course.suite_files(e))
    client = RecordingClient(lambda stem, name: getattr(references[stem], name), lambda name: False)
    client.begin_check()
    check = f"{exercise.slug}/{criterion_of(request.cls.__name__)}/{request.node.name}"
    seed = check_seed(course.rubric.seed, check)
    settle(seed)
    memo, stem, record = Memo(), exercise.assignment, CheckRecord()
    own = ReferenceDefinitions(references)
    reference = Reference(references[stem], memo, roles)
    context = CheckContext(client, own, stem, reference, memo, seed, record)
    yield context
    context.clear()
    assert record.expectations, "the check compared nothing"
    require_apart(asked, path, client.asked)
