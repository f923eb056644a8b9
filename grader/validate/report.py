"""Write the output of `grader validate`, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..course.misconceptions import Misconception
from ..text.points import two_decimals
from ..text.typed import PLAIN, Typed
from .mistake_map import Mapped
from .proof import Proof
from .rules import full_points, killers_by_check
from .trials import GradedTrial, Kind

FORMAT = "grader validate 1"
WIDTH = 80
COLUMN = 6


def text_report(proof: Proof, typed: Typed = PLAIN) -> str:
    """Return the report for a terminal 80 columns wide; commands in it are as they are `typed`."""
    parts = [*_summaries(proof), *_written(proof), ""]
    for slug in proof.data.slugs:
        parts += [*_matrix(proof, slug), ""]
    if proof.mistakes:
        parts += [*_map(proof), ""]
    parts += ["not checked:", *(f"  {line}" for line in not_checked(proof)), ""]
    parts += [str(replace(gap, next=typed.ending(gap.next))) for gap in proof.gaps]
    parts += [""] * bool(proof.gaps) + [_verdict(proof)]
    return "\n".join(line.rstrip() for line in parts)


def _summaries(proof: Proof) -> Iterator[str]:
    for row in _exercises(proof):
        yield (
            f"{row['slug']}: reference {row['reference']} of {row['points']} points,"
            f" {row['checks']} checks"
        )
        yield (
            f"  {row['killed']} of {row['misconceptions']} misconceptions caught"
            f" ({row['distinct']} distinct), {row['full_marks']} of {row['variants']} variants"
            f" earn what they state, {row['blank_answers']} blank answers"
        )


def _written(proof: Proof) -> Iterator[str]:
    """Yield a line for each written answer: no suite can prove these."""
    rubric = proof.data.course.rubric
    for item in rubric.written_for(proof.data.slugs):
        yield f"{item.slug}: {two_decimals(item.points)} points by a person, a written answer"


def _matrix(proof: Proof, slug: str) -> Iterator[str]:
    """Yield the table of misconceptions by criterion: the number of checks that each fails.

    A star marks a criterion that the misconception names.
    """
    criteria = list(proof.data.exercises[slug].criteria)
    width = WIDTH - COLUMN * len(criteria)
    heads = "".join(f"{name[: COLUMN - 1]:>{COLUMN}}" for name in criteria)
    yield f"{_cut(f'{slug}, failed checks', width - 1):<{width}}{heads}"
    for each in _killers(proof, slug):
        cells = "".join(f"{_cell(each, slug, name):>{COLUMN}}" for name in criteria)
        yield f"{_cut(_short(each.trial.id, slug), width - 1):<{width}}{cells}"
    yield "  * the criterion is one that the misconception names"


def _killers(proof: Proof, slug: str) -> list[GradedTrial]:
    graded = proof.evidence.graded.values()
    kinds = (Kind.MISCONCEPTION, Kind.BLANK)
    failing = [g for g in graded if g.trial.kind in kinds and slug in g.trial.slugs]
    return sorted(failing, key=lambda g: (g.trial.kind is Kind.BLANK, g.trial.id))


def _short(id: str, slug: str) -> str:
    return id.removesuffix(f" in {slug}")


def _cell(each: GradedTrial, slug: str, criterion: str) -> str:
    count = sum(check.startswith(f"{slug}/{criterion}/") for check in each.killers)
    edited = each.trial.edited
    named = edited is not None and (slug, criterion) in edited.named
    return f"{count or '.'}{'*' if named else ' '}"


def _map(proof: Proof) -> Iterator[str]:
    covered = sum(bool(row.ids) for row in proof.mistakes)
    reasons = sum(bool(row.mistake.reason) for row in proof.mistakes)
    open = sum(bool(row.mistake.open) for row in proof.mistakes)
    yield (
        f"map of mistakes: {len(proof.mistakes)} listed, {covered} covered by entries,"
        f" {reasons} by a reason, {open} open"
    )
    for row in proof.mistakes:
        yield _cut(f"  {_cut(row.mistake.title, 34):<34}  {row.coverage}", WIDTH)


def not_checked(proof: Proof) -> list[str]:
    """Return the lines about what a green run does not prove."""
    lines = []
    open = sorted({row.mistake.open for row in proof.mistakes if row.mistake.open})
    if open:
        count = sum(bool(row.mistake.open) for row in proof.mistakes)
        lines.append(f"{count} mistakes whose exercises are to come: {', '.join(open)}")
    if not proof.mistakes:
        lines.append("whether every known mistake is covered: there is no list of them")
    if proof.data.may_earn:
        allowed = ", ".join(sorted(proof.data.may_earn))
        lines.append(f"blank answers in criteria where MAY_EARN lets them: {allowed}")
    shadowed = _never_alone(proof)
    if shadowed:
        lines.append(f"{len(shadowed)} checks that are never the only one to fail a mistake (JSON)")
    blank = _blank_only(proof)
    if blank:
        lines.append(f"{len(blank)} checks that only blank answers fail (JSON)")
    lines += [f"{' = '.join(group)}: they answer alike and count once" for group in proof.alike]
    lines.append("mistakes that nobody has listed, two mistakes at once, and other processors")
    return lines


def _verdict(proof: Proof) -> str:
    if proof.unchecked:
        return f"could not check: {proof.unchecked} checks; mend them first"
    if proof.gaps:
        return f"{len(proof.gaps)} gaps"
    return "no gaps"


def json_report(proof: Proof) -> dict[str, Any]:
    """Return everything as data, with the kill matrix in full."""
    rows = _exercises(proof)
    keys = ("checks", "misconceptions", "killed", "variants", "full_marks", "blank_answers")
    together = [g for group in proof.alike for g in group[1:]]
    mistaken = [g for g in proof.evidence.graded.values() if g.trial.kind is Kind.MISCONCEPTION]
    variants = [g for g in proof.evidence.graded.values() if g.trial.kind is Kind.VARIANT]
    return {
        "format": FORMAT,
        "course": proof.data.course.rubric.course,
        "green": proof.exit_code == 0,
        "counts": {
            "exercises": len(rows),
            "checks": sum(row["checks"] for row in rows),
            "misconceptions": len(mistaken),
            "distinct": len(mistaken) - len(together),
            "killed": sum(_is_killed(proof, g) for g in mistaken),
            "variants": len(variants),
            "full_marks": sum(_earns_its_marks(proof, g) for g in variants),
            "blank_answers": sum(row["blank_answers"] for row in rows),
            "problems": len(proof.gaps),
            "unchecked": proof.unchecked,
        },
        "written": [
            {"slug": item.slug, "points": two_decimals(item.points)}
            for item in proof.data.course.rubric.written_for(proof.data.slugs)
        ],
        "exercises": [
            {key: row[key] for key in ("slug", "points", "reference", "distinct", *keys)}
            for row in rows
        ],
        "kills": killers_by_check(proof.evidence),
        "never_the_only_one": _never_alone(proof),
        "only_blank_answers": _blank_only(proof),
        "alike": [list(group) for group in proof.alike],
        "mistakes": [_mapped(row) for row in proof.mistakes],
        "not_checked": not_checked(proof),
        "problems": [
            {"file": g.file, "line": g.line, "message": g.message, "next": g.next}
            for g in proof.gaps
        ],
    }


def _mapped(row: Mapped) -> dict[str, Any]:
    mistake = row.mistake
    return {
        "id": mistake.id,
        "title": mistake.title,
        "ids": list(row.ids),
        "reason": mistake.reason or None,
        "open": mistake.open or None,
    }


def _exercises(proof: Proof) -> list[dict[str, Any]]:
    graded = proof.evidence.graded
    rows = []
    for slug, exercise in proof.data.exercises.items():
        here = [g for g in graded.values() if slug in g.trial.slugs]
        mistaken = [g for g in here if g.trial.kind is Kind.MISCONCEPTION]
        mistaken = [g for g in mistaken if _counts_for(g, slug)]
        variants = [g for g in here if g.trial.kind is Kind.VARIANT and _counts_for(g, slug)]
        ids = {g.trial.id for g in mistaken}
        same = sum(len([id for id in group if id in ids][1:]) for group in proof.alike)
        points = graded["the reference"].points
        own = [value or Fraction(0) for (owner, _), value in points.items() if owner == slug]
        rows.append(
            {
                "slug": slug,
                "points": two_decimals(exercise.points),
                "reference": two_decimals(sum(own, Fraction(0))),
                "checks": sum(check.exercise == slug for check in proof.evidence.checks),
                "misconceptions": len(mistaken),
                "distinct": len(mistaken) - same,
                "killed": sum(_is_killed(proof, g) for g in mistaken),
                "variants": len(variants),
                "full_marks": sum(_earns_its_marks(proof, g) for g in variants),
                "blank_answers": sum(g.trial.kind is Kind.BLANK for g in here),
            }
        )
    return rows


def _counts_for(each: GradedTrial, slug: str) -> bool:
    """Tell whether an entry counts for an exercise: whether it names one of its criteria."""
    return each.trial.edited is not None and slug in dict(each.trial.edited.named)


def _is_killed(proof: Proof, each: GradedTrial) -> bool:
    """Tell whether it loses points in every criterion that it names."""
    assert each.trial.edited is not None
    full = full_points(proof.data)
    named = [key for key in each.trial.edited.named if key in each.points]
    return all(each.points[key] not in (None, full[key]) for key in named)


def _earns_its_marks(proof: Proof, each: GradedTrial) -> bool:
    assert each.trial.edited is not None
    full = full_points(proof.data)
    named = [key for key in each.trial.edited.named if key in each.points]
    return all(each.points[key] == full[key] for key in named)


def _never_alone(proof: Proof) -> list[str]:
    """Return the checks that are never the only one of their criterion to fail a misconception."""
    alone = set()
    for each in proof.evidence.graded.values():
        if each.trial.edited is not None and isinstance(each.trial.edited.entry, Misconception):
            by_criterion: dict[str, list[str]] = {}
            for check in each.killers:
                by_criterion.setdefault(check.rpartition("/")[0], []).append(check)
            alone |= {checks[0] for checks in by_criterion.values() if len(checks) == 1}
    return [check.id for check in proof.evidence.checks if check.id not in alone]


def _blank_only(proof: Proof) -> list[str]:
    mistaken = {
        check
        for each in proof.evidence.graded.values()
        if each.trial.kind is Kind.MISCONCEPTION
        for check in each.killers
    }
    killers = killers_by_check(proof.evidence)
    return [check for check, ids in killers.items() if ids and check not in mistaken]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
