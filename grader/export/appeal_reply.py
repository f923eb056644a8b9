"""Draft the reply to an appeal, in the student's language.

It says what the student's own report says, and nothing else of hidden checks.
"""

from __future__ import annotations

from grader.batch.appeal_file import Appeal
from grader.batch.ruling import Ruling
from grader.export.words import criterion_in_words
from grader.report.content import Report
from grader.text.language import _, ngettext


def drafted_reply(appeal: Appeal, ruling: Ruling, times: int, report: Report | None) -> str:
    """Return the reply; `report` is what the student may read of the last replay, if any."""
    # Of a hidden check the name is for staff alone; the criterion stands in every report.
    about = f"{appeal.slug}/{appeal.criterion}"
    again = ngettext("Your code was run once more.", "Your code was run {count} more times.", times)
    if ruling is Ruling.STANDS:
        right = _("It passed each time. You are right, and your points will be corrected.")
        return "\n\n".join((_about(about), f"{again} {right}"))
    if ruling is Ruling.CANNOT_TELL:
        unclear = _(
            "That did not decide it. A person will look at your code, and you will hear from us."
        )
        return "\n\n".join((_about(about), f"{again} {unclear}"))
    same = _("The checks that you had lost did not pass. This is what they say:")
    ending = _(
        "If you still disagree, answer with an input, the values that you get, and those that you "
        "expect."
    )
    return "\n\n".join((_about(about), f"{again} {same}", _words(appeal, report), ending))


def _about(check: str) -> str:
    return _("About {check}: your claim was tried.", check=check)


def _words(appeal: Appeal, report: Report | None) -> str:
    for part in report.exercises if report else ():
        for grade in part.grade.criteria:
            if (part.exercise.slug, grade.criterion) == (appeal.slug, appeal.criterion):
                return criterion_in_words(part, grade)
    return ""
