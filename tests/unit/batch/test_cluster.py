"""A course is sent by its content, and a worker whose results would differ refuses to grade."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from grader.batch.cluster.cluster import ClusterGrader, cluster_grader
from grader.batch.cluster.course_files import CourseFiles, files_of_course
from grader.batch.cluster.worker_side import ClusterOrder, WarmJudges
from grader.course.course import Course, find_course
from grader.engine.engine import EngineError, Options
from grader.engine.result import Result
from grader.store.conditions import conditions_of
from grader.submission.submission import Submission
from tests.unit.samples import SampleResult, submission, write_course


@pytest.fixture
def course(tmp_path: Path) -> Course:
    root = write_course(tmp_path / "course")
    (root / "reference").mkdir()
    (root / "reference" / "s1_sums.py").write_text("def add(a, b):\n    return a + b\n", "utf-8")
    (root / "reference" / "__pycache__").mkdir()
    (root / "reference" / "__pycache__" / "s1_sums.pyc").write_bytes(b"x")
    (root / "notes.txt").write_text("for staff\n", encoding="utf-8")
    return find_course(root)


@dataclass
class SomeWorker:
    """Stands where a worker of the cluster does."""

    local_directory: str
    address: str = "tcp://there:1"
    plugins: dict[str, Any] = field(default_factory=dict)


def order_for(course: Course) -> ClusterOrder:
    conditions = conditions_of(course, (), "none")
    return ClusterOrder(files_of_course(course), Options(isolation="none"), conditions)


def test_a_parcel_holds_what_grading_needs_and_no_more(course: Course, tmp_path: Path) -> None:
    files = files_of_course(course)
    assert sorted(files.files) == ["reference/s1_sums.py", "rubric.yaml"]
    files.unpack(tmp_path / "there")
    assert files_of_course(Course(tmp_path / "there", course.rubric)) == files


def test_a_parcel_is_known_by_names_and_contents() -> None:
    one = CourseFiles({"a": b"1", "b": b"2"})
    assert one.digest == CourseFiles({"b": b"2", "a": b"1"}).digest
    others = [
        CourseFiles({"a": b"12", "b": b""}),
        CourseFiles({"a": b"1", "c": b"2"}),
        CourseFiles({"a": b"1"}),
    ]
    assert len({one.digest, *(other.digest for other in others)}) == 4


def test_the_same_course_graded_in_another_way_has_another_name(course: Course) -> None:
    order = order_for(course)
    other = replace(order, conditions=replace(order.conditions, language="ko"))
    assert order.name == order_for(course).name
    assert order.name != other.name


def test_a_worker_with_other_versions_refuses_to_grade(course: Course, tmp_path: Path) -> None:
    order = order_for(course)
    wrong = replace(order, conditions=replace(order.conditions, libraries="torch 0.1"))
    plugin = pickle.loads(pickle.dumps(WarmJudges(wrong)))
    worker: Any = SomeWorker(str(tmp_path))
    plugin.setup(worker)
    with pytest.raises(EngineError, match=r"another libraries \(python .*, and not torch 0\.1\)"):
        plugin.grade(submission())
    [folder] = tmp_path.glob("course-*")
    assert (folder / "rubric.yaml").is_file()
    plugin.teardown(worker)
    assert [*tmp_path.glob("course-*")] == []


@pytest.mark.parametrize("address", ["host:8786", "dask://host", "dask://a b:1", "tcp://host:1"])
def test_an_address_is_that_of_a_scheduler(course: Course, address: str) -> None:
    with (
        pytest.raises(EngineError, match="expected the scheduler of a Dask cluster"),
        cluster_grader(address, course, Options()),
    ):
        pass


def test_without_the_package_it_is_said_what_to_install(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(EngineError, match="pip install 'distributed>="),
        cluster_grader("dask://host:1", course, Options()),
    ):
        pass


@dataclass(eq=False)
class Sent:
    """Stands where a future does."""

    submission: Submission

    def result(self) -> Any:
        return SampleResult(replace(self.submission, files={}))

    def release(self) -> None: ...


@dataclass
class SomeCluster:
    """Notes how many submissions are there at a time."""

    at_a_time: list[int] = field(default_factory=list)
    running: int = 0

    def nthreads(self) -> dict[str, int]:
        return {"a": 1, "b": 2}

    def submit(self, task: object, name: str, sent: Submission, *, pure: bool) -> Sent:
        self.running += 1
        self.at_a_time.append(self.running)
        return Sent(sent)


class OneByOne(ClusterGrader):
    """Takes the first that was sent, and no other."""

    def _await(self, running: Any) -> list[Any]:
        self.client.running -= 1  # type: ignore[attr-defined]
        return [next(iter(running))]


def no_task(name: str, one: Submission) -> Result:
    raise AssertionError(name)


def test_no_more_is_sent_than_can_soon_be_begun() -> None:
    taken: list[str] = []

    def submissions() -> Iterator[Submission]:
        for number in range(20):
            taken.append(f"student-{number:03}")
            yield submission(taken[-1])

    some: Any = SomeCluster()
    results = OneByOne(some, "course", no_task).grade(submissions())
    first = next(results)
    assert len(taken) == 6
    assert first.submission.files == submission().files
    assert [one.submission.id for one in (first, *results)] == taken
    assert max(some.at_a_time) == 6
