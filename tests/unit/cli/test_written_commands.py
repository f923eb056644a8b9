"""Every command that a page, a sentence of the grader or its translation names can be typed.

Its options are there, with what they want, and it takes as many names. In commands that are only
spoken of a value may be missing: `grader batch --shard`.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from babel.messages.pofile import read_po

from grader.cli.cli import COMMANDS, cli
from tests.support.guide import ROOT, blocks, commands_in_sentences

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
CATALOGUES = sorted(ROOT.glob("*/locale/*/LC_MESSAGES/*.po"))
MODULES = sorted((ROOT / "grader").rglob("*.py"))
SYNOPSIS = "[OPTIONS]"
"""In docs/commands.md, which is made from the commands themselves."""
STANDS_FOR = re.compile(r"[A-Z]+|\{\w+\}|<\w+>")
"""What stands for a word that the reader knows."""


def on_page(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    yield from commands_in_sentences(text)
    outdented = re.sub(r"^ +", "", text, flags=re.MULTILINE)
    for block in blocks(outdented):
        for line in block.text.splitlines():
            command = re.split(r"\s+#|\s+&&", line)[0].removeprefix("$ ")
            if re.match(r"(?:\S*/)?grader \S", command) and SYNOPSIS not in command:
                yield command


def in_catalogue(path: Path) -> Iterator[str]:
    with path.open("rb") as stream:
        for message in read_po(stream):
            for text in (message.id, message.string or ""):
                for form in (text,) if isinstance(text, str) else text:
                    yield from commands_in_sentences(form)


def in_module(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from commands_in_sentences(node.value)


WRITTEN = {
    path.relative_to(ROOT).as_posix(): [*dict.fromkeys(read(path))]
    for paths, read in ((PAGES, on_page), (CATALOGUES, in_catalogue), (MODULES, in_module))
    for path in paths
}


def fault(written: str) -> str:
    """Return what the command line has against a command; nothing if it can be typed."""
    name, *words = shlex.split(re.sub(r" (…|\.\.\.)", "", written))[1:]
    if name.startswith("-"):
        return "" if any(name in one.opts for one in _parameters(cli)) else f"no option {name}"
    if name not in COMMANDS:
        return f"no command {name}"
    listed = cli.commands[name]
    command = listed.imported()  # type: ignore[attr-defined]
    if words and any(words[-1] in one.opts and not _alone(one) for one in _parameters(command)):
        words.pop()
    try:
        return _fault(command, words)
    except click.UsageError as error:
        return error.format_message()


def _parameters(command: click.Command) -> list[click.Parameter]:
    return command.get_params(_context(command))


def _context(command: click.Command) -> click.Context:
    """Return a context with the settings of the command line: click keeps a help option it made."""
    return click.Context(command, **cli.context_settings)


def _alone(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count)


def _fault(command: click.Command, words: list[str]) -> str:
    context = _context(command)
    given, left, _order = command.make_parser(context).parse_args(words)
    if left:
        return f"too many words: {shlex.join(left)}"
    for parameter in command.params:
        value = given.get(str(parameter.name))
        for one in value if isinstance(value, list | tuple) else [value]:
            known = not isinstance(one, str) or STANDS_FOR.fullmatch(one)
            if isinstance(parameter.type, click.Choice) and not known:
                parameter.type.convert(one, parameter, context)
    return ""


@pytest.mark.parametrize("place", [place for place, written in WRITTEN.items() if written])
def test_each_command_that_is_written_can_be_typed(place: str) -> None:
    assert {one: fault(one) for one in WRITTEN[place] if fault(one)} == {}


def test_commands_are_found_in_sentences_in_blocks_and_in_translations() -> None:
    assert "grader merge results/ part-*" in WRITTEN["docs/guide-ta.md"]
    assert "grader marking results/ --graders 2" in WRITTEN["docs/guide-ta.md"]
    assert "grader export results/ --as moodle --fill worksheet.csv" in WRITTEN["docs/guide-ta.md"]
    assert "grader check hand-in.zip" in WRITTEN["docs/guide-student.ko.md"]
    assert "grader lens RESULTS" in WRITTEN["docs/locale/ko/LC_MESSAGES/guide-author.po"]
    assert "grader batch --shard" in WRITTEN["grader/cli/commands/merge.py"]
    assert sum(map(len, WRITTEN.values())) > 250


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("grader grade work", "no command grade"),
        ("grader --verbose", "no option --verbose"),
        ("grader check --repot html=a.html", "No such option"),
        ("grader check one two", "too many words: two"),
        ("grader check --format pdf", "Invalid value for '--format'"),
        ("grader check --only", ""),
        ("grader check --watch", ""),
        ("grader export RESULTS --as FORMAT", ""),
        (".venv/bin/grader batch … --attempt best", ""),
        ("grader --version", ""),
    ],
)
def test_a_command_that_cannot_be_typed_is_noticed(written: str, expected: str) -> None:
    assert fault(written).startswith(expected) and bool(fault(written)) == bool(expected)
