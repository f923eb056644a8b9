"""The collectors and items that pytest and editors see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.grade.evidence import Observation, Outcome
from grader.messages.answers import CheckFacts
from grader.report.cleaning import one_line
from grader.report.right_so_far import heading, right_sentences
from grader.report.small_example import arithmetic, code, pasted_as, title
from grader.report.words import facts
from grader.text.language import _

from .definitions import line_of
from .grading import FolderGrading

PASSES = (Outcome.PASSED, Outcome.CARRIED)
WAITS = (Outcome.NOT_ATTEMPTED, Outcome.BLOCKED)


class NotRight(Exception):
    """A check that the submission does not pass; the report says why."""


class NotChecked(Exception):
    """A check that could not be made: not the student's fault."""


class AssignmentFile(pytest.File):
    """A file of a submission: its public checks are its items. It is never imported here."""

    grading: FolderGrading
    stem: str

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each public check of the assignment."""
        text = self.path.read_text(encoding="utf-8", errors="replace")
        exercises = self.grading.course.rubric.exercises
        for check in self.grading.checks:
            exercise = exercises[check.exercise]
            if exercise.assignment != self.stem:
                continue
            # A parameter of a check may be the name of a definition.
            named = [target for target in exercise.targets if target in check.id]
            item: CheckItem = CheckItem.from_parent(self, name=check.id)
            item.check, item.grading = check, self.grading
            item.line = line_of(text, [*named, *exercise.targets])
            item.user_properties.append(("title", one_line(check.title)))
            yield item


class CheckItem(pytest.Item):
    """One public check."""

    check: CheckFacts
    grading: FolderGrading
    line: int

    @property
    def seen(self) -> Observation:
        """Return what came of the check; grades if nothing was graded yet."""
        return self.grading.observations[self.check.id]

    def setup(self) -> None:
        """Grade; a check that could not be made is an error of pytest's, and no failure."""
        if self.seen.outcome is Outcome.COULD_NOT_CHECK:
            raise NotChecked(one_line(self.seen.observed))

    def runtest(self) -> None:
        """Fail as the report says."""
        outcome = self.seen.outcome
        if outcome in WAITS:
            pytest.skip(one_line(self.seen.observed) or outcome.in_words)
        if outcome not in PASSES:
            raise NotRight(message_of(self.seen))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> str:
        """Return the report of this check, and no traceback of ours."""
        if isinstance(excinfo.value, (NotRight, NotChecked)):
            return str(excinfo.value)
        return f"{type(excinfo.value).__name__}: {excinfo.value}"

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the student's definition, and the name of the check."""
        return self.path, self.line, self.name


def message_of(seen: Observation) -> str:
    """Return the report of one check as text."""
    pairs = facts(seen)
    width = max((len(label) for label, _words in pairs), default=0)
    under = "\n" + " " * (width + 2)
    lines = [one_line(seen.title)]
    lines += [f"{label:{width}}  {words.replace(chr(10), under)}" for label, words in pairs]
    if seen.counterexample is not None:
        example = seen.counterexample
        lines += ["", f"{title()}: {one_line(example.call)}", *arithmetic(example)]
        lines += [pasted_as(), "", *code(example)]
    if seen.right_lines is not None:
        lines += ["", f"{heading()}:", *right_sentences(seen.right_lines)]
    return "\n".join(lines)


def counted(passed: int, count: int) -> str:
    """Say how many checks pass by what the grader itself saw."""
    return _("by the grader: {passed} of {count} public checks pass", passed=passed, count=count)
