"""Each number of the page is computed anew, from letters, and must be the one that stands there.

A table or a column with numbers that nothing computes anew fails `test_no_number_is_left_out`.
"""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.class_report.data.class_data import ClassData
from grader.class_report.data.class_list import ClassList, ListedPart
from grader.class_report.data.reading import read_class
from grader.class_report.outline import ClassReport, Row, Sheet
from grader.class_report.report import class_report
from grader.class_report.sections import suite
from grader.store.store import STORE_FILE, open_store
from tests.support import class_oracle as oracle
from tests.support.class_oracle import Pupil, Table
from tests.support.made_class import CONDITIONS, Made, record_of, write_class
from tests.unit.class_report import test_marking_table, test_sections
from tests.unit.samples import RUBRIC

CAUSES = ("add.minus", "add.half", "shape.swapped", "")
BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def letter(chance: random.Random, able: float) -> str:
    if chance.random() < able:
        return "p"
    return chance.choices("fencbu", (12, 3, 3, 1, 1, 1))[0]


def pupil(number: int, chance: random.Random) -> Pupil:
    """Somebody with up to six tries, of whom the last one counts; the able earn more."""
    able = chance.uniform(0.1, 0.95)
    tries = ["".join(letter(chance, able) for _check in range(4))]
    at = [BEGIN + timedelta(hours=chance.randrange(30))]
    for _again in range(chance.choice((0, 0, 1, 2, 4, 5))):
        gains = [k if k == "p" or chance.random() < 0.7 else "p" for k in tries[-1]]
        tries.append("".join(gains))
        at.append(at[-1] + timedelta(hours=chance.randrange(1, 90)))
    causes: dict[int, str] = {}
    prints: dict[int, str] = {}
    for place, one in enumerate(tries[-1]):
        kind = chance.randrange(4)
        if one in "fc" and CAUSES[kind]:
            causes[place] = CAUSES[kind]
        if one == "f" and (kind < 3 or chance.random() < 0.4):
            prints[place] = f"1 ({kind}:{place}:4:0.1)"
    times = tuple(one.isoformat().replace("+00:00", "Z") for one in at)
    return Pupil(f"student-{number:03}", tuple(tries), times, causes, prints)


def made_up(seed: int, count: int) -> tuple[Pupil, ...]:
    chance = random.Random(seed)
    return tuple(pupil(number, chance) for number in range(1, count + 1))


HERE, LAST_YEAR, BEFORE = made_up(1, 63), made_up(2, 41), made_up(3, 37)
TUESDAY = frozenset(one.id for one in HERE[:20])


def read(folder: Path, everybody: tuple[Pupil, ...]) -> ClassData:
    """The class as `grader batch` keeps it, read as `grader report` reads it."""
    folder.mkdir()
    with open_store(folder / STORE_FILE) as store:
        for one in everybody:
            for place, letters in enumerate(one.tries[:-1]):
                made = record_of(Made(one.id, letters))
                store.keep(one.id, f"{place}", CONDITIONS, made, final=True, at=one.at[place])
    last = [Made(one.id, one.last, one.causes, one.prints, inputs="e" * 64) for one in everybody]
    times = {one.id: one.at[-1] for one in everybody}
    return read_class(write_class(folder, last, RUBRIC, at=times), RUBRIC)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> ClassReport:
    folder = tmp_path_factory.mktemp("numbers")
    here, other, before = (
        read(folder / str(place), one) for place, one in enumerate((HERE, LAST_YEAR, BEFORE))
    )
    places = {one.id: place for place, one in enumerate(here.people)}
    tuesday = ListedPart("tue", tuple(places[id] for id in sorted(TUESDAY)))
    others = ListedPart("thu", tuple(places[o.id] for o in HERE if o.id not in TUESDAY))
    listed = ClassList((others, tuesday), ())
    return class_report(here, lambda _: ("", ""), other, listed, earlier=[before])


