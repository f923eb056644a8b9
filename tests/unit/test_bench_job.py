"""The job of the benchmark beside the peers: forty checks, and every mistake costs some of them."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
import yaml

from tests.bench.peers import job, right
from tests.bench.peers.ours import STEM, write_course


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Compute as the benchmark does; tensors this small gain nothing from more threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def passed(source: str) -> set[str]:
    student = ModuleType("submission")
    exec(source, vars(student))
    names = set()
    for check in job.checks():
        try:
            job.run(check, student, right)
        except AssertionError:
            continue
        names.add(check.name)
    return names


def test_the_right_submission_passes_all_forty() -> None:
    assert len(job.table()) == len(job.checks()) == 40
    assert passed(job.RIGHT.read_text(encoding="utf-8")) == set(job.table())


@pytest.mark.parametrize(("before", "after"), job.MISTAKES)
def test_a_mistake_costs_some_checks_and_not_all(before: str, after: str) -> None:
    source = job.RIGHT.read_text(encoding="utf-8")
    assert before in source
    assert 0 < len(passed(source.replace(before, after))) < 40


def test_half_of_the_submissions_are_right_and_no_two_are_the_same_file() -> None:
    made = list(job.submissions(8))
    assert [is_right for _name, _source, is_right in made] == [True, False] * 4
    assert len({source for _name, source, _is_right in made}) == 8


def test_the_grader_asks_the_same_forty(tmp_path: Path) -> None:
    write_course(tmp_path)
    rubric = yaml.safe_load((tmp_path / "rubric.yaml").read_text(encoding="utf-8"))
    points = sum(each["criteria"]["checks"]["points"] for each in rubric["exercises"].values())
    suites = (tmp_path / "tests" / "suites" / STEM).glob("test_*.py")
    asked = sum(path.read_text(encoding="utf-8").count("    def test_") for path in suites)
    assert points == asked == 40
