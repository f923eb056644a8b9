"""Every refusal of a rubric is pinned in full, in English and in Korean: see refusals.yaml.

A refusal of the YAML layer, or a sentence of it, that has no case there is named by a test here.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import yaml

from grader.course import (
    cycles,
    follow_through,
    late,
    mark_schemes,
    questions,
    rubric_file,
    rubric_form,
    rubric_rules,
    schema,
    totals,
    yaml_source,
    yaml_syntax,
)
from grader.course.rubric_file import RubricError, load_rubric
from grader.text.language import ENGLISH, language_in_use, use_language
from tests.unit.samples import RUBRIC_TEXT

MODULES = (
    cycles, follow_through, late, mark_schemes, questions, rubric_file, rubric_form, rubric_rules,
    schema, totals, yaml_source, yaml_syntax,
)  # fmt: skip
FILES = {str(module.__file__): Path(str(module.__file__)) for module in MODULES}
REPORTING = ("problem", "key_problem")
"""The methods that report a problem."""
QUOTED = re.compile(r"""'[^']*'|"[^"]*"|[({\[][^])}]*[])}]""")
ORIGINAL_WORDS = re.compile(r"\(영어\): .*")
"""Words of the parser or the operating system, announced as English."""
KEYS = "points visibility scoring requires follow_through copied policy"
KEYS += " deadline grace per_day at_most free_days closes_after"
KEYS += " totals drop bonuses caps lowest of reason reaching"
NAMES = "YAML UTF UTC HTML U torch true false"
"""Words that are the same in every language."""


@dataclass(frozen=True)
class Refusal:
    """A rubric, and what is said of it in each language."""

    name: str
    content: bytes
    told: dict[str, str]


def refusals() -> Iterator[Refusal]:
    table = Path(__file__).with_name("refusals.yaml").read_text(encoding="utf-8")
    for case in yaml.load(table, Loader=yaml_source.LOADER):
        text = case.get("file", RUBRIC_TEXT)
        for change in case.get("change", ()):
            assert change["from"] in text, case["name"]
            text = text.replace(change["from"], change["to"], 1)
        content = text.encode(case.get("encoding", "utf-8"))
        yield Refusal(case["name"], content, {"en": case["en"], "ko": case["ko"]})


REFUSALS = tuple(refusals())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand where the rubric is, so that its name is short; speak English afterwards."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def speaking(language: str) -> Iterator[None]:
    before = language_in_use()
    use_language(language)
    try:
        yield
    finally:
        use_language(before)


def refused(content: bytes) -> str:
    path = Path("rubric.yaml")
    path.write_bytes(content)
    with pytest.raises(RubricError) as caught:
        load_rubric(path)
        load_rubric(path, with_seed=False)  # refuses more
    return str(caught.value)


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_a_refusal_is_said_in_full(refusal: Refusal, language: str) -> None:
    with speaking(language):
        assert refused(refusal.content) == refusal.told[language]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_a_machine_without_the_compiled_parser_says_the_same(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_source, "LOADER", yaml.SafeLoader)
    assert refused(refusal.content) == refusal.told["en"]


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (ENGLISH, "rubric.yaml  cannot be read: {}"),
        ("ko", "rubric.yaml  읽을 수 없습니다. 운영체제의 설명(영어): {}"),
    ],
    ids=["en", "ko"],
)
@pytest.mark.parametrize("reason", ["Is a directory", "No such file or directory"])
def test_a_file_that_cannot_be_read_is_refused(language: str, message: str, reason: str) -> None:
    if reason == "Is a directory":
        Path("rubric.yaml").mkdir()
    with speaking(language), pytest.raises(RubricError) as caught:
        load_rubric(Path("rubric.yaml"))
    assert str(caught.value) == message.format(reason)


def test_each_case_has_a_name_of_its_own() -> None:
    names = [refusal.name for refusal in REFUSALS]
    assert sorted(set(names)) == sorted(names)


# ---- nothing is left out -----------------------------------------------------------------------


def sites(tree: ast.AST) -> Iterator[range]:
    """Yield the lines of each place where a problem is reported, or yielded with its place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call | ast.Yield) and _reports(node):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _reports(node: ast.Call | ast.Yield) -> bool:
    if isinstance(node, ast.Yield):
        return isinstance(node.value, ast.Tuple)
    return isinstance(node.func, ast.Attribute) and node.func.attr in REPORTING


def executed() -> set[tuple[str, int]]:
    """Return every line of the modules that runs while all the cases are refused."""
    lines: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _argument: Any) -> Any:
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        for refusal in REFUSALS:
            refused(refusal.content)
        Path("rubric.yaml").unlink()
        with pytest.raises(RubricError):
            load_rubric(Path("rubric.yaml"))
    finally:
        sys.settrace(before)
    return lines


def unpinned(lines: set[tuple[str, int]]) -> list[str]:
    return [
        f"{path.name}:{site.start}"
        for name, path in FILES.items()
        for site in sites(ast.parse(path.read_text(encoding="utf-8")))
        if not any((name, line) in lines for line in site)
    ]


def test_every_place_that_refuses_has_a_case() -> None:
    assert unpinned(executed()) == []


def test_a_place_without_a_case_is_named() -> None:
    """The positive control: were there no cases, every place would be named."""
    everywhere = unpinned(set())
    assert len(everywhere) > 50
    assert {name.partition(":")[0] for name in everywhere} >= {
        "follow_through.py",
        "questions.py",
        "rubric_file.py",
        "rubric_rules.py",
        "schema.py",
        "yaml_source.py",
    }


def sentences(tree: ast.AST) -> Iterator[str]:
    """Yield every text that is looked up in a catalogue."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("_", "marked"):
            for text in node.args[:1]:
                if isinstance(text, ast.Constant):
                    yield str(text.value)


def unsaid(texts: list[str], pinned: str) -> list[str]:
    """Return the texts that stand nowhere in what is pinned, whatever fills their places."""
    return [
        text
        for text in texts
        if not re.search("(?s:.+?)".join(map(re.escape, re.split(r"\{\w+\}", text))), pinned)
    ]


def test_every_sentence_has_a_case() -> None:
    texts = [
        text
        for path in FILES.values()
        for text in sentences(ast.parse(path.read_text(encoding="utf-8")))
    ]
    elsewhere = ["cannot be read: {reason}"]
    assert len(texts) > 50
    assert unsaid(texts, "\n".join(one.told["en"] for one in REFUSALS)) == elsewhere


def test_a_sentence_without_a_case_is_named() -> None:
    assert unsaid(["{x} is here", "{x} is not"], "nobody is here") == ["{x} is not"]


# ---- wholly Korean -----------------------------------------------------------------------------


def foreign(message: str, content: bytes) -> set[str]:
    """Return the words in Latin letters that are neither quoted, nor the file's, nor names."""
    # Behind the place, and the path of keys, which the file has.
    said = (line.partition("  ")[2] for line in message.split("\n"))
    text = QUOTED.sub(" ", ORIGINAL_WORDS.sub("", "\n".join(said)))
    known = set(re.findall(r"\w+", content.decode(errors="replace")))
    known |= set(f"{KEYS} {NAMES}".split())
    return {word for word in re.findall(r"[A-Za-z]\w*", text) if word.isascii()} - known


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_in_korean_nothing_is_english_but_what_the_file_says(refusal: Refusal) -> None:
    assert foreign(refusal.told["ko"], refusal.content) == set()


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_english_would_be_noticed(refusal: Refusal) -> None:
    """The positive control."""
    assert foreign(refusal.told["en"], refusal.content)
