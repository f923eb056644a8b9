"""The language that a reader meets: gettext catalogues, and English where there is no translation.

One language for a process and all that it starts, chosen once, before anything is said. The tool's
own sentences are written `_("…")` and stand in the catalogue `grader`; those of a course (what
checks ask for, causes, hints) stand in the course's own, `course`, and are looked up with
`course_text`. Imports nothing of ours: workers hold it too.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import GNUTranslations

ENGLISH = "en"
LANGUAGES = (ENGLISH, "ko")
COURSE_LOCALE = Path("reference") / "locale"
_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
_LETTERS = {"ko": "한국어"}
_PLACE = re.compile(r"\{(\w*)[^{}]*\}")
_PARTICLES = {
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "을(를)": ("을", "를"),
    "과(와)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)라": ("이라", "라"),
    "이에요": ("이에요", "예요"),
    "이어야": ("이어야", "여야"),
}
_PARTICLE = re.compile(rf"\{{(\w+)\}}({'|'.join(map(re.escape, _PARTICLES))})")
_RIEUL = 8
_FINAL_OF_DIGITS = (21, 8, 0, 16, 0, 0, 1, 8, 8, 0)
"""The consonant at the end of 영, 일, 이, 삼, 사, 오, 육, 칠, 팔, 구, as Unicode counts them."""
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
        self.names = [found[1] for found in _PLACE.finditer(text)]
        literal = [re.escape(piece) for piece in _PLACE.split(text)[::2]]
        self.pattern = re.compile("(.+?)".join(literal), re.DOTALL)
        self.length = len(_PLACE.sub("", text))

    def filled(self, text: str) -> str | None:
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        values = dict(zip(self.names, found.groups(), strict=True))
        agreed = with_particles(self.translated, values)
        return _PLACE.sub(lambda place: values[place[1]], agreed)


_texts = _Texts()


def _(text: str, **values: object) -> str:
    """A sentence of the tool's, in the language in use, with values for its {places}.

    >>> _("{file} has {count} lines", file="a.py", count=3)
    'a.py has 3 lines'
    """
    if _texts.tool is None:
        return text.format(**values) if values else text
    return _filled(_texts.tool.gettext(text), values)


def marked(text: str) -> str:
    """The text as it is, to be looked up where it is shown: `_(TABLE[key])`."""
    return text


def ngettext(one: str, many: str, count: int, **values: object) -> str:
    """The same for a sentence that depends on a number, its {count}."""
    if _texts.tool is None:
        return (one if count == 1 else many).format(count=count, **values)
    return _filled(_texts.tool.ngettext(one, many, count), {"count": count, **values})


def course_text(text: str) -> str:
    """A sentence of the course's, in the language in use. One that an f-string of the course made
    is found by the f-string.

    White space is as in the catalogue: single blanks.
    """
    if not text or _texts.course is None:
        return text
    found = _texts.course.gettext(text)
    if found != text:
        return found
    for template in _texts.templates:
        filled = template.filled(text)
        if filled is not None:
            return filled
    return text


def joined(words: Iterable[str]) -> str:
    """Words one after another as a sentence has them.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = list(words) or [""]
    return _("{these} and {that}", these=", ".join(most), that=last) if most else last


def either(words: Iterable[str]) -> str:
    """The same for a choice: `a or b`."""
    return _(" or ").join(words)


def use_language(language: str, course: Path | None = None) -> None:
    """Speak `language` from now on, with the catalogue of the course at `course` too.

    Raises ValueError for a language that there is none of.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language '{language}': expected one of {', '.join(LANGUAGES)}")
    tool, own = catalogue(language), None
    if language != ENGLISH and course is not None:
        own = _file(course / COURSE_LOCALE, "course", language)
    _speak(language, tool, own)


def use_catalogue(language: str, tool: bytes | None) -> None:
    """The same for a process that knows no path: with the tool's catalogue as it was read."""
    _speak(language, tool, None)


def catalogue(language: str) -> bytes | None:
    """The tool's catalogue, to be handed to a process that knows no path."""
    import grader

    if language == ENGLISH:
        return None
    return _file(Path(grader.__path__[0]) / "locale", "grader", language)


def _speak(language: str, tool: bytes | None, course: bytes | None) -> None:
    _texts.language = language
    _texts.tool, _texts.course = _parsed(tool), _parsed(course)
    _texts.templates = () if _texts.course is None else tuple(_templates(_texts.course))


def _templates(texts: GNUTranslations) -> list[_Template]:
    """The sentences with places, those that say most first: `{x}` alone would fit everything."""
    found = [
        _Template(text, translated)
        for text, translated in vars(texts)["_catalog"].items()
        if isinstance(text, str) and _PLACE.search(text) and _WORDS.search(_PLACE.sub("", text))
    ]
    return sorted(found, key=lambda template: -template.length)


def _parsed(data: bytes | None) -> GNUTranslations | None:
    if data is None:
        return None
    from gettext import GNUTranslations  # not in a process that speaks English

    return GNUTranslations(io.BytesIO(data))


def _file(folder: Path, domain: str, language: str) -> bytes | None:
    path = folder / language / "LC_MESSAGES" / f"{domain}.mo"
    return path.read_bytes() if path.is_file() else None


def language_in_use() -> str:
    """`en`, or another of LANGUAGES."""
    return _texts.language


def shows(language: str, encoding: str) -> bool:
    """Whether text of a language can be written in an encoding.

    >>> shows("ko", "utf-8"), shows("ko", "euc-kr"), shows("ko", "ascii")
    (True, True, False)
    """
    try:
        _LETTERS.get(language, "").encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def as_typed() -> list[str]:
    """What to add to a command, so that it speaks the language in use."""
    return [] if _texts.language == preferred_language() else ["--lang", _texts.language]


def speak_of(course: Path) -> None:
    """Go on in the language in use, with the words of a course as well."""
    use_language(_texts.language, course)


def _filled(told: str, values: Mapping[str, object]) -> str:
    if not values:
        return told
    return with_particles(told, values).format(**values)


def with_particles(text: str, values: Mapping[str, object]) -> str:
    """Korean particles behind places, in the form that the value asks for: `{x}이(가)` is 이 behind
    a consonant and 가 behind a vowel. Behind what is read in many ways, both forms stay.

    >>> with_particles("{what}이(가)", {"what": "출력"}), with_particles("{n}(으)로", {"n": 2})
    ('{what}이', '{n}로')
    """
    return _PARTICLE.sub(
        lambda found: f"{{{found[1]}}}{_agreed(found[2], str(values.get(found[1], '')))}", text
    )


def _agreed(particle: str, value: str) -> str:
    last = value[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
    elif last.isascii() and last.isdigit():
        final = _FINAL_OF_DIGITS[int(last)]
    else:
        return particle
    behind_consonant, behind_vowel = _PARTICLES[particle]
    is_vowel = final == 0 or (particle == "(으)로" and final == _RIEUL)
    return behind_vowel if is_vowel else behind_consonant


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
