"""Whoever asks and however is told the same: `check`, `batch`, `--watch`, a kernel, every format.

Of every submission of the corpus and of sixty combinations of typical mistakes, in a student's
copy of the course; of some also with the hidden suites. The engines are started once for all.
A kernel that holds a submission of the corpus is compared in `test_live_corpus.py`.
"""

from __future__ import annotations

import functools
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.cli.commands.check import grading as check
from grader.cli.commands.check.watch import _Watch
from grader.cli.commands.check.watch_request import WatchRequest
from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome
from grader.report.content import LOST
from grader.report.json import as_dict
from grader.text.points import decimal, shown
from grader.watching.progress import Progress
from tests.support.corpus import names
from tests.support.students_course import (
    COMBINED,
    RECORDS,
    batch_records,
    class_records,
    hand_in,
    students_course,
)
from tests.support.turns import in_turn

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ("json", "junit", "markdown", "html", "text")
COMBINATIONS = tuple(f"combination-{number:02}" for number in range(COMBINED))
IN_WHOLE = ("follow_called", "follow_called_split_heads", "follow_copied", *COMBINATIONS[::10])
"""Compared with the hidden suites as well, which takes several times as long."""
NAMES = (*names(), *COMBINATIONS)
CHECKED = in_turn(NAMES, 3)
EVERY_WAY = os.environ.get("GRADER_EVERY_WAY") == "1"
WATCHED = CHECKED if EVERY_WAY else CHECKED[::4]
"""Watching grades everything once more: all of it takes minutes, and comes on request."""
IN_KERNELS = in_turn(COMBINATIONS if EVERY_WAY else COMBINATIONS[::3], 2)
Plain = dict[str, Any]
Batched = Callable[[str], dict[str, Plain]]


@dataclass(frozen=True)
class Place:
    """Where submissions lie, a folder each, and what is written about them."""

    submissions: Path
    out: Path
    courses: dict[str, Course]
    """`whole`, and as `students` have it."""


@functools.cache
def place() -> Place:
    root = Path(_kept().enter_context(tempfile.TemporaryDirectory(prefix="grader-agreement-")))
    course = find_course(ROOT)
    made = hand_in(root / "submissions")
    chosen = root / "chosen"
    chosen.mkdir()
    for name in IN_WHOLE:
        shutil.copytree(made / name, chosen / name)
    students = find_course(students_course(ROOT, root / "course"))
    return Place(made, root, {"whole": course, "students": students})


@functools.cache
def _kept() -> ExitStack:
    return ExitStack()


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    yield
    _kept().close()


@functools.cache
def engine(which: str) -> Engine:
    """As it is for somebody who waits."""
    options = Options(isolation="none", hurry=True)
    return _kept().enter_context(Engine(place().courses[which], options))


# ---- the ways --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def batched(once: Callable[[str, Any], Any], tmp_path_factory: pytest.TempPathFactory) -> Batched:
    """The records of `grader batch`."""

    @functools.cache
    def records(which: str) -> dict[str, Plain]:
        root = tmp_path_factory.mktemp("batch")
        if which == "students":
            return once(RECORDS, lambda: class_records(root))
        return batch_records(place().out / "chosen", root / "out", place().courses[which].root)

    return records


@functools.cache
def checked(name: str, which: str = "students") -> dict[str, str]:
    """What `grader check` writes, in every format."""
    files = [(format_, place().out / f"{which}-{name}.{format_}") for format_ in FORMATS]
    with redirect_stdout(io.StringIO()):
        check.run(
            place().submissions / name,
            only=(),
            files=files,
            spawn=False,
            isolation="none",
            course_folder=place().courses[which].root,
            opener=lambda _tell: lambda course, options: nullcontext(engine(which)),
        )
    return {format_: path.read_text(encoding="utf-8") for format_, path in files}


def watched(name: str) -> tuple[Plain, Plain]:
    """What `--watch` says of all exercises; and of the one in front, graded again by itself."""
    folder = place().submissions / name
    course, grader = place().courses["students"], engine("students")
    keys: Any = SimpleNamespace(fd=None)
    order = tuple(course.rubric.exercises)
    watch = _Watch(WatchRequest(course, folder, ()), grader, keys, Progress(order), None)
    watch._grade_all()
    whole = watch.progress.whole
    assert whole is not None, watch.progress.note
    front = watch.progress.current
    watch._grade([front])
    (again,) = as_dict(watch.progress.reports[front])["exercises"]  # type: ignore[misc]
    return as_dict(whole), again


@functools.cache
def in_kernels() -> dict[str, Plain]:
    """What `grader.check(...)` says in a process that holds a combination."""
    jobs = []
    for name in IN_KERNELS:
        files = sorted(path.name for path in (place().submissions / name).iterdir())
        entries = {Path(file).stem: file for file in files}
        jobs.append([name, str(place().submissions / name), entries])
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.live_kernels", str(place().courses["students"].root)],
        cwd=ROOT,
        input=json.dumps(jobs),
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


# ---- what is compared ------------------------------------------------------------------------


def told(report: Plain) -> Plain:
    """All that a report says of a submission, but for how it was made, and to staff alone."""
    left_out = ("timings", "isolation", "submission", "flags")
    plain = {name: value for name, value in report.items() if name not in left_out}
    plain["exercises"] = [
        {
            **part,
            "checks": [
                without(check, "finding", "fingerprint", "staff", "tried")
                for check in part["checks"]
            ],
        }
        for part in plain["exercises"]
    ]
    return plain


