"""Translate the hand-outs of a course into the languages that it has a catalogue for.

The catalogue `handouts` stands beside the others of the course, `reference/locale/`; in it every
paragraph is on one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from grader.course.question_text import PLACEHOLDER, question_text
from grader.course.questions import Wording, WrittenItem
from grader.text.language import COURSE_LOCALE, ENGLISH, LANGUAGES
from grader.text.paragraphs import Translate, translated_text

DOMAIN = "handouts"
BEFORE = "answers_before.md"
"""Beside a language's catalogues: its `answers.md` in words that were handed out earlier."""


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
    speak = [(translation(root, language), _before(root, language)) for language in languages]
    return {
        slug: replace(
            item, wordings=tuple(one for voice in speak for one in _wordings(item, *voice))
        )
        for slug, item in items.items()
    }


def _wordings(item: WrittenItem, translate: Translate, before: str) -> Iterator[Wording]:
    placeholder = translate(PLACEHOLDER)
    yield Wording(translated_text(question_text(item), translate), placeholder)
    if before:  # whoever began in a hand-out of last week hands in its questions as well
        yield Wording(before, placeholder)


def _before(root: Path, language: str) -> str:
    earlier = root / COURSE_LOCALE / language / BEFORE
    return earlier.read_text("utf-8") if earlier.is_file() else ""


def _catalogue(root: Path, language: str) -> Path:
    return root / COURSE_LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
