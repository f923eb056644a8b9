"""The language that a reader meets: gettext catalogues, and English where there is no translation.

One language for a process, chosen once, before anything is said. The tool's own sentences are
written `_("…")` and stand in the catalogue `grader`; those of a course (what checks ask for,
causes, hints) stand in the course's own, `course`, and are looked up with `course_text`.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping
from pathlib import Path

ENGLISH = "en"
LANGUAGES = (ENGLISH, "ko")
LOCALE = Path(__file__).parent / "locale"
COURSE_LOCALE = Path("reference") / "locale"
_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


class _Texts:
    """The catalogues in use."""

    def __init__(self) -> None:
        self.language = ENGLISH
        self.tool = gettext.NullTranslations()
        self.course = gettext.NullTranslations()


_texts = _Texts()


def _(text: str) -> str:
    """A sentence of the tool's, in the language in use. Fill in its {places} afterwards."""
    return _texts.tool.gettext(text)


def ngettext(one: str, many: str, count: int) -> str:
    """The same for a sentence that depends on a number."""
    return _texts.tool.ngettext(one, many, count)


def course_text(text: str) -> str:
    """A sentence of the course's, in the language in use; white space as in the catalogue."""
    return _texts.course.gettext(text) if text else text


def use_language(language: str, course: Path | None = None) -> None:
    """Speak `language` from now on, with the catalogue of the course at `course` too.

    Raises ValueError for a language that there is none of.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language '{language}': expected one of {', '.join(LANGUAGES)}")
    folders = {"tool": ("grader", LOCALE)}
    folders |= {} if course is None else {"course": ("course", course / COURSE_LOCALE)}
    _texts.language = language
    _texts.course = gettext.NullTranslations()
    for name, (domain, folder) in folders.items():
        found = gettext.NullTranslations()
        if language != ENGLISH:
            found = gettext.translation(domain, folder, [language], fallback=True)
        setattr(_texts, name, found)


def language_in_use() -> str:
    """`en`, or another of LANGUAGES."""
    return _texts.language


def preferred_language(environ: Mapping[str, str] = os.environ) -> str:
    """The first of LANGUAGES that the environment asks for, as gettext reads it; else English.

    >>> preferred_language({"LANG": "ko_KR.UTF-8"})
    'ko'
    >>> preferred_language({"LC_ALL": "C", "LANG": "ko_KR.UTF-8"})
    'en'
    """
    wanted = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    codes = (code.partition(".")[0].partition("_")[0].lower() for code in wanted.split(":"))
    return next((code for code in codes if code in LANGUAGES), ENGLISH)
