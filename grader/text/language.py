"""Speak the reader's language: gettext catalogues, and English if there is no translation.

One language holds for a process and all that it starts, chosen once, before anything is said. The
tool's own sentences are written `_("…")` and stand in the catalogue `grader`; those of a course
(what checks ask for, causes, hints) stand in the course's own, `course`, and are looked up with
`course_text`. Workers load it too, and so it imports nothing of ours but the particles beside it.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .particles import with_particles

if TYPE_CHECKING:
    from gettext import GNUTranslations

ENGLISH = "en"
LANGUAGES = (ENGLISH, "ko")
COURSE_LOCALE = Path("reference") / "locale"
_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
_LETTERS = {"ko": "한국어"}
_PLACE = re.compile(r"\{(\w*)[^{}]*\}")
_WORDS = re.compile(r"[^\W\d_]{2}")


class _Texts:
    """The catalogues in use."""

    def __init__(self) -> None:
        self.language = ENGLISH
        self.tool: GNUTranslations | None = None
        self.course: GNUTranslations | None = None
        self.templates: tuple[_Template, ...] = ()


class _Template:
    """A sentence with places in it, to be recognised once they are filled in."""

    def __init__(self, text: str, translated: str) -> None:
        self.translated = translated
        self.names = [place[1] for place in _PLACE.finditer(text)]
        literal = [re.escape(piece) for piece in _PLACE.split(text)[::2]]
        self.pattern = re.compile("(.+?)".join(literal), re.DOTALL)
        self.length = len(_PLACE.sub("", text))

    def filled(self, text: str) -> str | None:
        match = self.pattern.fullmatch(text)
        if match is None:
            return None
        values = dict(zip(self.names, match.groups(), strict=True))
        agreed = with_particles(self.translated, values)
        return _PLACE.sub(lambda place: values[place[1]], agreed)


_texts = _Texts()


def _(text: str, **values: object) -> str:
    """Translate a sentence of the tool's, and fill its {places} with values.

    >>> _("{file} has {count} lines", file="a.py", count=3)
    'a.py has 3 lines'
    """
    if _texts.tool is None:
        return text.format(**values) if values else text
    return _filled(_texts.tool.gettext(text), values)


def marked(text: str) -> str:
    """Return the text as it is, to be looked up when it is shown: `_(TABLE[key])`."""
    return text


def ngettext(one: str, many: str, count: int, **values: object) -> str:
    """Translate a sentence that depends on a number, its {count}, and fill in its values."""
    if _texts.tool is None:
        return (one if count == 1 else many).format(count=count, **values)
    return _filled(_texts.tool.ngettext(one, many, count), {"count": count, **values})


def course_text(text: str, **values: object) -> str:
    """Translate a sentence of the course's, and fill its {places} with values.

    A sentence that an f-string of the course made is found by the f-string. White space is as in
    the catalogue: single blanks.
    """
    return _filled(_translated(text), values)


def _translated(text: str) -> str:
    if not text or _texts.course is None:
        return text
    translated = _texts.course.gettext(text)
    if translated != text:
        return translated
    for template in _texts.templates:
        filled = template.filled(text)
        if filled is not None:
            return filled
    return text


def joined(words: Iterable[str]) -> str:
    """Join words to an enumeration in a sentence.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = list(words) or [""]
    return _("{these} and {that}", these=", ".join(most), that=last) if most else last


def either(words: Iterable[str]) -> str:
    """Join words to a choice in a sentence: `a or b`."""
    return _(" or ").join(words)


def use_language(language: str, course: Path | None = None) -> None:
    """Speak `language` from now on, with the catalogue of the course at `course` too.

    Raises ValueError for a language that is not in LANGUAGES.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language '{language}': expected one of {', '.join(LANGUAGES)}")
    tool, own = catalogue(language), None
    if language != ENGLISH and course is not None:
        own = _file(course / COURSE_LOCALE, "course", language)
    _speak(language, tool, own)


def use_catalogue(language: str, tool: bytes | None) -> None:
    """Speak `language` in a process that knows no path, with the tool's catalogue as read."""
    _speak(language, tool, None)


def catalogue(language: str) -> bytes | None:
    """Return the tool's catalogue, to be handed to a process that knows no path.

    None for English, or if there is no catalogue.
    """
    import grader

    if language == ENGLISH:
        return None
    return _file(Path(grader.__path__[0]) / "locale", "grader", language)


def _speak(language: str, tool: bytes | None, course: bytes | None) -> None:
    _texts.language = language
    _texts.tool, _texts.course = _parsed(tool), _parsed(course)
    _texts.templates = () if _texts.course is None else tuple(_templates(_texts.course))


def _templates(texts: GNUTranslations) -> list[_Template]:
    """Return the sentences with places, the longest first: `{x}` alone would fit everything."""
    templates = [
        _Template(text, translated)
        for text, translated in vars(texts)["_catalog"].items()
        if isinstance(text, str) and _PLACE.search(text) and _WORDS.search(_PLACE.sub("", text))
    ]
    return sorted(templates, key=lambda template: -template.length)


def _parsed(data: bytes | None) -> GNUTranslations | None:
    if data is None:
        return None
    from gettext import GNUTranslations  # not in a process that speaks English

    return GNUTranslations(io.BytesIO(data))


def _file(folder: Path, domain: str, language: str) -> bytes | None:
    path = folder / language / "LC_MESSAGES" / f"{domain}.mo"
    return path.read_bytes() if path.is_file() else None


def language_in_use() -> str:
    """Return the language in use: `en`, or another of LANGUAGES."""
    return _texts.language


def shows(language: str, encoding: str) -> bool:
    """Tell whether text of a language can be written in an encoding.

    >>> shows("ko", "utf-8"), shows("ko", "euc-kr"), shows("ko", "ascii")
    (True, True, False)
    """
    try:
        _LETTERS.get(language, "").encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def as_typed() -> list[str]:
    """Return the options that make a command speak the language in use."""
    return [] if _texts.language == preferred_language() else ["--lang", _texts.language]


def speak_of(course: Path) -> None:
    """Go on in the language in use, with the words of a course as well."""
    use_language(_texts.language, course)


def _filled(text: str, values: Mapping[str, object]) -> str:
    if not values:
        return text
    return with_particles(text, values).format(**values)


def preferred_language(environ: Mapping[str, str] = os.environ) -> str:
    """Return the first of LANGUAGES that the environment asks for; else English.

    The environment is read as gettext does it.

    >>> preferred_language({"LANG": "ko_KR.UTF-8"})
    'ko'
    >>> preferred_language({"LC_ALL": "C", "LANG": "ko_KR.UTF-8"})
    'en'
    """
    wanted = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    codes = (code.partition(".")[0].partition("_")[0].lower() for code in wanted.split(":"))
    return next((code for code in codes if code in LANGUAGES), ENGLISH)
