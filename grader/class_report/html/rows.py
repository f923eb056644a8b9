"""Write the rows of a table: a page has ten thousand cells, and a template takes long for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from markupsafe import Markup, escape

from grader.class_report.html.people_lists import PeopleLists
from grader.class_report.outline import Row, Sheet, TableCell

WORDS = 24
"""A cell with a longer text than this may break its line."""
Drawing = Callable[[object], str]
"""A macro of the templates that draws one value."""
Clean = Callable[[object], object]


class RowWriter:
    """Writes rows as `parts.html` would: texts are cleaned and escaped one by one."""

    def __init__(self, clean: Clean) -> None:
        self._clean = clean

    def written(
        self, sheet: Sheet, lists: PeopleLists, strip: Drawing, interval: Drawing
    ) -> Markup:
        """Return the rows of a table that the page shows, a line each."""
        is_number = [column.is_number for column in sheet.columns]
        rows = (
            "".join(self._row(row, is_number, lists, strip, interval))
            for row in sheet.rows[: sheet.shown]
        )
        return Markup("\n".join(rows))

    def _row(
        self,
        row: Row,
        is_number: list[bool],
        lists: PeopleLists,
        strip: Drawing,
        interval: Drawing,
    ) -> Iterator[str]:
        yield f'<tr><th scope="row">{self._text(row[0])}</th>'
        for cell, is_figure in zip(row[1:], is_number[1:], strict=True):
            kind = ' class="number"' if is_figure else _words(cell)
            sort = cell.sort
            sorting = f' data-sort="{sort}"' if isinstance(sort, (int, float)) else ""
            value = strip(cell) if cell.strip else self._value(cell, lists, interval)
            yield f"<td{kind}{sorting}>{value}</td>"
        yield "</tr>"

    def _value(self, cell: TableCell, lists: PeopleLists, interval: Drawing) -> str:
        text = self._text(cell)
        if cell.people or cell.interval:
            drawn = interval(cell.interval) if cell.interval else ""
            link = f'<a href="#{lists.name_of(cell.people)}">{text}</a>' if cell.people else text
            return f"{link}{drawn}"
        if cell.is_warning and cell.text:
            return (
                '<span class="caution-text"><span class="sign" aria-hidden="true">!</span>'
                f"{text}</span>"
            )
        return text

    def _text(self, cell: TableCell) -> str:
        return str(escape(self._clean(cell.text)))


def _words(cell: TableCell) -> str:
    return ' class="words"' if len(cell.text) > WORDS and not cell.strip else ""
