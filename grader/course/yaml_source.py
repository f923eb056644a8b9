"""Read a YAML file as places with line and column, so that every problem can be pointed at.

Only plain data is let in: no aliases, no tags, no tabs. The same input is refused, at the same
place and in the same words, with or without the compiled YAML parser; except for a `?` before a
closing bracket, as in `{question: Why?}`, which only the compiled one reads.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.course.yaml_syntax import Position, syntax_problem
from grader.text.language import _, marked
from grader.text.problem import Problem, Trail, dotted, quoted

# The pure parser is about ten times slower; both give the same nodes.
LOADER: type[yaml.SafeLoader] | type[yaml.CSafeLoader] = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)

MAX_DEPTH = 32
"""The deepest nesting that is read; deeper is refused before anything recursive sees it."""

# What YAML 1.1 cannot hold. A tab that no '#' precedes could be indentation: only one parser
# refuses it in some places, so we refuse it everywhere.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAB = re.compile(r"^[^#\t\n]*(\t)", re.MULTILINE)

_KINDS = {
    "tag:yaml.org,2002:bool": marked("the boolean {value}"),
    "tag:yaml.org,2002:int": marked("the number {value}"),
    "tag:yaml.org,2002:float": marked("the number {value}"),
    "tag:yaml.org,2002:timestamp": marked("the date {value}"),
}


@dataclass(eq=False)
class Source:
    """One file while it is read: its places, and the problems found so far."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    places: dict[Trail, Place] = field(default_factory=dict, repr=False)
    """Every place that was visited, for checks that come after the reading."""
    root: Place | None = None
    """None when the file is no YAML, or holds something that is refused."""

    def problem(self, position: Position, message: str, trail: Trail = ()) -> None:
        self.problems.append(Problem(self.file, *position, dotted(trail), message))


@dataclass(frozen=True, eq=False)
class Place:
    """A value in the file, with the key it belongs to."""

    source: Source = field(repr=False)
    trail: Trail
    node: Node
    key: Node | None = None

    def __post_init__(self) -> None:
        self.source.places[self.trail] = self

    @property
    def name(self) -> str:
        """Return the last step of the trail."""
        return str(self.trail[-1]) if self.trail else ""

    def problem(self, message: str) -> None:
        """Report a problem with the value."""
        self.source.problem(_start(self.node), message, self.trail)

    def key_problem(self, message: str) -> None:
        """Report a problem with the key, or with the entry as a whole."""
        self.source.problem(_start(self.key or self.node), message, self.trail)

    @property
    def text(self) -> str | None:
        """Return the scalar as written, without quotes; None for lists, mappings and nothing."""
        if not isinstance(self.node, ScalarNode) or self.kind == "null":
            return None
        return str(self.node.value)

    @property
    def kind(self) -> str:
        """Return YAML's name of the value's type, such as `str`, `int`, `null`, `map` or `seq`."""
        return self.node.tag.rpartition(":")[2]

    @property
    def shown(self) -> str:
        """Return the value in a few words, for `expected …, got …`."""
        if isinstance(self.node, MappingNode):
            return _("a mapping")
        if isinstance(self.node, SequenceNode):
            return _("a list")
        if self.text is None:
            return _("nothing")
        kind = _KINDS.get(self.node.tag)
        return _(kind, value=quoted(self.text)) if kind else quoted(self.text)

    def items(self) -> tuple[Place, ...] | None:
        """Return the elements of a list; None when this is no list."""
        if not isinstance(self.node, SequenceNode):
            return None
        nodes = enumerate(self.node.value)
        return tuple(Place(self.source, (*self.trail, index), node) for index, node in nodes)

    def entries(self) -> dict[str, Place] | None:
        """Return the values of a mapping by key; None when this is no mapping.

        Reports keys given twice (the first one counts) and keys that are no plain word.
        """
        if not isinstance(self.node, MappingNode):
            return None
        result: dict[str, Place] = {}
        for key, value in self.node.value:
            if not isinstance(key, ScalarNode):
                self.source.problem(_start(key), _("expected a plain word as the key"), self.trail)
                continue
            name = str(key.value)
            trail = (*self.trail, name)
            if first := result.get(name):
                line = _start(first.key or first.node)[0]
                twice = _(
                    "duplicate key {name}, first given in line {line} - delete one of them",
                    name=quoted(name),
                    line=line,
                )
                self.source.problem(_start(key), twice, trail)
            else:
                result[name] = Place(self.source, trail, value, key)
        return result


