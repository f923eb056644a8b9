"""Translate the hand-outs of a course into the languages that it has a catalogue for.

The catalogue `handouts` stands beside the others of the course, `reference/locale/`; in it every
paragraph is on one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from grader.course.question_text import PLACEHOLDER, question_text
from grader.course.questions import Wording, WrittenItem
from grader.text.language import COURSE_LOCALE, ENGLISH, LANGUAGES
from grader.text.paragraphs import Translate, translated_text

DOMAIN = "handouts"


def handout_languages(root: Path) -> tuple[str, ...]:
    """Return the languages besides English in which the course at `root` has hand-outs."""
    others = (language for language in LANGUAGES if language != ENGLISH)
    return tuple(language for language in others if _catalogue(root, language).is_file())


def translation(root: Path, language: str) -> Translate:
    """Return the function that translates a paragraph of the course's hand-outs."""
    from gettext import GNUTranslations  # not for a course that speaks English only

    with _catalogue(root, language).open("rb") as file:
        return GNUTranslations(file).gettext


def with_wordings(root: Path, items: Mapping[str, WrittenItem]) -> dict[str, WrittenItem]:
    """Return the same questions, each with its wordings in other languages."""
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
