"""Write the output of `grader validate --diagnosis`, as text and as data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from .diagnosis import Diagnosed, NamedCauses, Table, Verdict

FORMAT = "grader diagnosis 1"
WIDTH = 80


def diagnosis_text(diagnosed: Diagnosed) -> str:
    """Return the report for a terminal 80 columns wide."""
    lines: list[str] = []
    for table in tables(diagnosed):
        lines += [*_table(table), ""]
    for group in diagnosed.alike:
        lines += _wrapped(f"{' = '.join(group)}: no check tells them apart, each is named with it")
    lines += [f"not good enough: {text}" for text in diagnosed.failures] or ["all targets are met"]
    return "\n".join(lines)


def tables(diagnosed: Diagnosed) -> tuple[Table, ...]:
    return diagnosed.itself, diagnosed.open, diagnosed.pairs, diagnosed.variants


def _table(table: Table) -> Iterator[str]:
    shares = ", ".join(
        f"{table.count(verdict)} {verdict} ({float(table.share(verdict)):.1%})"
        for verdict in Verdict
    )
    yield f"{table.title}"
    yield f"  {len(table.rows)} answers: {shares}"
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


def diagnosis_json(diagnosed: Diagnosed) -> dict[str, Any]:
    """Return all rows of all tables as data."""
    return {
        "format": FORMAT,
        "tables": [
            {"title": table.title, "rows": [_row(row) for row in table.rows]}
            for table in tables(diagnosed)
        ],
        "alike": [list(group) for group in diagnosed.alike],
        "failures": list(diagnosed.failures),
    }


def _row(row: NamedCauses) -> dict[str, Any]:
    return {
        "id": row.id,
        "exercise": row.slug,
        "verdict": row.verdict.value,
        "causes": list(row.causes),
        "observed": row.observed,
        "note": row.note,
    }
