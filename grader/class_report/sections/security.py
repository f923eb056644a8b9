"""Say how submissions were confined, what was refused, and whom a person should look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from grader.class_report.data.class_data import ClassData, GradedRow
from grader.class_report.outline import Column, Section, Sheet, count, text
from grader.course.rubric import POLICY
from grader.grade.evidence import Outcome
from grader.report.tried import tried_in_words
from grader.text.language import _, ngettext

ID = "security"
_FULL = "full"


def security(data: ClassData) -> Section:
    """Return the section on isolation and refusals."""
    weaker = sum(one.tier != _FULL for one in data.graded)
    if weaker:
        lead = ngettext(
            "{count} submission ran with less than full isolation: grade it again on a machine "
            "where grader doctor finds nothing missing.",
            "{count} submissions ran with less than full isolation: grade these again on a machine "
            "where grader doctor finds nothing missing.",
            weaker,
        )
    else:
        lead = _("All submissions ran in full isolation.")
    return Section(
        ID,
        _("Isolation and refusals"),
        (lead,),
        tables=(
            _tiers(data),
            _texts(
                data,
                "flags",
                _("To look into"),
                _("Likely, and not certain: read the place in the code yourself."),
                _("Nothing was flagged."),
                lambda one: one.flags,
            ),
            _texts(
                data,
                "tried",
                _("Tried and refused"),
                _(
                    "Seen by the kernel or the judge, but for what its own process says. Code that "
                    "catches the refusal is not seen. Ask before you conclude anything."
                ),
                _("Nobody tried what a submission may not do, as far as that is seen."),
                lambda one: [tried_in_words(what) for what in one.tried],
            ),
            _broken_rules(data),
            _texts(
                data,
                "file-problems",
                _("Problems with files"),
                _("A part of the work may not have been loaded: ask for the file again."),
                _("All files could be read and loaded."),
                lambda one: one.problems,
            ),
        ),
    )


def _tiers(data: ClassData) -> Sheet:
    by_tier: dict[str, list[int]] = defaultdict(list)
    for one in data.graded:
        lacking = f" ({', '.join(one.weak)})" if one.weak else ""
        by_tier[f"{one.tier}{lacking}"].append(one.person)
    columns = (
        Column(_("Isolation"), _("In brackets what was missing.")),
        Column(_("Students"), is_number=True),
    )
    rows = tuple(
        (text(tier, is_warning=not tier.startswith(_FULL)), count(len(people), people))
        for tier, people in sorted(by_tier.items())
    )
    return Sheet("isolation", _("Isolation"), columns, rows)


def _texts(
    data: ClassData,
    name: str,
    title: str,
    reading: str,
    empty: str,
    texts: Callable[[GradedRow], Iterable[str]],
) -> Sheet:
    by_text: dict[str, list[int]] = defaultdict(list)
    for one in data.graded:
        for each in dict.fromkeys(texts(one)):
            by_text[each].append(one.person)
    columns = (Column(title, reading), Column(_("Students"), is_number=True))
    rows = tuple(
        (text(each), count(len(people), people))
        for each, people in sorted(by_text.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    )
    return Sheet(name, title, columns, rows, empty, shown=30)


def _broken_rules(data: ClassData) -> Sheet:
    """Return who used what the rubric bans, by check."""
    columns = (
        Column(
            _("Rule"),
            _("Does the hand-out name the rule? If many break it, it should be said more loudly."),
        ),
        Column(_("Students"), is_number=True),
        Column(_("What it asks")),
    )
    rows = tuple(
        (text(one.id), count(int(broken.sum()), data.people_of(broken)), text(one.title))
        for at, one in enumerate(data.checks)
        if one.criterion == POLICY and (broken := data.with_outcome(Outcome.FAILED)[:, at]).any()
    )
    empty = _("Nobody used what is banned.")
    return Sheet("broken-rules", _("Banned means that were used"), columns, rows, empty)
