"""Whatever file is named to be filled: it is filled, or refused in words with its name."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.class_results import ByPerson
from grader.batch.gradebook import Row
from grader.batch.records import ClassRecords
from grader.course.rubric_file import load_rubric
from grader.export.canvas import canvas
from grader.export.exported import Choices, Exported, ExportError
from grader.export.graded_class import GradedClass, graded_class
from grader.export.moodle import moodle
from grader.export.table import read_table
from grader.report.cleaning import refusal
from tests.unit.samples import RUBRIC_TEXT

GOLDEN = Path(__file__).parent / "golden"
FILES = {
    "canvas": (canvas, (GOLDEN / "canvas-exported.csv").read_bytes(), "Sums"),
    "moodle": (moodle, (GOLDEN / "moodle-downloaded.csv").read_bytes(), ""),
}
CASES = int(os.environ.get("GRADER_MALFORMED", "400"))
both = pytest.mark.parametrize("name", FILES)
PLACE = re.compile(r"\A\S+file\.csv(:\d+)?: \S")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    folder = tmp_path_factory.mktemp("results")
    (folder / "rubric.yaml").write_text(RUBRIC_TEXT, encoding="utf-8")
    rubric = load_rubric(folder / "rubric.yaml")
    ids = ("studentone_101", "studenttwo_102", "학생_104", "studentfive_105")
    rows = tuple(Row(id, points={"s1.add": Fraction(1)}, total=Fraction(1)) for id in ids)
    records = ClassRecords(rows, {id: f"{id}.json" for id in ids}, ())
    return graded_class(folder, records, rubric, ByPerson())


def whole(data: bytes, draw: random.Random) -> bytes:
    return data


def noise(data: bytes, draw: random.Random) -> bytes:
    return draw.randbytes(draw.randrange(200))


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def flipped(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _time in range(draw.randint(1, 8)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def inserted(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    piece = draw.choice([b'"', b",", b";", b"\n", b"\r", b"\0", b"\t", b"\xef\xbb\xbf", b"=1+1"])
    return data[:at] + piece * draw.randint(1, 3) + data[at:]


def rearranged(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    match draw.randrange(4):
        case 0:
            del lines[0]  # the header
        case 1:
            lines.insert(draw.randrange(len(lines)), lines[0])  # a second one
        case 2:
            lines.append(draw.choice(lines))  # somebody twice
        case 3:
            draw.shuffle(lines)
    return b"".join(lines)


def encoded(data: bytes, draw: random.Random) -> bytes:
    text = data.decode("utf-8-sig")
    return text.encode(draw.choice(["cp949", "utf-16", "utf-16-be", "euc-kr", "utf-8", "utf-32"]))


def huge(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + b"x" * draw.choice([10_000, 1_100_000]) + data[at:]


def columns(data: bytes, draw: random.Random) -> bytes:
    """Take one column out, or have one twice."""
    at = draw.randrange(9)
    lines = []
    for line in data.decode("utf-8-sig").splitlines():
        cells = line.split(",")
        cells[at : at + 1] = [] if draw.random() < 0.5 else cells[at : at + 1] * 2
        lines.append(",".join(cells))
    return "\n".join(lines).encode()


CHANGES: list[Callable[[bytes, random.Random], bytes]] = [
    whole, noise, cut, flipped, inserted, rearranged, encoded, huge, columns,
]  # fmt: skip


def outcome(name: str, data: bytes, folder: Path, graded: GradedClass) -> Exported | str:
    """Fill a file; return the refusal if there is one. Anything else is raised."""
    make, _data, column = FILES[name]
    path = folder / "file.csv"
    path.write_bytes(data)
    try:
        return make(graded, Choices(fill=path, column=column))
    except ExportError as error:
        return str(error)


@both
def test_a_malformed_file_is_filled_or_refused_in_words(
    name: str, tmp_path: Path, graded: GradedClass
) -> None:
    draw = random.Random(f"malformed {name}")
    refused, filled = 0, 0
    for number in range(CASES):
        change = CHANGES[number % len(CHANGES)]
        data = change(FILES[name][1], draw)
        found = outcome(name, data, tmp_path, graded)
        if isinstance(found, str):
            refused += 1
            assert PLACE.match(found), (number, found)
            assert refusal(found) == found or "\ufffd" in refusal(found)
            assert len(found) < 800
        else:
            filled += 1
            again = tmp_path / "filled.csv"
            ((_empty, content),) = found.files
            assert isinstance(content, (str, bytes))
            again.write_bytes(content.encode() if isinstance(content, str) else content)
            assert len(read_table(again).rows) == len(read_table(tmp_path / "file.csv").rows)
    # Both happen often: the search would notice if one did not.
    assert min(refused, filled) > CASES / 10


@both
@pytest.mark.parametrize("encoding", ["cp949", "utf-16", "utf-8"])
def test_a_file_that_a_spreadsheet_saved_is_filled(
    name: str, encoding: str, tmp_path: Path, graded: GradedClass
) -> None:
    data = FILES[name][1].decode("utf-8-sig").encode(encoding)

    found = outcome(name, data, tmp_path, graded)

    assert isinstance(found, Exported)
    assert found.written >= 3


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("canvas", lambda text: "", "file.csv: there is nothing in it."),
        ("canvas", lambda text: text.partition("\n")[2],
         "file.csv:1: not a gradebook of Canvas"),
        ("canvas", lambda text: text.replace("    Points Possible", "one"),
         "file.csv:2: no row 'Points Possible' here."),
        ("canvas", lambda text: text.replace("学", "").replace(",104,", ",103,"),
         "file.csv:7: ID '103' is in line 6 already. Delete one of the lines."),
        ("canvas", lambda text: text.replace("Sums (77)", "Sums"),
         "file.csv:1: no column 'Sums' - expected 'Warm-up (76)'"),
        ("canvas", lambda text: text.replace("Warm-up (76)", "Sums (76)"),
         "file.csv:1: 2 columns can be meant: 'Sums (76)', 'Sums (77)'. Name one: --column NAME"),
        ("canvas", lambda text: text.replace(" (77)", "").replace(" (76)", ""),
         "file.csv:1: no column of an assignment, such as 'Homework 1 (1234)'."),
        ("canvas", lambda text: text + "    Points Possible,,,,,,,,\n",
         "file.csv:10: a second row 'Points Possible'."),
        ("canvas", lambda text: text + ",,,,,,,,3\n", "file.csv:10: a row without a student."),
        ("moodle", lambda text: text.replace("참가자 103", "three"),
         "file.csv:4: no participant in 'three'; the first column of a worksheet reads"),
        ("moodle", lambda text: text.replace("참가자 103", "참가자 102"),
         "file.csv:4: participant 102 is in line 3 already. Delete one of the lines."),
        ("moodle", lambda text: text.splitlines()[0], "file.csv: nobody is in it."),
        ("moodle", lambda text: text.replace(",성적,", ",외,").replace('"8,50"', ""),
         "file.csv:1: which column is the grade?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(
    name: str, change: Callable[[str], str], words: str, tmp_path: Path, graded: GradedClass
) -> None:
    text = FILES[name][1].decode("utf-8-sig")

    found = outcome(name, change(text).encode(), tmp_path, graded)

    assert isinstance(found, str)
    assert found.startswith(f"{tmp_path}/{words}")
