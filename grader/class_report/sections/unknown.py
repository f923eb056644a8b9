"""Show who wrote the same wrong function for which there is no name, and how much is explained."""

from __future__ import annotations

from grader.class_report.data.class_data import ClassData
from grader.class_report.data.mistakes import Lookalikes, MistakeCounts
from grader.class_report.outline import Column, Section, Sheet, TableCell, count, proportion, text
from grader.statistics.proportion import Proportion
from grader.text.language import _

ID = "unknown"


def unknown(data: ClassData, counts: MistakeCounts) -> Section:
    """Return the section with groups that have the same wrong numbers and no name for them."""
    return Section(
        ID,
        _("Mistakes without a name"),
        lead=(
            coverage_line(counts),
            _(
                "Below: students whose code computes the same wrong numbers. Read one of each "
                "group, biggest first, or have `grader lens` search for the edit that they made; "
                "what you find is worth an entry in mistakes.diff, and has a name, hints and a bar "
                "of its own from then on."
            ),
        ),
        tables=(_coverage(data, counts), _groups(data, counts)),
    )


def biggest_line(data: ClassData, counts: MistakeCounts) -> str:
    """Say how many have the most frequent wrong function without a name, and what to do."""
    group = counts.unknown[0]
    explained = data.explained.get((group.slug, _failed(data, group)))
    if explained and explained.edit:
        return _(
            "{count} students made the same mistake, which has no name yet: {edit}. Give it one: "
            "grader lens --write",
            count=len(group.rows),
            edit=explained.edit,
        )
    return _(
        "Read one of {count} students who compute the same wrong numbers in {slug}, for which "
        "there is no name.",
        count=len(group.rows),
        slug=group.slug,
    )


def coverage_line(counts: MistakeCounts) -> str:
    """Say how many of all failed checks are named, seen and unexplained."""
    known = counts.coverage
    if not known.all:
        return _("No check failed.")
    return _(
        "Of {count} failed checks {named} are named, {seen} seen, {rest} unexplained.",
        count=known.all,
        named=f"{known.named / known.all:.0%}",
        seen=f"{known.seen / known.all:.0%}",
        rest=f"{known.unexplained / known.all:.0%}",
    )


def _coverage(data: ClassData, counts: MistakeCounts) -> Sheet:
    known = counts.coverage
    rows_of = counts.by_knowledge

    def line(label: str, many: int, rows: list[int], advice: str) -> tuple[TableCell, ...]:
        behind = data.people_of(sorted({*rows}))
        share = proportion(Proportion(many, known.all))
        return text(label), count(many, behind), share, text(advice)

    lines = (
        line(
            _("named"),
            known.named,
            rows_of.named,
            _("A known mistake reproduces the numbers: these students are told what it is."),
        ),
        line(
            _("seen"),
            known.seen,
            rows_of.seen,
            _("They are told what is seen, such as swapped axes or an exception, and not why."),
        ),
        line(
            _("unexplained"),
            known.unexplained,
            rows_of.unexplained,
            _("These students are told nothing but the difference: look here first."),
        ),
    )
    columns = (
        Column(_("Failed checks")),
        Column(_("Count"), is_number=True),
        Column(_("Share"), is_number=True),
        Column(_("What to do")),
    )
    return Sheet("coverage", _("How much is explained"), columns, lines if known.all else ())


def _groups(data: ClassData, counts: MistakeCounts) -> Sheet:
    columns = (
        Column(_("Exercise")),
        Column(
            _("Students"),
            _("Who computes the same wrong numbers. Three or more: worth a name."),
            is_number=True,
        ),
        Column(_("Share"), is_number=True),
        Column(_("Failed checks"), is_number=True),
        Column(_("Pattern"), _("What is seen where no mistake is known.")),
        Column(_("Observed by the first check")),
        Column(_("To look at"), _("Type it: it shows the evidence of one of them.")),
        Column(_("The same as"), _("An edit of the reference, or two, that computes the same.")),
        Column(_("Smallest input"), _("Do it by hand on the board: it shows the difference.")),
    )
    rows = tuple(_row(data, group) for group in counts.unknown)
    empty = _("No two students have the same wrong numbers without a name for it.")
    title = _("Same wrong function, no name")
    return Sheet("unknown-groups", title, columns, rows, empty, shown=25)


def _failed(data: ClassData, group: Lookalikes) -> frozenset[tuple[str, str]]:
    return frozenset((data.checks[check].id, print_) for check, print_ in group.signature)


def _row(data: ClassData, group: Lookalikes) -> tuple[TableCell, ...]:
    people = data.people_of(group.rows)
    sample = data.people[people[0]].id
    explained = data.explained.get((group.slug, _failed(data, group)))
    return (
        text(group.slug),
        count(len(people), people),
        proportion(Proportion(len(people), len(data.graded))),
        count(len(group.checks)),
        text(", ".join(group.causes)),
        text(group.observed),
        text(f"grader why {sample} {group.slug}"),
        text(explained.edit if explained else ""),
        text(explained.smallest_input if explained else ""),
    )
