"""Look up and keep the results of a class, as far as conditions and submissions are the same."""

from __future__ import annotations

from dataclasses import dataclass

from ..course.rubric import Rubric
from ..grade.evidence import Outcome
from ..submission.submission import Submission
from .adjusting import adjusted
from .conditions import Conditions, digest_of_inputs
from .rescoring import rescored
from .store import Record, Store


@dataclass(frozen=True)
class Results:
    """The results in a store that were made under the same conditions.

    One that differs in what things are worth is scored by the rubric of now.
    """

    store: Store
    conditions: Conditions
    rubric: Rubric
    again: bool = False
    """True if everybody is to be graded anew: results are kept, and none is looked up."""

    def find(self, submission: Submission) -> Record | None:
        """Return the record of a submission that was graded before, unless it has to be again.

        Raises StoreError and WritingError.
        """
        if self.again:
            return None
        kept = self.store.find(submission.id, digest_of_inputs(submission), self.conditions)
        if kept is None:
            return None
        if kept.conditions == self.conditions:
            return kept.record
        record = rescored(kept.record, self.rubric)
        self.keep(submission, record)
        return record

    def adjusted(self, record: Record) -> Record:
        """Return a record with the points that its student gets or loses beside the checks.

        Raises StoreError.
        """
        return adjusted(record, self.store.adjustments(record["submission"]["id"]))

    def keep(self, submission: Submission, record: Record) -> None:
        """Add the record of a submission that was graded now.

        Raises StoreError and WritingError.
        """
        inputs, final = digest_of_inputs(submission), is_final(record)
        self.store.keep(submission.id, inputs, self.conditions, record, final=final)


def is_final(record: Record) -> bool:
    """Return False if a check failed for a reason of ours: another run may do better."""
    checks = (check for exercise in record["exercises"] for check in exercise["checks"])
    return all(check["outcome"] != Outcome.COULD_NOT_CHECK for check in checks)
