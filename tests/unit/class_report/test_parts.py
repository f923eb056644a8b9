"""Parts of one class side by side, and addresses, both from the class list."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.batch.time_columns import RosterError
from grader.class_report.data.class_list import ClassList, class_list
from grader.class_report.data.reading import read_class
from grader.class_report.html.page import rendered
from grader.class_report.report import class_report
from grader.statistics.proportion import Proportion, newcombe
from tests.support.made_class import write_class
from tests.unit.class_report.test_sections import MANY, lines, section, table
from tests.unit.samples import RUBRIC

HEADING = "id,section,E-mail\n"


def listed(folder: Path, rows: str, by: str = "section") -> ClassList:
    path = folder / "roster.csv"
    path.write_text(HEADING + rows, encoding="utf-8")
    return class_list(read_class(write_class(folder / "one", MANY, RUBRIC), RUBRIC), path, by)


def halves() -> str:
    """Those of the class with right work in one section, all others in another; one is in none."""
    rows = [
        f"{one.student},{'tue' if one.outcomes == 'pppp' else 'thu'},{one.student}@example.org"
        for one in MANY[:-1]
    ]
    return "\n".join([*rows, f"{MANY[-1].student},,"])


def test_each_part_stands_against_all_others(tmp_path: Path) -> None:
    own = listed(tmp_path, halves())
    data = read_class(tmp_path / "one", RUBRIC)
    made = class_report(data, lambda _: ("", ""), None, own)
    marks = lines(table(made, "parts-marks"))
    assert marks["tue"][:3] == ["12", "12", "100%"]
    assert marks["thu"][:2] == ["27", "27"]
    exercises = [[cell.text for cell in row] for row in table(made, "parts-exercises").rows]
    add = next(row for row in exercises if row[:2] == ["s1.add", "tue"])
    low, high = newcombe(Proportion(12, 12), Proportion(0, 10)) or (0.0, 0.0)
    assert add[2:4] == ["100% (76%–100%)", "0% (0%–28%)"]
    assert add[4] == f"+100 ({low * 100:+.0f} … {high * 100:+.0f})"
    assert add[5] == "More than chance: find out what was different."
    mistakes = [[cell.text for cell in row] for row in table(made, "parts-mistakes").rows]
    assert ["add.minus", "thu", "30% (16%–48%)"] in [row[:3] for row in mistakes]
    assert section(made, "parts").lead[0].startswith("Each part against all others")


def test_a_part_has_its_students_and_their_addresses(tmp_path: Path) -> None:
    own = listed(tmp_path, halves())
    assert [(one.name, len(one.people)) for one in own.parts] == [("thu", 27), ("tue", 12)]
    made = class_report(read_class(tmp_path / "one", RUBRIC), lambda _: ("", ""), None, own)
    page = rendered(made)
    [row] = [row for row in table(made, "parts-marks").rows if row[0].text == "tue"]
    assert [made.people[one] for one in row[1].people or ()] == [m.student for m in MANY[:12]]
    assert f"{MANY[0].student}@example.org, {MANY[1].student}@example.org" in page


def test_without_a_column_of_addresses_none_are_shown(tmp_path: Path) -> None:
    made = class_report(
        read_class(write_class(tmp_path / "one", MANY, RUBRIC), RUBRIC), lambda _: ("", "")
    )
    assert 'class="ids mails"' not in rendered(made)
    assert 'class="ids"' in rendered(made)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("sektion", "roster.csv:1: no column 'sektion' - did you mean 'section'?"),
        ("id", "the column id makes 40 parts of this class. Name one that makes 2 to 20."),
    ],
)
def test_a_column_that_makes_no_parts_is_refused(tmp_path: Path, by: str, message: str) -> None:
    rows = "\n".join(f"{one.student},tue," for one in MANY)
    with pytest.raises(RosterError) as refused:
        listed(tmp_path, rows, by)
    assert str(refused.value).endswith(message)
