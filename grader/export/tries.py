"""Count the tries of a class from its store, for causes that reports name after so many of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from grader.course.feedback import CauseTiming
from grader.export.exported import ExportError
from grader.export.graded_class import GradedClass
from grader.report.content import LOST
from grader.store.store import STORE_FILE, StoreError, open_store
from grader.store.summary import LETTERS
from grader.store.summary_tables import KeptSummary

_LOST = frozenset(LETTERS[outcome] for outcome in LOST)


def class_tries(graded: GradedClass) -> Mapping[str, Mapping[str, int]]:
    """Map each student to the exercises in which something failed, and in how many versions.

    A version is what somebody handed in and had graded; the same files graded again are none. Empty
    where the course does not count tries, or where there is no store. Raises ExportError.
    """
    path = graded.folder / STORE_FILE
    if graded.rubric.feedback.causes is not CauseTiming.AFTER_TRIES or not path.is_file():
        return {}
    versions: dict[tuple[str, str], set[str]] = defaultdict(set)
    try:
        with open_store(path) as store:
            for kept in store.summaries():
                for slug in _failed_in(kept):
                    versions[kept.student, slug].add(kept.inputs)
    except StoreError as error:
        raise ExportError(str(error)) from error
    tries: dict[str, dict[str, int]] = defaultdict(dict)
    for (student, slug), own in versions.items():
        tries[student][slug] = len(own)
    return tries


def _failed_in(kept: KeptSummary) -> set[str]:
    outcomes = zip(kept.form.checks, kept.summary.outcomes, strict=True)
    return {name.partition("/")[0] for (name, _title), letter in outcomes if letter in _LOST}
