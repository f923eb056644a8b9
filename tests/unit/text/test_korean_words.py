"""All Korean that people read keeps to docs/glossary-ko.md: its words, and one register."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[3]
GLOSSARY = ROOT / "docs" / "glossary-ko.md"
FOLDERS = ("grader/locale", "reference/locale", "docs/locale")
CATALOGUES = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"{folder}/ko/**/*.po"))]
HANDED_OUT = sorted(path for path in ROOT.glob("assignments/ko/*") if path.is_file())
GUIDES = [path for path in sorted(ROOT.glob("docs/guide-*.md"))]
FOR_STAFF = sorted([*ROOT.glob("reference/guides/ko/*.md"), *ROOT.glob("docs/syllabus.ko.md")])

_PARTICLE = (
    "이|가|은|는|을|를|의|에|와|과|도|로|으로|만|마다|끼리|에서|에는|에도|에게|까지|부터|처럼|이나|나|이라|입니다"
    "|이고|이며|인|이면|일"
)
_POLITE = re.compile(r"[가-힣]*(?<!세)(?<!까)요(?=[.!?,:)\"'’”]|$)", re.MULTILINE)
"""The end of a sentence in 해요체; ~세요 and ~까요 are used."""
_NO_END = ("필요", "중요", "주요", "요", "아니요")
"""Words that end so, and no sentence does."""
_FORMAL = re.compile(r"[가-힣]*십시오")


@cache
def banned() -> dict[str, re.Pattern[str]]:
    """Return what the glossary's last column says not to write, each with what finds it."""
    text = GLOSSARY.read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]*)\|$", text, re.MULTILINE)
    words = [word.strip() for row in rows for word in row.split(",")]
    return {word: _finder(word) for word in words if word not in ("", "---", "쓰지 않는 말")}


def _finder(word: str) -> re.Pattern[str]:
    if word.endswith("…"):
        return re.compile(rf"(?<![가-힣]){re.escape(word[:-1])}")
    return re.compile(rf"(?<![가-힣]){re.escape(word)}(?:들)?(?:{_PARTICLE})*(?![가-힣])")


def faults(text: str) -> Iterator[str]:
    """Yield each word of a text that the glossary rules out, with what stands around it."""
    for word, finder in banned().items():
        for match in finder.finditer(text):
            yield f"{word}: {text[max(match.start() - 20, 0) : match.end() + 10]}"
    for finder in (_POLITE, _FORMAL):
        for match in finder.finditer(text):
            if match[0] not in _NO_END:
                yield f"register: {text[max(match.start() - 20, 0) : match.end()]}"


def sentences(path: Path) -> Iterator[str]:
    """Yield the translations of a catalogue."""
    with path.open("rb") as stream:
        for message in read_po(stream):
            if message.id:
                texts = [message.string] if isinstance(message.string, str) else message.string
                yield from texts or ()


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_catalogues_keep_to_the_glossary(path: Path) -> None:
    assert [fault for text in sentences(path) for fault in faults(text)] == []


@pytest.mark.parametrize("path", [*HANDED_OUT, *GUIDES, *FOR_STAFF], ids=lambda path: path.name)
def test_what_is_handed_out_keeps_to_the_glossary(path: Path) -> None:
    assert list(faults(path.read_text("utf-8"))) == []


def test_everything_is_looked_at() -> None:
    names = [path.stem for path in CATALOGUES]
    assert names[:3] == ["grader", "course", "handouts"]
    assert {"index", "guide-ta", "guide-ci"} < {*names[3:]}
    assert len(HANDED_OUT) > 10
    assert len(banned()) > 30


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("헤드의 폭이 다릅니다.", "폭: 헤드의 폭이 다릅니다.", id="with a particle"),
        pytest.param("보폭과 대폭, 증폭.", "보폭: 보폭과 대폭, 증폭.", id="inside of others"),
        pytest.param("항들의 합", "항: 항들의 합", id="plural"),
        pytest.param("키에 주목하면", "주목…: 키에 주목하면", id="any ending"),
        pytest.param("인과 마스크를 씁니다", "인과 마스크…: 인과 마스크를 씁니다", id="two words"),
        pytest.param("나누지 않았어요.", "register: 나누지 않았어요", id="polite"),
        pytest.param("무엇인가요?", "register: 무엇인가요", id="polite question"),
        pytest.param("답하십시오.", "register: 답하십시오", id="formal"),
    ],
)
def test_a_fault_is_found(text: str, fault: str) -> None:
    assert list(faults(text)) == [fault]


@pytest.mark.parametrize(
    "text",
    ["항상 사인과 코사인을 쓰고", "문항과 항목", "확인하세요.", "얼마일까요?", "필요.", "원인과"],
)
def test_other_words_are_left_alone(text: str) -> None:
    assert list(faults(text)) == []