# ---- what is compared with what ----------------------------------------------------------------


def parts_of(items: Callable[[oracle.Class], Mapping[str, tuple[int, int]]]) -> Table:
    """Each part against all others, a line for each item and part."""
    one, other = oracle.part(HERE, TUESDAY), [o for o in HERE if o.id not in TUESDAY]
    labels = "This part", "The others"
    own = oracle.compared(items(one), items(other), *labels)
    rest = oracle.compared(items(other), items(one), *labels)
    lines: Table = {(name, "tue"): row for (name,), row in own.items()}
    return lines | {(name, "thu"): row for (name,), row in rest.items()}


def compared(items: Callable[[oracle.Class], Mapping[str, tuple[int, int]]]) -> Table:
    return oracle.compared(items(HERE), items(LAST_YEAR), "This class", "The other")


def of_exercises(everybody: oracle.Class) -> Mapping[str, tuple[int, int]]:
    return oracle.of_items(everybody, oracle.exercises)


def of_mistakes(everybody: oracle.Class) -> Mapping[str, tuple[int, int]]:
    return oracle.of_mistakes(everybody, CAUSES[:2])


def compared_marks() -> Table:
    here, there = ([oracle.total(o.last) / 6.5 for o in who] for who in (HERE, LAST_YEAR))
    rows: Table = {("with a result",): _row(str(len(here)), str(len(there)), "22")}
    for label, how in (
        ("mean", statistics.fmean),
        ("standard deviation", statistics.stdev),
        ("median", statistics.median),
    ):
        one, other = how(here), how(there)
        rows[label,] = _row(oracle.share(one), oracle.share(other), f"{(one - other) * 100:+.0f}")
    return rows


def _row(here: str, there: str, by: str) -> dict[str, object]:
    return {"This class": here, "The other": there, "Difference": by}


def parts_marks() -> Table:
    rows: Table = {}
    for name, ids in (("tue", TUESDAY), ("thu", {o.id for o in HERE} - TUESDAY)):
        own = [oracle.total(one.last) / 6.5 for one in oracle.part(HERE, ids)]
        rows[name,] = {
            "Students": str(len(ids)),
            "With a result": str(len(own)),
            "Mean": oracle.share(statistics.fmean(own)),
            "SD": oracle.share(statistics.stdev(own)),
            "Median": oracle.share(statistics.median(own)),
        }
    return rows


def sensitivity() -> Table:
    """One of two checks is left in s1.add/outputs: 2.5 points or none, each as often."""
    rows: Table = {}
    for one in HERE:
        if len({one.last[k] in oracle.EARNED for k in (1, 2)}) == 2:
            rows[one.id,] = {
                "Points by checks": oracle.two(oracle.total(one.last)),
                # A hundred draws of a coin: their deviation is near that of all halves.
                "SD over halves": pytest.approx(statistics.pstdev([0.0, 2.5]), rel=0.03),
                "Of all points": pytest.approx(statistics.pstdev([0.0, 2.5]) / 6.5, rel=0.03),
            }
    return rows


ORACLES: Mapping[str, Callable[[], Table]] = {
    "marks": lambda: oracle.marks(HERE),
    "students": lambda: oracle.students(HERE),
    "mistakes": lambda: oracle.mistakes(HERE),
    "coverage": lambda: oracle.coverage(HERE),
    "unknown-groups": lambda: oracle.unknown_groups(HERE),
    "exercises": lambda: oracle.exercises(HERE),
    "criteria": lambda: oracle.criteria(HERE),
    "checks": lambda: oracle.checks(HERE),
    "form": lambda: oracle.form(HERE),
    "form-without": lambda: oracle.form_without(HERE),
    "stuck": lambda: oracle.stuck(HERE),
    "silent": lambda: oracle.silent(HERE),
    "attempts": lambda: oracle.attempts(HERE),
    "tries": lambda: oracle.tries(HERE),
    "sensitivity": sensitivity,
    "identical-numbers": lambda: oracle.identical_numbers(HERE, (LAST_YEAR, BEFORE)),
    "parts-marks": parts_marks,
    "parts-exercises": lambda: parts_of(of_exercises),
    "parts-mistakes": lambda: parts_of(of_mistakes),
    "compared-marks": compared_marks,
    "compared-exercises": lambda: compared(of_exercises),
    "compared-criteria": lambda: compared(lambda who: oracle.of_items(who, oracle.criteria)),
    "compared-mistakes": lambda: compared(of_mistakes),
}

