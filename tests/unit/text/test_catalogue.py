"""Of a catalogue only what was chosen goes on, and reads as before."""

from __future__ import annotations

from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

from grader.text.catalogue import chosen_texts

COURSE = Path(__file__).parents[3] / "reference" / "locale" / "ko" / "LC_MESSAGES" / "course.mo"


def test_chosen_texts_are_translated_and_others_are_not_there() -> None:
    whole = GNUTranslations(BytesIO(COURSE.read_bytes()))
    texts = sorted(text for text in vars(whole)["_catalog"] if isinstance(text, str) and text)
    chosen = set(texts[::50])
    assert len(chosen) > 20

    written = chosen_texts(COURSE.read_bytes(), lambda text: text in chosen)

    own = GNUTranslations(BytesIO(written))
    assert {text for text in vars(own)["_catalog"] if text} == chosen
    assert all(own.gettext(text) == whole.gettext(text) for text in texts if text in chosen)
    assert all(own.gettext(text) == text for text in texts if text not in chosen)


def test_it_is_the_same_bytes_each_time() -> None:
    data = COURSE.read_bytes()
    assert chosen_texts(data, bool) == chosen_texts(data, bool)
