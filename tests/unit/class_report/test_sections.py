"""What a class report says, section by section, and the files of its tables."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.gradebook import Row
from grader.batch.summary import NOTHING
from grader.class_report.data.class_data import CODES, WrittenPoints
from grader.class_report.data.lens_file import LENS_FILE
from grader.class_report.data.marked_answers import MarkedAnswer
from grader.class_report.data.reading import read_class
from grader.class_report.outline import ClassReport, Section, Sheet, number
from grader.class_report.report import class_report
from grader.class_report.tables import csv_files
from grader.course.rubric import POLICY
from grader.grade.evidence import Outcome, Tried
from grader.store.appeal_table import KeptAppeal
from grader.store.store import STORE_FILE, Adjustment, open_store
from tests.support.made_class import Made, write_class
from tests.unit.samples import RUBRIC

SAME = {1: "1 (2:0:4:0.1)", 2: "1 (3:0:4:0.1)"}
PAIR = tuple(Made(f"student-9{n}", "pffp", {}, SAME, observed="=1+1 differs") for n in (1, 2))
MANY = (
    *(Made(f"student-1{n:02}", "pppp") for n in range(12)),
    *(Made(f"student-2{n:02}", "pfpf", {1: "add.minus"}) for n in range(8)),
    *(Made(f"student-3{n:02}", "nnnn") for n in range(18)),
    *PAIR,
)


def report(
    folder: Path, made: tuple[Made, ...] = MANY, other: tuple[Made, ...] = ()
) -> ClassReport:
    absent = Row("student-999", problem=NOTHING)
    data = read_class(write_class(folder / "one", made, RUBRIC, (absent,)), RUBRIC)
    if not other:
        return class_report(data, lambda cause: (f"why {cause}", "a + b"))
    return class_report(
        data, lambda _: ("", ""), read_class(write_class(folder / "two", other, RUBRIC), RUBRIC)
    )


def section(report: ClassReport, id: str) -> Section:
    return next(one for one in report.sections if one.id == id)


def table(report: ClassReport, name: str) -> Sheet:
    return next(one for part in report.sections for one in part.tables if one.name == name)


def lines(sheet: Sheet) -> dict[str, list[str]]:
    return {row[0].text: [cell.text for cell in row[1:]] for row in sheet.rows}


def test_heads_are_counted(tmp_path: Path) -> None:
    counts = lines(table(report(tmp_path), "class"))
    assert counts["on the list"][0] == "41"
    assert counts["handed in nothing"][0] == "1"
    assert counts["with a result"][0] == "40"
    assert lines(table(report(tmp_path / "again"), "marks"))["no points at all"][0] == "18 (45%)"


def test_a_number_knows_its_students(tmp_path: Path) -> None:
    made = report(tmp_path)
    [row] = [row for row in table(made, "class").rows if row[0].text == "handed in nothing"]
    assert [made.people[one] for one in row[1].people or ()] == ["student-999"]


def test_two_peaks_are_said(tmp_path: Path) -> None:
    assert "two peaks" in section(report(tmp_path), "class").warning


def test_an_item_is_judged_by_those_who_tried(tmp_path: Path) -> None:
    exercises = lines(table(report(tmp_path), "exercises"))
    # 12 of the 22 who tried have all of s1.add; Wilson's interval is 35 to 73 %.
    assert exercises["s1.add"][0] == "55% (35%–73%)"
    assert exercises["s1.add"][4:6] == ["22", "10"]
    assert exercises["s1.add"][11] == "18"


def test_a_check_of_a_criterion_that_is_all_or_nothing_gives_no_points_alone(
    tmp_path: Path,
) -> None:
    made = read_class(write_class(tmp_path, MANY, RUBRIC), RUBRIC)
    first, second, third = made.criteria
    whole = replace(made, criteria=(first, replace(second, all_or_nothing=True), third))
    checks = lines(table(class_report(whole, lambda _: ("", "")), "checks"))
    own = [checks[made.checks[k].id][8:11] for k in second.checks]
    assert own == [["–", "–", "–"]] * 2
    # The other two are worth 1 and 3 of 6.5 points.
    rest = [checks[made.checks[k].id][9] for one in (first, third) for k in one.checks]
    assert rest == ["15.38%", "46.15%"]


def test_correlations_need_enough_students(tmp_path: Path) -> None:
    few = report(tmp_path, MANY[6:24])
    assert "Fewer than 20 results" in section(few, "exercises").warning
    assert lines(table(few, "exercises"))["s1.add"][1] == "–"
    assert section(few, "scatter").scatter is None
    assert section(few, "form").tables == ()
    assert section(few, "integrity").tables == ()


def test_reliability_of_fewer_than_a_hundred_has_a_warning(tmp_path: Path) -> None:
    form = section(report(tmp_path), "form")
    assert "Fewer than 100" in form.warning
    assert lines(form.tables[0])["standard error of measurement"][0] != "–"


def test_the_most_frequent_mistake_comes_first(tmp_path: Path) -> None:
    made = report(tmp_path)
    [card] = section(made, "mistakes").cards
    assert card.title == "add.minus!"
    assert card.count.text == "8 students, 20% (10%–35%)"
    assert ("Say in the lecture", "why add.minus") in card.lines
    assert made.summary[0] == ("Teach again: add.minus! (8 students, 20%)", "mistakes")


def test_the_same_wrong_function_without_a_name_is_a_group(tmp_path: Path) -> None:
    [row] = table(report(tmp_path), "unknown-groups").rows
    assert [cell.text for cell in row[:2]] == ["s1.add", "2"]
    assert row[6].text == "grader why student-91 s1.add"


def test_coverage_is_one_line(tmp_path: Path) -> None:
    lead = section(report(tmp_path), "unknown").lead[0]
    assert lead == "Of 20 failed checks 40% are named, 0% seen, 60% unexplained."


def test_identical_rare_numbers_have_their_base_rate_and_no_similarity(tmp_path: Path) -> None:
    integrity = section(report(tmp_path), "integrity")
    [row] = integrity.tables[0].rows
    assert row[3].text == "5% (1%–17%)"
    assert row[2].text == "0"
    assert "prove nothing" in integrity.lead[0].replace("\n", " ")
    assert not any("similar" in text for text in (*integrity.lead, integrity.title))


def test_a_rare_mistake_has_its_rate_in_the_class_compared_with(tmp_path: Path) -> None:
    made = report(tmp_path, MANY, (*PAIR, *MANY[:18]))
    [row] = section(made, "integrity").tables[0].rows
    # Those two of PAIR, of 20: the same failed checks with the same numbers.
    assert row[4].text == "10% (3%–30%)"


def test_a_card_says_what_a_mistake_costs_and_who_has_it(tmp_path: Path) -> None:
    [card] = section(report(tmp_path), "mistakes").cards
    # A check of two that are worth 2.5 points.
    assert ("Costs", "1.2 points each on average, first in s1.add") in card.lines
    # 40 students in fifths of eight: 18 have nothing, the 8 with the mistake and 2 come next.
    assert card.fifths is not None
    assert card.fifths.strip == (0.0, 0.0, 0.75, 0.25, 0.0)


def test_what_the_lens_saw_stands_beside_its_group(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    write_class(folder, MANY, RUBRIC)
    found = {
        "exercise": "s1.add",
        "failed": {"s1.add/outputs/one": SAME[1], "s1.add/outputs/two": SAME[2]},
        "edits": ["s1_sums.add: line 3: another sign: a + b -> a - b"],
        "smallest_input": "add(a, b), a = [1], b = [1]",
    }
    (folder / LENS_FILE).write_text(json.dumps({"groups": [found]}), encoding="utf-8")
    made = class_report(read_class(folder, RUBRIC), lambda _: ("", ""))
    [row] = table(made, "unknown-groups").rows
    assert [cell.text for cell in row[7:]] == [
        "s1_sums.add: line 3: another sign: a + b -> a - b",
        "add(a, b), a = [1], b = [1]",
    ]


def test_a_check_with_two_answers_to_the_same_files_is_listed(tmp_path: Path) -> None:
    twice = (
        Made("student-001", "pfpp"),
        Made("student-001", "pppu"),
        Made("student-002", "pfpp", inputs="1" * 64),
        Made("student-002", "pppp", inputs="2" * 64),
    )
    made = report(tmp_path, twice)
    assert lines(table(made, "unsteady")) == {
        "s1.add/outputs/one": ["1", "Title of s1.add/outputs/one."]
    }


def test_who_was_silent_for_a_week_with_points_to_gain_is_listed(tmp_path: Path) -> None:
    days = {"student-001": "01", "student-002": "01", "student-003": "20"}
    made = [Made("student-001", "pfpp"), Made("student-002", "pppp"), Made("student-003", "pfpp")]
    folder = write_class(tmp_path, (), RUBRIC)
    write_class(
        folder, made, RUBRIC, at={id: f"2026-03-{day}T12:00:00Z" for id, day in days.items()}
    )
    found = class_report(read_class(folder, RUBRIC), lambda _: ("", ""))
    assert lines(table(found, "silent")) == {"student-001": ["19", "1", "5.25"]}


def test_checks_that_nobody_or_nearly_everybody_fails_are_listed(tmp_path: Path) -> None:
    made = report(tmp_path, MANY[12:20])
    assert [*lines(table(made, "never-failed"))] == ["s1.add/shapes/one", "s1.add/outputs/two"]
    assert [*lines(table(made, "nearly-all-fail"))] == ["s1.add/outputs/one", "s2.mean/outputs/one"]
    assert [*lines(table(made, "one-check"))] == ["s1.add/outputs/one"]


def test_a_check_that_never_fails_alone_names_its_companion(tmp_path: Path) -> None:
    made = report(tmp_path, tuple(Made(f"student-{n}", "pffp") for n in range(5)))
    assert lines(table(made, "never-alone")) == {"s1.add/outputs/two": ["5", "one"]}


def test_who_gains_nothing_in_three_tries_is_stuck(tmp_path: Path) -> None:
    tries = [Made("student-001", "pfpp", inputs=f"{n}" * 64) for n in range(4)]
    gains = [
        Made("student-002", made, inputs=f"{n}" * 64) for n, made in enumerate(("nnnn", "pppp"))
    ]
    made = report(tmp_path, (*tries, *gains))
    assert [*lines(table(made, "stuck"))] == ["student-001"]
    by_exercise = lines(table(made, "attempts"))
    assert by_exercise["s1.add"][:2] == ["1", "2.0"]
    assert by_exercise["s1.add"][3:] == ["32%", "82%"]
    assert lines(table(made, "tries"))["2"][2] == "3.25"


def test_a_regrade_is_no_second_try(tmp_path: Path) -> None:
    made = report(tmp_path, (Made("student-001", "pfpp"), Made("student-001", "pppp")))
    assert section(made, "attempts").tables == ()


def test_flags_and_weak_isolation_have_their_students(tmp_path: Path) -> None:
    made = report(tmp_path, (Made("student-001", "pppp", flags=("uses eval",), tier="partial"),))
    assert lines(table(made, "flags")) == {"uses eval": ["1"]}
    assert "less than full isolation" in section(made, "security").lead[0]


def test_two_classes_stand_side_by_side(tmp_path: Path) -> None:
    made = report(tmp_path, MANY, MANY[:12])
    exercises = lines(table(made, "compared-exercises"))
    assert exercises["s1.add"][2].startswith("-45 (")
    assert "find out what was different" in exercises["s1.add"][3]
    assert lines(table(made, "compared-mistakes"))["add.minus"][:2] == [
        "20% (10%–35%)",
        "0% (0%–24%)",
    ]


def test_a_class_without_results_says_so(tmp_path: Path) -> None:
    made = report(tmp_path, ())
    assert made.summary == (("Nobody has a result yet.", "class"),)
    assert [one.id for one in made.sections] == ["class"]


def test_every_table_is_a_file_with_the_students_of_each_number(tmp_path: Path) -> None:
    made = report(tmp_path)
    files = dict(csv_files(made))
    assert len(files) == sum(len(one.tables) for one in made.sections)
    rows = list(csv.DictReader(io.StringIO(files["unknown-groups.csv"].removeprefix("\ufeff"))))
    assert rows[0]["Students: id"] == "student-91 student-92"


def test_no_cell_of_a_file_is_a_formula(tmp_path: Path) -> None:
    files = dict(csv_files(report(tmp_path)))
    cells = [
        cell
        for content in files.values()
        for row in csv.reader(io.StringIO(content.removeprefix("\ufeff")))
        for cell in row
    ]
    assert "'=1+1 differs" in cells
    assert not [cell for cell in cells if cell[:1] in ("=", "@", "+")]


@pytest.mark.parametrize("name", ["exercises", "criteria", "mistakes", "stuck", "attempts"])
def test_each_number_says_what_to_do_about_it(tmp_path: Path, name: str) -> None:
    tries = [Made("student-001", "pfpp", inputs=f"{n}" * 64) for n in range(4)]
    made = report(tmp_path, (*MANY, *tries))
    assert table(made, name).has_readings


def test_appeals_are_counted_by_check_with_who_made_them(tmp_path: Path) -> None:
    out = write_class(tmp_path, MANY, RUBRIC)
    rulings = (("student-101", "stands"), ("student-101", "falls"), ("student-gone", "cannot tell"))
    with open_store(out / STORE_FILE) as store:
        for student, ruling in rulings:
            store.keep_appeal(KeptAppeal(student, "s1.add/outputs", "It adds.", ruling, "", ""))
        store.keep_appeal(KeptAppeal("student-102", "s2.mean/outputs", "=1", "falls", "", ""))

    made = class_report(read_class(out, RUBRIC), lambda cause: ("", ""))

    sheet = table(made, "appeals")
    assert lines(sheet) == {
        "s1.add/outputs": ["1", "1", "1", "1"],
        "s2.mean/outputs": ["1", "0", "1", "0"],
    }
    assert [made.people[one] for one in sheet.rows[0][1].people or ()] == ["student-101"]


def test_a_mistake_says_where_it_came_up_again(tmp_path: Path) -> None:
    again = tuple(Made(f"student-4{n}", "pfpc", {1: "add.minus", 3: "add.minus"}) for n in range(2))
    made = report(tmp_path, (*MANY, *again))
    [row] = table(made, "mistakes").rows
    assert [cell.text for cell in row[5:7]] == ["2", "s2.mean"]
    [card] = section(made, "mistakes").cards
    assert dict(card.lines)["Costs"].endswith(
        "; 2 have it once more in s2.mean, where it costs nothing"
    )


def test_who_was_graded_again_by_hand_is_counted(tmp_path: Path) -> None:
    folder = write_class(tmp_path, MANY, RUBRIC, forced=("student-101", "student-102"))
    made = class_report(read_class(folder, RUBRIC), lambda _: ("", ""))
    [row] = [row for row in table(made, "class").rows if row[0].text == "graded again by hand"]
    assert [made.people[one] for one in row[1].people or ()] == ["student-101", "student-102"]
    remarks = {row[0].text: row[4].text for row in table(made, "students").rows}
    assert remarks["student-101"] == "graded again by hand: a broken machine (TA 1)"


def test_a_rare_mistake_has_its_rate_in_all_earlier_classes(tmp_path: Path) -> None:
    data, *earlier = (
        read_class(write_class(tmp_path / name, made, RUBRIC), RUBRIC)
        for name, made in (("now", MANY), ("one", (*PAIR, *MANY[:18])), ("two", MANY[:20]))
    )
    made = class_report(data, lambda _: ("", ""), earlier=earlier)
    [row] = section(made, "integrity").tables[0].rows
    # The two of PAIR in the first of them, nobody in the second: 2 of 40.
    assert row[4].text == "5% (1%–17%)"


def test_the_first_lines_say_what_to_teach_and_whom_to_read(tmp_path: Path) -> None:
    made = report(tmp_path)
    assert [line for line, _section in made.summary[:2]] == [
        "Teach again: add.minus! (8 students, 20%)",
        "Read one of 2 students who compute the same wrong numbers in s1.add, for which there is "
        "no name.",
    ]


def with_people(folder: Path) -> ClassReport:
    """A class with answers in words, an adjustment, an appeal, refusals and broken rules."""
    data = read_class(write_class(folder / "people", MANY[:3], RUBRIC), RUBRIC)
    written = tuple(
        WrittenPoints(place, "s1.why", points, 4.0) for place, points in enumerate((1.0, 4.0, None))
    )
    given = [Adjustment(id, "", Fraction(by), Fraction(6), why, "TA 1") for id, by, why in GIVEN]
    people = tuple(
        replace(one, adjustments=tuple(each for each in given if each.student == one.id))
        for one in data.people
    )
    graded = tuple(
        replace(one, tried=(Tried.FILE,) if place < 2 else (), problems=("cut off",) * (place == 0))
        for place, one in enumerate(data.graded)
    )
    ruled = replace(data.checks[0], criterion=POLICY)
    codes = data.codes.copy()
    codes[:2, 0] = CODES[Outcome.FAILED]
    appeal = KeptAppeal("student-100", "s1.add/outputs", "It adds.", "stands", "", "")
    full = replace(
        data,
        people=people,
        graded=graded,
        checks=(ruled, *data.checks[1:]),
        codes=codes,
        written=written,
        marked=(MarkedAnswer("grader-1", "s1.why", "student-100", 1.0),),
        appeals=(appeal,),
    )
    return class_report(full, lambda _: ("", ""))


GIVEN = (("student-100", 1, "ill"), ("student-101", 2, "ill"), ("student-101", -1, "late"))


def test_what_people_gave_is_counted(tmp_path: Path) -> None:
    made = with_people(tmp_path)
    # 1 and 4 of 4: the mean is 2.5, and the deviation the root of (1.5² + 1.5²) / 1.
    assert lines(table(made, "written")) == {"s1.why": ["2", "1", "2.50", "2.12", "62%"]}
    assert lines(table(made, "adjustments")) == {"TA 1": ["3", "0.67", "ill; late"]}


def test_what_students_tried_has_its_students(tmp_path: Path) -> None:
    made = with_people(tmp_path)
    assert [[cell.text for cell in row[1:]] for row in table(made, "tried").rows] == [["2"]]
    assert lines(table(made, "file-problems")) == {"cut off": ["1"]}


def test_who_broke_a_rule_is_counted(tmp_path: Path) -> None:
    [row] = table(with_people(tmp_path), "broken-rules").rows
    assert row[1].text == "2"


def test_the_first_lines_say_what_the_lens_saw(tmp_path: Path) -> None:
    folder = write_class(tmp_path, MANY, RUBRIC)
    failed = {"s1.add/outputs/one": SAME[1], "s1.add/outputs/two": SAME[2]}
    seen = {"exercise": "s1.add", "failed": failed, "edits": ["line 3: a + b -> a - b"]}
    (folder / LENS_FILE).write_text(json.dumps({"groups": [seen]}), encoding="utf-8")
    made = class_report(read_class(folder, RUBRIC), lambda _: ("", ""))
    assert made.summary[1] == (
        "2 students made the same mistake, which has no name yet: line 3: a + b -> a - b. Give it "
        "one: grader lens --write",
        "unknown",
    )


def test_marks_that_hardly_move_are_not_said_first(tmp_path: Path) -> None:
    right, half = (
        tuple(Made(f"student-{n:03}", outcomes) for n in range(20)) for outcomes in ("pppp", "pfpp")
    )
    assert "suite" not in [target for _line, target in report(tmp_path / "a", right).summary]
    made = report(tmp_path / "b", half)
    assert "suite" in [target for _line, target in made.summary]
    [still] = section(report(tmp_path / "c", (*right, *half[:1])), "suite").lead
    assert still.startswith("With a random half of the checks the mark of half the class stays")


def test_where_nobody_is_counted_there_is_nothing_to_do(tmp_path: Path) -> None:
    counts = lines(table(report(tmp_path), "class"))
    assert [row[1] for row in counts.values() if row[0] == "0"] == [""] * 7
    assert counts["handed in nothing"][1].startswith("Write to them")


@pytest.mark.parametrize(
    ("value", "shown"), [(-0.001, "0.00"), (-0.006, "-0.01"), (0.0, "0.00"), (None, "–")]
)
def test_a_number_near_zero_has_no_minus(value: float | None, shown: str) -> None:
    assert number(value).text == shown