Pinned = Callable[..., object]
BY_HAND: Mapping[str, tuple[tuple[str, ...], Pinned]] = {
    "class": (("Count",), test_sections.test_heads_are_counted),
    "never-failed": (
        ("Passed by",),
        test_sections.test_checks_that_nobody_or_nearly_everybody_fails_are_listed,
    ),
    "nearly-all-fail": (
        ("Failed by",),
        test_sections.test_checks_that_nobody_or_nearly_everybody_fails_are_listed,
    ),
    "one-check": (
        ("Alone", "Checks there"),
        test_sections.test_checks_that_nobody_or_nearly_everybody_fails_are_listed,
    ),
    "never-alone": (
        ("Failed by",),
        test_sections.test_a_check_that_never_fails_alone_names_its_companion,
    ),
    "unsteady": (
        ("Students",),
        test_sections.test_a_check_with_two_answers_to_the_same_files_is_listed,
    ),
    "isolation": (("Students",), test_sections.test_flags_and_weak_isolation_have_their_students),
    "flags": (("Students",), test_sections.test_flags_and_weak_isolation_have_their_students),
    "tried": (("Students",), test_sections.test_what_students_tried_has_its_students),
    "broken-rules": (("Students",), test_sections.test_who_broke_a_rule_is_counted),
    "file-problems": (("Students",), test_sections.test_what_students_tried_has_its_students),
    "written": (
        ("Graded", "Not yet", "Mean points", "SD", "Mean share"),
        test_sections.test_what_people_gave_is_counted,
    ),
    "adjustments": (
        ("Adjustments", "Mean points"),
        test_sections.test_what_people_gave_is_counted,
    ),
    "marking": (
        ("Marked", "Mean points", "SD", "Against others", "Equal", "Drift", "Minutes"),
        test_marking_table.test_graders_are_compared_on_answers_that_both_have_marked,
    ),
    "appeals": (
        ("Students", "Stand", "Fall", "Cannot tell"),
        test_sections.test_appeals_are_counted_by_check_with_who_made_them,
    ),
}
"""Tables whose numbers a test pins that counted a few students by hand: headings, and the test."""


def words(report: ClassReport, sheet: Sheet, row: Row) -> tuple[str, ...]:
    """What tells a row from the others of its table."""
    if sheet.name == "identical-numbers":
        return row[0].text, ", ".join(report.people[one] for one in row[1].people or ())
    others = {"parts-exercises": 1, "parts-mistakes": 1, "unknown-groups": 6}
    more = others.get(sheet.name)
    return (row[0].text,) if more is None else (row[0].text, row[more].text)


def headings(sheet: Sheet) -> tuple[str, ...]:
    """The columns with a number: written, or drawn as the fifths of a class are."""
    return tuple(
        column.heading
        for at, column in enumerate(sheet.columns)
        if column.is_number or any(row[at].strip for row in sheet.rows)
    )


def numbers(report: ClassReport, sheet: Sheet) -> Table:
    """Each row of a table with its numbers; those to sort by where a test knows them roughly."""
    own = headings(sheet)
    places = {one.heading: at for at, one in enumerate(sheet.columns)}
    is_rough = sheet.name == "sensitivity"
    return {
        words(report, sheet, row): {
            one: row[places[one]].sort if is_rough and one != own[0] else row[places[one]].text
            for one in own
        }
        for row in sheet.rows
    }


