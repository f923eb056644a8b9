"""Name the columns of the tables of exercises, criteria and checks, and say how to read each."""

from __future__ import annotations

from grader.class_report.outline import Column
from grader.text.language import _


def first_columns() -> tuple[Column, ...]:
    """Return the columns that each of the tables begins with."""
    return (
        Column(_("Name")),
        Column(
            _("Facility"),
            _(
                "Who has all of it, with Wilson's 95 % interval. Low: teach it again, unless the "
                "correlation says that the check is at fault."
            ),
            is_number=True,
        ),
        Column(
            _("Item-rest"),
            _(
                "The correlation with the mark without it. Below 0.2 it tells little; clearly "
                "below 0 look at the check, not at the students."
            ),
            is_number=True,
        ),
        Column(
            _("Fifths"),
            _(
                "The mean in each fifth of the class, lowest marks on the left. It should rise; "
                "where it jumps is who has understood it."
            ),
        ),
        Column(_("What to do")),
        Column(
            _("Judged"),
            _("Students whose own work it judged. Few: the numbers beside it are rough."),
            is_number=True,
        ),
        Column(_("Not all"), _("Who was judged and lacks some of it."), is_number=True),
        Column(_("Mean"), _("The mean share of it that was earned."), is_number=True),
        Column(
            _("SD"),
            _("The standard deviation of that share. Near 0: it tells nobody apart."),
            is_number=True,
        ),
    )


def worth_columns() -> tuple[Column, ...]:
    """Return the columns on what an item is worth."""
    return (
        Column(
            _("Of all points"),
            _("Its part of all points that were awarded. Far above its weight: points come cheap."),
            is_number=True,
        ),
        Column(_("Weight"), _("Its part of all points in the rubric."), is_number=True),
        Column(
            _("Effective"),
            _(
                "Its part of what makes marks differ. Far from its weight: give it other points, "
                "or leave it as it is on purpose. Below 0 it works against the rest."
            ),
            is_number=True,
        ),
    )


def last_columns() -> tuple[Column, ...]:
    """Return the columns on those whose work it did not judge."""
    return (
        Column(_("Not tried"), _("Many: was there time for it?"), is_number=True),
        Column(
            _("Waits"),
            _("Blocked by a prerequisite: help with that first."),
            is_number=True,
        ),
        Column(
            _("Carried"),
            _("The mistake has cost its points elsewhere: nothing to teach here."),
            is_number=True,
        ),
        Column(_("Not checked"), _("Our fault: run grader batch again."), is_number=True),
    )
