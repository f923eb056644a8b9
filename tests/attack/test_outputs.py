"""No result is written through a link, and what a link points to stays as it is."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from grader.cli.commands import batch, start
from grader.cli.commands.check import grading as check
from tests.attack.output import CODE, PRECIOUS, TRAPS, Trap
from tests.unit.samples import SampleGrader, write_course


class Place:
    """A course, a student's folder with a trap in it, and what it is after."""

    def __init__(self, root: Path, trap: Trap) -> None:
        self.course = write_course(root / "course")
        self.theirs, self.goal = root / "class" / "student-001", root / "goal"
        for folder in (self.theirs, self.goal):
            folder.mkdir(parents=True)
        (self.theirs / CODE).write_text("#passed\n", encoding="utf-8")
        (self.goal / "precious").write_text(PRECIOUS, encoding="utf-8")
        trap.lay(self.theirs, self.goal)
        self.names = self.theirs / trap.names

    def run(self, command: str) -> None:
        """What somebody types who wants the result in the student's folder."""
        opened = SampleGrader().opened
        if command == "start":
            start.run(self.theirs, kinds=(".py",), language="en", course_folder=self.course)
        elif command == "batch":
            batch.run(
                self.theirs.parent, self.names,
                jobs=1, only=(), spawn=False, course_folder=self.course, open_engine=opened,
            )  # fmt: skip
        else:
            files = [("html", self.names)]
            check.run(
                self.theirs,
                only=(), files=files, spawn=False, course_folder=self.course,
                opener=lambda _tell: opened,
            )  # fmt: skip

    def outside(self) -> dict[str, str]:
        """What is now where the links lead."""
        root = self.goal.parent
        paths = [*self.goal.rglob("*"), *root.glob("*")]
        return {path.name: path.read_text(encoding="utf-8") for path in paths if path.is_file()}


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.id)
def test_what_a_link_points_to_stays_as_it_is(tmp_path: Path, trap: Trap) -> None:
    place = Place(tmp_path, trap)

    if trap.is_refused:
        with pytest.raises(click.ClickException, match="is a link inside the graded folder"):
            place.run(trap.command)
    else:
        place.run(trap.command)
        assert place.names.is_symlink() == (trap.command == "start")  # which writes nothing then

    assert place.outside() == {"precious": PRECIOUS}


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.id)
def test_a_writer_that_follows_links_writes_there(tmp_path: Path, trap: Trap) -> None:
    """The control."""
    place = Place(tmp_path, trap)
    file = place.names / "gradebook.csv" if trap.command == "batch" else place.names

    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("changed", encoding="utf-8")

    assert place.outside() != {"precious": PRECIOUS}
