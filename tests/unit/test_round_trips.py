"""Every format that a class comes in, and every format that grades leave in, read back whole.

One table each; a format without a line fails the test that compares the tables with the formats.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.attendance import of_roster
from grader.batch.class_archive import class_folder
from grader.batch.collected_table import CollectedRow, write_table
from grader.batch.discovery import GIT, GRADESCOPE, LAYOUTS, NBGRADER, discover
from grader.batch.roster import read_roster
from grader.export.formats import FORMATS
from grader.submission.downloads import CANVAS, MOODLE, PLAIN, hand_ins
from tests.support.archives import tarred, zipped
from tests.support.graded_results import enter_points, export, write_class
from tests.unit.export.test_formats import GOLDEN, POINTS, cells

Files = Mapping[str, bytes]
STEMS = ("a1_attention", "a2_masking")
CLASS: Mapping[str, Files] = {
    "101": {"a1_attention.py": b"one = 1\n", "a2_masking.ipynb": b"{}"},
    "102": {"a1_attention.py": "# 둘\r\ntwo = 2\r\n".encode()},
    "103": {"a2_masking.py": b"\xef\xbb\xbfthree = 3\n"},
}
"""By the number of the student, which each form keeps."""
ONE_FILE_EACH = {student: next(iter(files.items())) for student, files in CLASS.items()}


def put(place: Path, files: Files) -> None:
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)


def as_folders(named: Callable[[str], str]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for student, files in CLASS.items():
            put(folder / named(student), files)

    return write


def as_prefixes(named: Callable[[str, int, str], str]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for student, files in CLASS.items():
            for number, (name, content) in enumerate(files.items()):
                put(folder, {named(student, 1000 * int(student) + number, name): content})

    return write


def as_archives(folder: Path) -> None:
    for suffix, (student, files) in zip((".zip", ".tar", ".tar.gz"), CLASS.items(), strict=True):
        data = (
            zipped(files)
            if suffix == ".zip"
            else tarred(files, "w" if suffix == ".tar" else "w:gz")
        )
        put(folder, {f"{student}{suffix}": data})


def as_files(folder: Path) -> None:
    """One file a student, under the student's name: of a student with two, the first."""
    for student, (name, content) in ONE_FILE_EACH.items():
        put(folder, {f"{student}{Path(name).suffix}": content})


def as_gradescope(folder: Path) -> None:
    lines = []
    for student, files in CLASS.items():
        put(folder / f"submission_9{student}", files)
        lines += [f"submission_9{student}:", "  :submitters:", f"  - :sid: '{student}'"]
        lines += ["  :created_at: 2026-11-20 05:57:45 Z"]
    put(folder, {"submission_metadata.yml": "\n".join(lines).encode()})


