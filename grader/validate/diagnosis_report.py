"""What `grader validate --diagnosis` prints, and the same as data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from .diagnosis import Diagnosed, Said, Table, Verdict

FORMAT = "grader diagnosis 1"
WIDTH = 80


def diagnosis_text(found: Diagnosed) -> str:
    """For a terminal 80 columns wide."""
    lines: list[str] = []
    for table in tables(found):
        lines += [*_table(table), ""]
    for group in found.alike:
        lines += _wrapped(f"{' = '.join(group)}: no check tells them apart, each is named with it")
    lines += [f"not as it has to be: {text}" for text in found.failures] or ["all as it has to be"]
    return "\n".join(lines)


def tables(found: Diagnosed) -> tuple[Table, ...]:
    return found.itself, found.open, found.pairs, found.variants


def _table(table: Table) -> Iterator[str]:
    told = ", ".join(
        f"{table.count(verdict)} {verdict} ({float(table.share(verdict)):.1%})"
        for verdict in Verdict
    )
    yield f"{table.title}"
    yield f"  {len(table.rows)} answers: {told}"
    for row in table.of(Verdict.WRONG):
        yield from _wrapped(f"wrong   {row.slug}  {row.id}: {', '.join(row.causes)}")
    for row in table.rows if table.title.startswith("self") else ():
        if row.verdict is Verdict.SILENT:
            why = f" ({row.note})" if row.note else ""
            yield from _wrapped(f"silent  {row.slug}  {row.id}: {row.observed}{why}")
    for row in table.rows:
        if row.note and row.verdict is not Verdict.SILENT:
            yield from _wrapped(f"note    {row.slug}  {row.id}: {row.note}")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent="  ", subsequent_indent=" " * 10, break_on_hyphens=False
    )


def diagnosis_json(found: Diagnosed) -> dict[str, Any]:
    """All rows of all tables."""
    return {
        "format": FORMAT,
        "tables": [
            {"title": table.title, "rows": [_row(row) for row in table.rows]}
            for table in tables(found)
        ],
        "alike": [list(group) for group in found.alike],
        "failures": list(found.failures),
    }


def _row(row: Said) -> dict[str, Any]:
    return {
        "id": row.id,
        "exercise": row.slug,
        "verdict": row.verdict.value,
        "causes": list(row.causes),
        "observed": row.observed,
        "note": row.note,
    }
