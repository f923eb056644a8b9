"""Say how far the mark as a whole can be relied on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grader.class_report.data.class_data import ClassData
from grader.class_report.outline import Column, Section, Sheet, number, text
from grader.statistics.reliability import FEW, FEWEST, Reliability, cronbach, reliability
from grader.text.language import _

ID = "form"


def form(data: ClassData) -> Section:
    """Return the section with the form's reliability; no number below FEWEST results."""
    points = np.nan_to_num(data.exercise_points)
    result = reliability(points) if points.shape[1] else None
    if result is None:
        why = _(
            "Nothing is said of fewer than {fewest} results, or where all marks are the same: "
            "reliability would be chance.",
            fewest=FEWEST,
        )
        return Section(ID, _("The mark as a whole"), (why,))
    return Section(
        ID,
        _("The mark as a whole"),
        lead=tuple(_lead(data, result)),
        warning=_(
            "Fewer than {few} results: take these numbers as rough.",
            few=FEW,
        )
        if result.is_rough
        else "",
        tables=(_numbers(data, result), _dropped(data, result)),
    )


def _lead(data: ClassData, result: Reliability) -> Iterator[str]:
    yield _(
        "A mark is known to about {error} points either way ({share} of all points): do not let a "
        "grade hang on less.",
        error=f"{result.error:.1f}",
        share=f"{result.error / (data.max_points or 1.0):.0%}",
    )


def _numbers(data: ClassData, result: Reliability) -> Sheet:
    checks = data.earned.astype(np.float64)
    varies = checks.std(axis=0) > 0
    by_checks = cronbach(checks[:, varies]) if varies.sum() > 1 else None
    rows = (
        (
            text(_("alpha over exercises")),
            number(result.alpha),
            text(
                _("0.8 and more is enough to grade by. Below 0.7: more exercises, or fewer grades.")
            ),
        ),
        (
            text(_("KR-20 over checks")),
            number(by_checks),
            text(
                _("Always high, since checks of one exercise fail together: go by the one above.")
            ),
        ),
        (
            text(_("standard error of measurement")),
            number(result.error),
            text(_("In points. Two marks closer than twice this are the same mark.")),
        ),
        (
            text(_("standard deviation of the mark")),
            number(result.deviation),
            text(_("In points. The error above should be well below half of it.")),
        ),
    )
    columns = (
        Column(_("Statistic")),
        Column(_("Value"), is_number=True),
        Column(_("What to do")),
    )
    return Sheet("form", _("Reliability"), columns, rows)


def _dropped(data: ClassData, result: Reliability) -> Sheet:
    rows = tuple(
        (
            text(slug),
            number(alpha),
            text(
                _("Without it the mark would be more reliable: look at its checks first.")
                if alpha is not None and alpha > result.alpha + 0.005
                else "",
                is_warning=True,
            ),
        )
        for slug, alpha in zip(data.slugs, result.without, strict=True)
    )
    columns = (
        Column(_("Exercise")),
        Column(
            _("Alpha without it"),
            _("Above the alpha of all: this exercise measures something else."),
            is_number=True,
        ),
        Column(_("What to do")),
    )
    return Sheet("form-without", _("If an exercise were dropped"), columns, rows, is_folded=True)
