"""Pack the page of each student for Moodle's "Upload multiple feedback files in a zip".

Moodle knows a folder by its name: `Kim Minjun_4711_assignsubmission_file_`, as in a download of all
submissions. The underscore at the end is what Moodle below 4.1 needs; later ones take it too.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable

from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass
from grader.export.moodle import worksheet
from grader.export.moodle_columns import participant
from grader.export.pages import without_code
from grader.export.reports import reports, without_report
from grader.report.cleaning import one_line
from grader.report.html.page import rendered

FEEDBACK_FILE = "feedback.html"
"""A name that nobody hands in: Moodle takes a file of the student's own name for that file."""
_DOWNLOAD = re.compile(r"(?P<name>[^_/]*)_(?P<number>\d+)")
# No name of a folder may hold these, on some system or other.
_UNSAFE = re.compile(r'[\x00-\x1f/\\:*?"<>|_]')
_DATE = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip: the same class gives the same bytes."""


def moodle_feedback(graded: GradedClass, choices: Choices) -> Exported:
    """Return the zip; the folders are named after a worksheet, or else after our ids.

    Raises ExportError.
    """
    folders, unplaced, others = _folders(graded, choices)
    packed = io.BytesIO()
    written = 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for student, report in reports(graded, choices):
            if student.id in folders:
                name = f"{folders[student.id]}/{FEEDBACK_FILE}"
                file.writestr(_entry(name), rendered(report))
                written += 1
    absent = {id: reason for id, reason in without_report(graded) if id in folders}
    return Exported(
        files=(("", packed.getvalue()),),
        written=written,
        left_out=tuple(sorted({**unplaced, **absent}.items())),
        others=others,
        remarks=without_code(graded, choices),
    )


def _folders(
    graded: GradedClass, choices: Choices
) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """Return the folder of each student, those without one, and the others in the worksheet."""
    ids = [one.id for one in graded.students]
    if choices.fill is None:
        return _of_ids(ids)
    sheet = worksheet(graded, choices)
    folders = {}
    for row in sheet.table.rows:
        if row.line in sheet.matches.by_line:
            id, number = sheet.matches.by_line[row.line], participant(row.cells[0].text)
            folders[id] = _folder(sheet.name(row) or "Participant", number)
    return folders, dict(sheet.matches.unplaced), sheet.matches.others


def _of_ids(ids: Iterable[str]) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    folders, unplaced, owners = {}, {}, dict[str, str]()
    for id in ids:
        match = _DOWNLOAD.fullmatch(id)
        if match is None:
            unplaced[id] = "no name of a Moodle download; name the worksheet: --fill FILE"
        elif owners.setdefault(match["number"], id) != id:
            unplaced[id] = f"has the participant's number of {one_line(owners[match['number']])}"
        else:
            folders[id] = _folder(match["name"], match["number"])
    return folders, unplaced, ()


def _folder(name: str, number: str) -> str:
    # Whatever reads the name splits it at underscores; a name of dots only leads elsewhere.
    plain = one_line(_UNSAFE.sub(" ", name)).strip(". ") or "Participant"
    return f"{plain}_{number}_assignsubmission_file_"


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