def as_nbgrader(named: Callable[[str], str]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for student, files in CLASS.items():
            put(folder / named(student), {**files, "timestamp.txt": b"2026-11-20 10:00:00 UTC"})

    return write


def as_git(folder: Path) -> None:
    as_folders(str)(folder)
    at = "2026-11-20T10:00:00+00:00"
    write_table(folder, [CollectedRow(one, one, "x", "c" * 40, at, "push") for one in CLASS])


INTAKE: Mapping[str, tuple[str, Callable[[Path], None]]] = {
    "folders": (PLAIN, as_folders(str)),
    "archives": (PLAIN, as_archives),
    "canvas": (CANVAS, as_prefixes(lambda who, n, name: f"kim_{who}_{n}_{name}")),
    "canvas, late": (CANVAS, as_prefixes(lambda who, n, name: f"김_LATE_{who}_{n}_{name}")),
    "canvas, anonymous": (CANVAS, as_prefixes(lambda who, n, name: f"anon_{who}_{n}_{name}")),
    "moodle, folders since 4.1": (MOODLE, as_folders("김 하나_{}_assignsubmission_file".format)),
    "moodle, folders before": (MOODLE, as_folders("One Two_{}_assignsubmission_file_".format)),
    "moodle, flat": (
        MOODLE, as_prefixes(lambda who, n, name: f"One_{who}_assignsubmission_file_{name}"),
    ),
    "moodle, flat and blind": (
        MOODLE,
        as_prefixes(lambda who, n, name: f"Participant_{who}_assignsubmission_file_{name}"),
    ),
    "moodle, flat teams": (
        MOODLE, as_prefixes(lambda who, n, name: f"Team A_{who}_assignsubmission_file_{name}"),
    ),
    "moodle, blind": (MOODLE, as_folders("Participant_{}_assignsubmission_file_".format)),
    "moodle, teams": (MOODLE, as_folders("Team A_{}_assignsubmission_file_".format)),
    "gradescope": (GRADESCOPE, as_gradescope),
    "nbgrader, submitted": (NBGRADER, as_nbgrader("submitted/{}/week 1".format)),
    "nbgrader, in submitted": (NBGRADER, as_nbgrader("{}/week 1".format)),
    "nbgrader, inbound": (NBGRADER, as_nbgrader("inbound/{}+w+2026-11-20 10:00:00 UTC+x".format)),
    "git": (GIT, as_git),
}  # fmt: skip


def test_every_layout_is_in_the_table() -> None:
    assert {layout for layout, _write in INTAKE.values()} == set(LAYOUTS)


@pytest.mark.parametrize(("layout", "write"), INTAKE.values(), ids=list(INTAKE))
def test_what_a_form_holds_is_what_is_read(
    tmp_path: Path, layout: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / "class")
    collected = discover(tmp_path / "class", tmp_path / "out", STEMS)

    assert (collected.layout, collected.others, collected.unread) == (layout, (), ())
    numbers = {re.sub(r"\D", "", one.id.rpartition("_")[2]): one for one in collected.entries}
    assert {number: by_name(one.read().files) for number, one in numbers.items()} == CLASS


def test_a_file_each_is_a_class(tmp_path: Path) -> None:
    as_files(tmp_path / "class")
    collected = discover(tmp_path / "class", tmp_path / "out", STEMS)

    assert (collected.layout, collected.others, collected.unread) == (PLAIN, (), ())
    assert {one.id: [*one.read().files.values()] for one in collected.entries} == {
        student: [content] for student, (_name, content) in ONE_FILE_EACH.items()
    }


def test_of_a_team_each_has_what_it_handed_in(tmp_path: Path) -> None:
    as_folders("Team A_{}_assignsubmission_file_".format)(tmp_path / "class")
    roster = "id,team\n1,Team A_101\n2,Team A_101\n3,Team A_103\n"
    (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
    collected = discover(tmp_path / "class", tmp_path / "out", STEMS)
    entries, _absences = of_roster(collected.entries, read_roster(tmp_path / "roster.csv"))

    read = {one.id: by_name(one.read().files) for one in entries}
    assert {id: read[id] for id in "123"} == {
        "1": CLASS["101"], "2": CLASS["101"], "3": CLASS["103"],
    }  # fmt: skip


def test_of_a_team_in_gradescope_each_has_what_it_handed_in(tmp_path: Path) -> None:
    as_gradescope(tmp_path / "class")
    metadata = tmp_path / "class" / "submission_metadata.yml"
    lines = metadata.read_text("utf-8").replace("- :sid: '101'", "- :sid: '101'\n  - :sid: '109'")
    metadata.write_text(lines, encoding="utf-8")
    collected = discover(tmp_path / "class", tmp_path / "out", STEMS)

    read = {one.id: by_name(one.read().files) for one in collected.entries}
    assert read == {**CLASS, "109": CLASS["101"]}


@pytest.mark.parametrize("write", [write for _layout, write in INTAKE.values()], ids=list(INTAKE))
def test_a_zip_of_any_form_is_the_same_class(
    tmp_path: Path, write: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.batch.class_archive.os.sync", lambda: None)
    folder, out = tmp_path / "class", tmp_path / "out"
    write(folder)
    files = {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*.*")
             if one.is_file()}  # fmt: skip
    (tmp_path / "class.zip").write_bytes(zipped(files))
    unpacked = class_folder(tmp_path / "class.zip", out, STEMS)

    as_folder, as_zip = discover(folder, out, STEMS), discover(unpacked, out, STEMS)
    assert (as_zip.layout, len(as_zip.entries)) == (as_folder.layout, len(CLASS))
    assert [(one.id, one.late, one.arrivals, one.read().files) for one in as_zip.entries] == [
        (one.id, one.late, one.arrivals, one.read().files) for one in as_folder.entries
    ]


def by_name(files: Files) -> Files:
    """The files without the folders that a form puts around them."""
    return {name.rpartition("/")[2]: content for name, content in files.items()}


# ---- out again ----------------------------------------------------------------------------------

MOST = Fraction("8.5")
EARNED = {
    "101": Fraction(8), "102": Fraction(1), "104": Fraction(0), "105": Fraction("67/12"),
}  # fmt: skip
"""Everybody of the made class whose points are known; the others must not have any."""
Read = Callable[[Path], Mapping[str, Fraction]]


def table(path: Path, id: str, points: str) -> Mapping[str, Fraction]:
    """Two columns of a CSV file, as far as there are points."""
    text = path.read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return numbered(
        (row[id], row[points].replace(",", "."))
        for row in rows
        if re.fullmatch(r"[\d.,/]+", row[points] or "")
    )


def numbered(pairs: object) -> Mapping[str, Fraction]:
    """By the number at the end of an id, rounded as most systems keep points."""
    result: dict[str, Fraction] = {}
    for id, points in pairs:  # type: ignore[attr-defined]
        number = re.sub(r"\D", "", str(id).rpartition("_")[2])
        result[number] = result.get(number, Fraction(0)) + Fraction(points)
    return result


def of_canvas(path: Path) -> Mapping[str, Fraction]:
    """The cells that were filled: `EX`, and who has no points here, stay as they were."""
    before = table(GOLDEN / "canvas-exported.csv", "ID", "Sums (77)")
    after = table(path, "ID", "Sums (77)")
    return {id: points for id, points in after.items() if before.get(id) != points}


def of_moodle(path: Path) -> Mapping[str, Fraction]:
    text = path.read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    points = {row["식별자"].split()[1]: row["성적"].replace(",", ".") for row in rows}
    # 109 is nobody of ours, and keeps what is there.
    return {id: Fraction(text) for id, text in points.items() if text and id != "109"}


def of_workbook(path: Path) -> Mapping[str, Fraction]:
    header, *rows = cells(path.read_bytes())
    assert [text for _kind, text in header[:3]] == ["id", "points", "max_points"]
    # An empty cell is not in the file: who has no points has the maximum in the second place.
    known = [row for row in rows if len(row) > 2 and row[2] == ("n", "8.5")]
    return numbered((row[0][1], row[1][1]) for row in known)


def of_class_json(path: Path) -> Mapping[str, Fraction]:
    students = json.loads(path.read_text("utf-8"))["students"]
    return numbered((one["id"], one["points"]) for one in students if one["points"] is not None)


def of_results(key: str, scale: Fraction) -> Read:
    def read(folder: Path) -> Mapping[str, Fraction]:
        files = {path.name: path / "results.json" for path in folder.iterdir()}
        return numbered(
            (
                name.partition("~")[0],
                Fraction(str(json.loads(path.read_text("utf-8"))[key])) * scale,
            )
            for name, path in files.items()
        )

    return read


def of_pages(texts: Mapping[str, str]) -> Mapping[str, Fraction]:
    """The points on a page: those of the checks, and those that a person gave."""
    result = {}
    for name, text in texts.items():
        plain = " ".join(re.sub(r"<[^>]+>", " ", text).split())
        automatic = re.search(r"([\d.]+) / 6\.5 points automatic", plain)
        by_person = re.search(r"automatic, and ([\d.]+) of 2 by a person", plain)
        if automatic and by_person and "could not be checked" not in plain:
            result[name] = Fraction(automatic[1]) + Fraction(by_person[1])
    return numbered(result.items())


def of_page_folder(folder: Path) -> Mapping[str, Fraction]:
    return of_pages({path.name.partition("~")[0].removesuffix(".html"): path.read_text("utf-8")
                     for path in folder.iterdir()})  # fmt: skip


def of_feedback(path: Path) -> Mapping[str, Fraction]:
    """Read as Moodle does: by the names of the folders."""
    unpacked = path.parent / "unpacked"
    with zipfile.ZipFile(path) as packed:
        packed.extractall(unpacked)
    students, nobodys = hand_ins(unpacked.iterdir(), MOODLE)
    assert nobodys == ()
    return of_pages({
        one.id: page.read_text("utf-8")
        for one in students for part in one.parts for page in part.path.iterdir()
    })  # fmt: skip


def of_mail_merge(path: Path) -> Mapping[str, Fraction]:
    return table(path, "id", "points")


FILL = {
    "canvas": ("canvas-exported.csv", "--column", "Sums"),
    "moodle": ("moodle-downloaded.csv",),
    "moodle-feedback": ("moodle-downloaded.csv",),
}
OUT: Mapping[str, Read] = {
    "canvas": of_canvas,
    "moodle": of_moodle,
    "moodle-feedback": of_feedback,
    "csv": lambda path: table(path, "id", "points"),
    "xlsx": of_workbook,
    "json": of_class_json,
    "nbgrader": lambda path: table(path, "student_id", "score"),
    "gradescope": of_results("score", Fraction(1)),
    "prairielearn": of_results("score", MOST),
    "pages": of_page_folder,
    "mail-merge": of_mail_merge,
}
SHOWN = {"mail-merge": {"105"}, "canvas": {"101", "102", "104"}}
"""The students in a format that is not about everybody; in Canvas 105 is excused."""


def test_every_export_is_in_the_table() -> None:
    assert set(OUT) == set(FORMATS)


@pytest.mark.parametrize("name", OUT)
def test_what_is_exported_is_what_was_earned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    results = write_class(tmp_path / "course", asks=True)
    enter_points(results, POINTS)
    monkeypatch.chdir(tmp_path / "course")
    source, *more = FILL.get(name, ("",))
    export(name, *(["--fill", str(GOLDEN / source), *more] if source else []))

    read = OUT[name](results / "exports" / FORMATS[name].out)
    wanted = {id: EARNED[id] for id in SHOWN.get(name, EARNED)}
    assert read.keys() == wanted.keys()
    assert {id: float(points) for id, points in read.items()} == pytest.approx(
        {id: float(points) for id, points in wanted.items()}, abs=0.011
    )