def read_source(path: Path, but: re.Pattern[bytes] | None = None) -> Source:
    """Read the file; return its root place, or the reasons why there is none. Never raises.

    Reports what makes the file unreadable as YAML, and everything that is more than plain data. In
    the text that matches the first group of `but`, `x` takes the place of everything but blanks and
    line breaks, and no copy of it stays in memory.
    """
    source = Source(displayed(path))
    try:
        raw = path.read_bytes() if but is None else _read_but(path, but)
    except OSError as error:
        reason = error.strerror or error
        source.problem((0, 0), _("cannot be read: {reason}", reason=reason))
        return source
    text = _decoded(raw, source)
    if text is None or not _is_plain(text, source):
        return source
    node = yaml.compose(text, Loader=LOADER)
    if node is None:
        source.problem((1, 1), _("the file is empty - write it, or restore it"))
    else:
        source.root = Place(source, (), node)
    return source


def _read_but(path: Path, but: re.Pattern[bytes]) -> bytes:
    with path.open("rb", buffering=0) as file:
        raw = bytearray(os.fstat(file.fileno()).st_size)
        del raw[file.readinto(raw) or 0 :]
    for start, end in [result.span(1) for result in but.finditer(raw)]:
        for at in range(start, end):  # in the place it was read to: no copy is left
            if raw[at] not in b" \t\r\n":
                raw[at] = ord("x")
    return bytes(raw)


def displayed(path: Path) -> str:
    """Return the file's name as problems show it."""
    # People click on these: short where that is possible, whole where it is not.
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def _start(node: Node) -> Position:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _decoded(raw: bytes, source: Source) -> str | None:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        source.problem((1, 1), _("the file is UTF-16 - save it as UTF-8"))
        return None
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        for number, line in enumerate(raw.split(b"\n"), start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                column = len(line[: error.start].decode()) + 1
                byte = f"0x{line[error.start]:02x}"
                message = _("byte {byte} is not UTF-8 - save the file as UTF-8", byte=byte)
                source.problem((number, column), message)
        return None


def _is_plain(text: str, source: Source) -> bool:
    """Tell whether the text is one YAML document of plain data; report why not."""
    for result in _UNPRINTABLE.finditer(text):
        character = f"U+{ord(result[0]):04X}"
        refused = _("the character {character} is not allowed - delete it", character=character)
        source.problem(_position(text, result.start()), refused)
    for result in _TAB.finditer(text):
        refused = _("a tab is not allowed here - use spaces (inside double quotes: \\t)")
        source.problem(_position(text, result.start(1)), refused)
    if not source.problems:
        try:
            for position, message in _refusals(text):
                source.problem(position, message)
        except MarkedYAMLError as error:
            source.problem(*syntax_problem(text, error))
    return not source.problems


def _position(text: str, index: int) -> Position:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _refusals(text: str) -> Iterator[tuple[Position, str]]:
    """Yield everything in the text that YAML allows and we do not.

    Reads events, not nodes: an alias bomb or a tower of brackets costs its length and no more.
    """
    depth = documents = 0
    for event in yaml.parse(text, Loader=LOADER):
        mark = event.start_mark
        position = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if isinstance(event, AliasEvent):
            alias = quoted(f"*{event.anchor}")
            yield position, _("aliases are refused: write out what {alias} stands for", alias=alias)
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                yield position, _("a second document begins here: expected one - delete this '---'")
        elif isinstance(event, CollectionEndEvent):
            depth -= 1
        if isinstance(event, ScalarEvent | CollectionStartEvent) and event.tag:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            yield position, _("tags are refused: delete {tag}", tag=quoted(tag))
        if isinstance(event, CollectionStartEvent):
            depth += 1
            if depth == MAX_DEPTH + 1:
                message = _("nested more than {count} levels deep - take some out", count=MAX_DEPTH)
                yield position, message
