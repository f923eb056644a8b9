"""The hand-outs of a course in the languages that it has a catalogue of them for.

The catalogue `handouts` stands beside the others of the course, `reference/locale/`; in it every
paragraph is on one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from grader.language import COURSE_LOCALE, ENGLISH, LANGUAGES
from grader.paragraphs import Translate, translated_text
from grader.written.ask import PLACEHOLDER, question_text
from grader.written.items import Wording, WrittenItem

DOMAIN = "handouts"


def handout_languages(root: Path) -> tuple[str, ...]:
    """The languages besides English in which the course at `root` hands out its assignments."""
    others = (language for language in LANGUAGES if language != ENGLISH)
    return tuple(language for language in others if _catalogue(root, language).is_file())


def translation(root: Path, language: str) -> Translate:
    """What translates a paragraph of the course's hand-outs."""
    from gettext import GNUTranslations  # not for a course that speaks English only

    with _catalogue(root, language).open("rb") as file:
        return GNUTranslations(file).gettext


def with_wordings(root: Path, items: Mapping[str, WrittenItem]) -> dict[str, WrittenItem]:
    """The same questions, each with how it is asked in other languages."""
    languages = handout_languages(root) if items else ()
    speak = [translation(root, language) for language in languages]
    return {
        slug: replace(item, wordings=tuple(_wording(item, translate) for translate in speak))
        for slug, item in items.items()
    }


def _wording(item: WrittenItem, translate: Translate) -> Wording:
    return Wording(translated_text(question_text(item), translate), translate(PLACEHOLDER))


def _catalogue(root: Path, language: str) -> Path:
    return root / COURSE_LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
