"""Recognise by name the files that somebody may hand in as an answer, but nobody can grade."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from ..course.paths import DATA
from ..text.language import _

_DOCUMENTS = frozenset(
    {".pdf", ".doc", ".docx", ".hwp", ".hwpx", ".odt", ".rtf", ".pages", ".ppt", ".pptx", ".key"}
    | {".txt", ".md", ".html", ".htm", ".tex"}
)
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".heic", ".gif", ".webp", ".bmp"})
_PROJECT = re.compile(r"(?:readme|license|licence|requirements|makefile)(?:\.\w+)?", re.IGNORECASE)
"""Names of files that come with a repository, and that nobody hands in as an answer."""
_LISTS = frozenset(
    {".csv", ".tsv", ".xls", ".xlsx", ".ods", ".json", ".yaml", ".yml", ".toml", ".ini", ".log"}
    | {".sh", ".bat", ".ps1"}
)
"""Suffixes of files that people who collect submissions keep beside them."""
_BOTH_NAMES = re.compile(r"(.+\.(?:py|ipynb))\.(?:txt|json|md)", re.IGNORECASE)
"""Names that editors and browsers make when they append a suffix to a code file's name."""


def renamed(name: str) -> str | None:
    """Return a code file's name without the suffix that was appended; None for any other file.

    >>> renamed("a1_attention.py.txt"), renamed("answers.md")
    ('a1_attention.py', None)
    """
    match = _BOTH_NAMES.fullmatch(PurePosixPath(name).name)
    return match[1] if match else None


def is_of_the_class(name: str) -> bool:
    """Tell whether a file in the folder of a class is more likely the teacher's than a student's.

    >>> is_of_the_class("roster.csv"), is_of_the_class("student-001.pdf")
    (True, False)
    """
    path = PurePosixPath(name)
    is_list = path.suffix.lower() in _LISTS and renamed(name) is None
    return is_list or _PROJECT.fullmatch(path.name) is not None


def may_be_an_answer(name: str) -> bool:
    """Tell whether somebody may expect that a person reads this file.

    >>> may_be_an_answer("essay.hwp"), may_be_an_answer("plot.png"), may_be_an_answer("README.md")
    (True, False, False)

    What lies in a folder of data is read by programs:

    >>> may_be_an_answer("data/poem.txt"), may_be_an_answer("mine/poem.txt")
    (False, True)
    """
    path = PurePosixPath(name)
    if DATA in path.parent.parts:
        return False
    suffix = path.suffix.lower()
    return (not suffix or suffix in _DOCUMENTS) and not _PROJECT.fullmatch(path.name)


def why_not_graded(name: str) -> str:
    """Return the reason why a file that is no code is not graded, as the end of a sentence.

    >>> why_not_graded("student-001.hwp")
    'is a document, and only code is graded. Hand in the .py or .ipynb file.'
    """
    code = renamed(name)
    if code is not None:
        return _("is not read under this name. Rename it to {name}.", name=code)
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _DOCUMENTS or suffix in _PICTURES:
        return _("is a document, and only code is graded. Hand in the .py or .ipynb file.")
    if not suffix:
        return _("has no ending, and only .py and .ipynb files are graded. Rename it if it is one.")
    return _("is not graded: only .py and .ipynb files are.")