def sheets(report: ClassReport) -> dict[str, Sheet]:
    return {one.name: one for part in report.sections for one in part.tables}


@pytest.mark.parametrize("name", ORACLES)
def test_every_number_of_a_table_is_that_of_another_computation(
    report: ClassReport, name: str
) -> None:
    expected = ORACLES[name]()
    assert numbers(report, sheets(report)[name]) == expected
    assert expected


def test_no_number_is_left_out(tmp_path: Path, report: ClassReport) -> None:
    """A new table or column has to be computed anew above, or be pinned by a test named there."""
    every = {**sheets(report), **sheets(test_sections.with_people(tmp_path))}
    by_hand = {name: own for name, (own, _test) in BY_HAND.items()}
    anew = {name: tuple(next(iter(ORACLES[name]().values()))) for name in ORACLES}
    found = {name: headings(sheet) for name, sheet in every.items() if headings(sheet)}
    assert {name: set(own) for name, own in found.items()} == {
        name: set(own) for name, own in {**by_hand, **anew}.items()
    }
    assert not by_hand.keys() & anew.keys()


def test_the_numbers_that_are_drawn_or_said_are_those_of_the_tables(report: ClassReport) -> None:
    section = {one.id: one for one in report.sections}
    bars, scatter = section["class"].bars, section["scatter"].scatter
    assert bars is not None
    assert scatter is not None
    assert list(bars.counts) == oracle.bars(HERE)
    means = [oracle.total(one.last) / 6.5 for one in HERE]
    assert dict(bars.marks) == pytest.approx(
        {"mean": statistics.fmean(means), "median": statistics.median(means)}
    )
    criteria = oracle.criteria(HERE)
    assert {dot.label: (oracle.share(dot.x), oracle.two(dot.y)) for dot in scatter.dots} == {
        name: (row["Mean"], row["Item-rest"]) for (name,), row in criteria.items()
    }
    again, usual = [len(one.tries) > 1 for one in HERE], [len(one.tries) for one in HERE]
    assert (
        section["attempts"]
        .lead[0]
        .startswith(
            f"{sum(again)} students handed in more than once; the median number of tries is "
            f"{statistics.median(usual):g}."
        )
    )
    error = float(str(oracle.form(HERE)["standard error of measurement",]["Value"]))
    assert f"to about {error:.1f} points either way ({error / 6.5:.0%}" in section["form"].lead[0]


def test_the_numbers_of_a_card_are_those_of_its_mistake(report: ClassReport) -> None:
    cards = next(one for one in report.sections if one.id == "mistakes").cards
    every = oracle.mistakes(HERE)
    assert len(cards) == len(every)
    for card in cards:
        cause = card.title.removesuffix("!")
        row, who = every[cause,], oracle.having(HERE, cause)
        assert card.count.text == f"{row['Students']} students, {row['Share']}"
        lost = statistics.fmean(oracle.lost_by(one, cause) for one in who)
        assert dict(card.lines)["Costs"].startswith(f"{lost:.1f} points each on average")
        assert card.fifths is not None
        assert card.fifths.text == oracle.fifths(HERE, lambda one, who=who: float(one in who))  # type: ignore[misc]


def test_the_line_on_random_halves_is_of_quantiles_over_the_class(tmp_path: Path) -> None:
    """Everybody has one of two checks that are worth 2.5: their marks move by 1.25 points."""
    data = read(
        tmp_path / "one", tuple(replace(one, tries=("pfpp",), at=one.at[:1]) for one in HERE)
    )
    moves = suite.halves(data)
    assert moves is not None
    said = re.findall(r"[0-9]+[.][0-9]", suite.sensitivity_line(data, moves))
    usual, high, most = map(float, said)
    assert (usual, high, most) == pytest.approx((1.25, 1.25, 6.5), abs=0.1)
