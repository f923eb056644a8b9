"""docs/architecture.md says what the code says today, and every name on it exists."""

from __future__ import annotations

import ast
import re

import cmarkgfm
import pytest

from tests.unit.test_architecture import FLOORS, modules, parsed
from tools.architecture import PAGE, ROOT, drawn, packages, processes, reduced

MOST_ROOMS = 26


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_it_is_what_the_code_says_today(page: str) -> None:
    assert drawn(page) == page, "next: make architecture"


def test_a_stale_picture_is_noticed(page: str) -> None:
    assert drawn(page.replace("cli --> live", "live --> cli")) == page


def test_it_has_few_rooms() -> None:
    assert len(FLOORS) <= MOST_ROOMS


def test_every_file_and_name_on_it_exists(page: str) -> None:
    named = re.findall(r"`(grader/[\w/]+(?:\.py|/))(?:::(\w+))?`", page)
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).exists() or (name and name not in _defined(path))
    ]
    assert missing == []
    assert len(named) > 30


def _defined(path: str) -> set[str]:
    body = parsed(ROOT / path).body
    return {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def test_every_process_is_started_by_one_that_is_there() -> None:
    kinds = processes(modules())
    assert [kind.name for kind in kinds] == [
        "parent",
        "standby",
        "recorder",
        "preparer",
        "nursery",
        "judge",
        "zygote",
        "worker",
    ]
    names = {kind.name for kind in kinds}
    assert [kind.name for kind in kinds if kind.started_by not in names] == ["parent"]


def test_what_is_left_out_of_the_picture_is_implied_by_it() -> None:
    graph = packages(modules())
    kept = reduced(graph)

    def reached(name: str) -> set[str]:
        return {name}.union(*(reached(below) for above, below in kept if above == name))

    assert all(targets <= reached(name) for name, targets in graph.items())


def test_it_is_read_as_tables(page: str) -> None:
    assert cmarkgfm.github_flavored_markdown_to_html(page).count("<table>") == 3
