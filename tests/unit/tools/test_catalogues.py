"""The catalogues of translations: complete, up to date, and in the language that they are for."""

from __future__ import annotations

import gettext
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from grader.text.language import ENGLISH, LANGUAGES
from tools.catalogues import DOMAINS, Domain, as_mo, as_po, stale, template_of, updated

TRANSLATED = [(domain, language) for domain in DOMAINS for language in LANGUAGES[1:]]
each_catalogue = pytest.mark.parametrize(
    ("domain", "language"),
    [pytest.param(*pair, id=f"{pair[0].name}-{pair[1]}") for pair in TRANSLATED],
)
PLACE = re.compile(r"\{\w*\}")
CODE = re.compile(r"`+[^`]*`+")
# What is English in every language: names of papers and their authors, paths and commands.
SOURCE = re.compile(r"\b(?:et al\.|19\d\d|20\d\d)")
SENTENCE = re.compile(r"[A-Za-z][a-z'’]+(?:,? [A-Za-z][a-z'’]+){2,}")
QUOTE = re.compile(r'"[^"]+"')
HANGUL = re.compile(r"[가-힣]")


@cache
def catalogue(domain: Domain, language: str) -> Catalog:
    with domain.po(language).open("rb") as file:
        return read_po(file, locale=language)


def pairs(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Every sentence with its translation; of one that counts, the one for many."""
    for message in catalog:
        if message.id:
            text = message.id if isinstance(message.id, str) else message.id[-1]
            told = message.string or ""
            yield text, told if isinstance(told, str) else told[-1]


def complaints(catalog: Catalog) -> list[str]:
    """What is wrong with a catalogue, in a line each."""
    found = [f"fuzzy: {message.id}" for message in catalog if message.id and message.fuzzy]
    for text, translated in pairs(catalog):
        if not translated.strip():
            found.append(f"not translated: {text}")
        elif set(PLACE.findall(text)) != set(PLACE.findall(translated)):
            found.append(f"other places: {text}")
        elif (text[:1].isspace(), text[-1:].isspace()) != (
            translated[:1].isspace(),
            translated[-1:].isspace(),
        ):
            found.append(f"other blanks around it: {text}")
        elif SENTENCE.search(own_words(text, translated)) and not SOURCE.search(translated):
            found.append(f"English: {translated}")
        elif SENTENCE.search(CODE.sub(" ", text)) and not HANGUL.search(translated):
            found.append(f"no Korean: {translated}")
    return found


def own_words(text: str, translated: str) -> str:
    """A translation without code, and without what both quote: titles, and words of examples."""
    for quote in QUOTE.findall(text):
        translated = translated.replace(quote, " ")
    return CODE.sub(" ", translated)


def code(text: str) -> Counter[str]:
    return Counter(CODE.findall(text))


@each_catalogue
def test_every_sentence_has_a_translation(domain: Domain, language: str) -> None:
    assert complaints(catalogue(domain, language)) == []


@each_catalogue
def test_code_of_the_course_stays_as_it_is(domain: Domain, language: str) -> None:
    """What stands in back quotes is code, and no translation adds to the course's or loses any."""
    if domain.name in ("course", "handouts"):
        changed = [
            text for text, ko in pairs(catalogue(domain, language)) if code(text) != code(ko)
        ]

        assert changed == []


def test_the_catalogues_are_up_to_date() -> None:
    """After a change of a sentence: `make catalogues`, and translate what it says."""
    assert stale() == []


@pytest.mark.parametrize(
    ("text", "translated", "complaint"),
    [
        pytest.param("a b", "", "not translated: a b", id="none"),
        pytest.param("see {x}", "보세요", "other places: see {x}", id="place lost"),
        pytest.param("see", "{x} 보세요", "other places: see", id="place added"),
        pytest.param("or ", "또는", "other blanks around it: or ", id="blanks"),
        pytest.param(
            "a", "이것은 the wrong way round", "English: 이것은 the wrong way round", id="en"
        ),
        pytest.param("a", '이 "wrong way round"', 'English: 이 "wrong way round"', id="new quote"),
        pytest.param("one two three", "1 2 3", "no Korean: 1 2 3", id="no Korean"),
    ],
)
def test_each_complaint_can_be_made(text: str, translated: str, complaint: str) -> None:
    """The positive control."""
    catalog = Catalog(locale="ko")
    catalog.add(text, translated)

    assert complaints(catalog) == [complaint]


def test_what_is_quoted_may_stay_as_it_is() -> None:
    catalog = Catalog(locale="ko")
    catalog.add('See "All You Need", 3.1:', '"All You Need", 3.1절:')

    assert complaints(catalog) == []


def test_what_was_not_looked_at_is_told() -> None:
    catalog = Catalog(locale="ko")
    catalog.add("one", "하나", flags=["fuzzy"])

    assert complaints(catalog) == ["fuzzy: one"]


def toy(folder: Path, *texts: str) -> Domain:
    return Domain("toy", folder, lambda: iter([(text, "toy.py") for text in texts]))


def test_translations_are_kept_and_new_sentences_are_asked_for(tmp_path: Path) -> None:
    before = toy(tmp_path, "The first sentence.", "The second one.")
    catalog = updated(before, "ko")
    catalog["The first sentence."].string = "첫 문장."
    before.po("ko").parent.mkdir(parents=True)
    before.po("ko").write_bytes(as_po(catalog))
    after = updated(toy(tmp_path, "The first sentence.", "Quite another, and new."), "ko")

    assert dict(pairs(after)) == {"The first sentence.": "첫 문장.", "Quite another, and new.": ""}


def test_a_reworded_sentence_keeps_its_old_translation_as_a_guess(tmp_path: Path) -> None:
    before = toy(tmp_path, "Each row of the weights adds up to 1.")
    catalog = updated(before, "ko")
    catalog["Each row of the weights adds up to 1."].string = "각 행의 합은 1이에요."
    before.po("ko").parent.mkdir(parents=True)
    before.po("ko").write_bytes(as_po(catalog))
    after = updated(toy(tmp_path, "Each row of all weights adds up to 1."), "ko")

    assert complaints(after) == ["fuzzy: Each row of all weights adds up to 1."]


def test_what_programs_read_holds_what_people_wrote(tmp_path: Path) -> None:
    catalog = updated(toy(tmp_path, "One sentence."), "ko")
    catalog["One sentence."].string = "한 문장."
    file = tmp_path / "toy.mo"
    file.write_bytes(as_mo(catalog))
    with file.open("rb") as stream:
        texts = gettext.GNUTranslations(stream)

    assert texts.gettext("One sentence.") == "한 문장."


def test_a_changed_sentence_makes_the_files_stale(tmp_path: Path) -> None:
    """The positive control of the freshness."""
    domain = toy(tmp_path, "One sentence.")
    domain.po("ko").parent.mkdir(parents=True)
    domain.po("ko").write_bytes(as_po(updated(domain, "ko")))
    domain.mo("ko").write_bytes(as_mo(updated(domain, "ko")))

    assert stale([domain]) == []
    assert stale([toy(tmp_path, "Another sentence.")]) == [domain.po("ko")]


def test_the_tool_and_the_course_are_both_read() -> None:
    tool, course = (
        dict.fromkeys(m.id for m in template_of(domain) if m.id) for domain in DOMAINS[:2]
    )

    assert "{what} has shape {shape}" in tool
    assert ("1 more check in {criterion}", "{count} more checks in {criterion}") in tool
    assert {
        "Scores are not divided by √Dh.",  # a cause
        "Each row of the weights adds up to 1.",  # would be a title
        "output of {count} tokens",  # an f-string of a suite
        "the output projection is a parameter",  # a way of storing
        "queries",  # an axis
    } - set(course) == {"Each row of the weights adds up to 1."}
    assert ENGLISH not in [language for _domain, language in TRANSLATED]