def without(check: Plain, *names: str) -> Plain:
    return {name: value for name, value in check.items() if name not in names}


def unnamed(report: Plain) -> Plain:
    """A report without the names and titles of checks."""
    parts = [
        {
            **part,
            "checks": [
                {key: value for key, value in row.items() if key not in ("check", "title")}
                for row in part["checks"]
            ],
        }
        for part in report["exercises"]
    ]
    return {**report, "exercises": parts}


def of(points: str) -> str:
    return shown(Fraction(points))


def causes(row: Plain) -> list[Any]:
    cause = row["cause"]["id"] if row.get("cause") else None
    return [row["outcome"], cause, [one["id"] for one in row.get("also") or ()]]


def rows(report: Plain) -> dict[str, Plain]:
    return {row["check"]: row for part in report["exercises"] for row in part["checks"]}


@pytest.mark.parametrize("name", CHECKED)
def test_check_says_what_batch_says(name: str, batched: Batched) -> None:
    assert told(json.loads(checked(name)["json"])) == told(batched("students")[name])


@pytest.mark.parametrize("name", IN_WHOLE)
def test_check_says_of_hidden_checks_what_batch_says(name: str, batched: Batched) -> None:
    """All but their names, which only staff reads."""
    report = told(json.loads(checked(name, "whole")["json"]))

    assert unnamed(report) == unnamed(told(batched("whole")[name]))
    assert any("/hidden_1" in check for check in rows(report))


@pytest.mark.parametrize("name", WATCHED)
def test_watch_says_what_check_says(name: str) -> None:
    expected = told(json.loads(checked(name)["json"]))
    whole, front = watched(name)

    assert told(json.loads(json.dumps(whole))) == expected
    (part,) = [one for one in expected["exercises"] if one["slug"] == front["slug"]]
    assert json.loads(json.dumps(front)) == part


@pytest.mark.parametrize("name", IN_KERNELS)
def test_a_kernel_says_what_check_says(name: str) -> None:
    seen = {row["check"]: causes(row) for row in in_kernels()[name]["seen"]}
    expected = {id: causes(row) for id, row in rows(json.loads(checked(name)["json"])).items()}

    assert seen == {id: row for id, row in expected.items() if id in seen}
    assert len(seen) >= 20


def plain(text: str) -> str:
    """A text without markup, in one line."""
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return re.sub(r"[\s`\\│]+", " ", text)


@pytest.mark.parametrize("name", CHECKED)
def test_every_format_says_the_same_points(name: str) -> None:
    files = checked(name)
    report = json.loads(files["json"])
    total = f"{of(report['points'])} / {of(report['max_points'])} points"
    for format_ in ("markdown", "html", "text"):
        assert total in plain(files[format_]), format_
    earned = {part["slug"]: Fraction(part["points"] or 0) for part in report["exercises"]}
    assert sum(earned.values()) == Fraction(report["points"])
    suites = ElementTree.fromstring(files["junit"]).iter("testsuite")
    properties = {
        one.get("name"): one.find("properties/property[@name='points']") for one in suites
    }
    assert properties.keys() == earned.keys()
    for slug, points in earned.items():
        found = properties[slug]
        assert found is None or found.get("value") == decimal(points), slug
        row = f"{slug} | {shown(points)} / "
        assert row in plain(files["markdown"]), slug
        line = next(line for line in files["text"].splitlines() if line.startswith(f"{slug} "))
        assert f" {shown(points)} / " in line, slug


@pytest.mark.parametrize("name", CHECKED)
def test_every_format_names_the_same_causes(name: str) -> None:
    files = checked(name)
    found = rows(json.loads(files["json"]))
    accused = {id: one for id, one in found.items() if one["outcome"] in LOST and one["cause"]}
    named = {plain(one["cause"]["text"]) for one in accused.values()}
    for format_ in ("junit", "markdown"):
        said = plain(files[format_])
        assert {text for text in named if text not in said} == set(), format_

    # The page shows one for all of a check's parameters that fail in the same way.
    alike: dict[tuple[str, str], set[str]] = {}
    for id, one in accused.items():
        key = id.partition("[")[0], one["cause"]["id"]
        alike.setdefault(key, set()).add(plain(one["cause"]["text"]))
    page = plain(files["html"])
    assert [key for key, texts in alike.items() if not any(text in page for text in texts)] == []


def test_there_is_much_to_agree_on(batched: Batched) -> None:
    """The positive control: verdicts of every kind, right functions lent, and many causes."""
    found = [row for name in COMBINATIONS for row in rows(batched("students")[name]).values()]
    every = [row for name in NAMES for row in rows(batched("students")[name]).values()]
    notes = [" ".join(row.get("notes", ())) for row in every]
    lent = [text for text in notes if "in place of yours" in text]

    assert {"passed", "failed", "student_error", "blocked", "carried"} <= {
        row["outcome"] for row in found
    }
    assert Outcome.COULD_NOT_CHECK.value not in {row["outcome"] for row in found}
    assert len(lent) >= 60
    assert len({row["cause"]["id"] for row in found if row.get("cause")}) >= 60
