"""A YAML file as places that know their line and column, so that every problem can be pointed at.

Only plain data is let in: no aliases, no tags, no tabs. What is refused, where and in which words
does not depend on whether the compiled YAML parser is installed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from grader.problem import Problem, Trail, dotted, quoted

Position = tuple[int, int]
"""Line and column, both counted from 1."""

# The pure parser is about ten times slower; both give the same nodes.
LOADER: type[yaml.SafeLoader] | type[yaml.CSafeLoader] = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)

MAX_DEPTH = 32
"""Deeper nesting than this is refused, before anything recursive sees it."""

# What YAML 1.1 cannot hold. A tab that no '#' precedes could be indentation: only one parser
# refuses it in some places, so we refuse it everywhere.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAB = re.compile(r"^[^#\t\n]*(\t)", re.MULTILINE)

_KINDS = {
    "tag:yaml.org,2002:bool": "the boolean",
    "tag:yaml.org,2002:int": "the number",
    "tag:yaml.org,2002:float": "the number",
    "tag:yaml.org,2002:timestamp": "the date",
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
        """The last step of the trail."""
        return str(self.trail[-1]) if self.trail else ""

    def problem(self, message: str) -> None:
        """Reports a problem with the value."""
        self.source.problem(_start(self.node), message, self.trail)

    def key_problem(self, message: str) -> None:
        """Reports a problem with the key, or with the entry as a whole."""
        self.source.problem(_start(self.key or self.node), message, self.trail)

    @property
    def text(self) -> str | None:
        """The scalar exactly as it is written, quotes aside; None for lists, mappings, nothing."""
        if not isinstance(self.node, ScalarNode) or self.kind == "null":
            return None
        return str(self.node.value)

    @property
    def kind(self) -> str:
        """What YAML takes the value for: `str`, `int`, `bool`, `null`, `map`, `seq`, …"""
        return self.node.tag.rpartition(":")[2]

    @property
    def shown(self) -> str:
        """The value in a few words, for `expected …, got …`."""
        if isinstance(self.node, MappingNode):
            return "a mapping"
        if isinstance(self.node, SequenceNode):
            return "a list"
        if self.text is None:
            return "nothing"
        kind = _KINDS.get(self.node.tag)
        return f"{kind} {quoted(self.text)}" if kind else quoted(self.text)

    def items(self) -> tuple[Place, ...] | None:
        """The elements of a list; None when this is no list."""
        if not isinstance(self.node, SequenceNode):
            return None
        nodes = enumerate(self.node.value)
        return tuple(Place(self.source, (*self.trail, index), node) for index, node in nodes)

    def entries(self) -> dict[str, Place] | None:
        """The values of a mapping by key; None when this is no mapping.

        Reports keys given twice (the first one counts) and keys that are no plain word.
        """
        if not isinstance(self.node, MappingNode):
            return None
        found: dict[str, Place] = {}
        for key, value in self.node.value:
            if not isinstance(key, ScalarNode):
                self.source.problem(_start(key), "expected a plain word as the key", self.trail)
                continue
            name = str(key.value)
            trail = (*self.trail, name)
            if first := found.get(name):
                line = _start(first.key or first.node)[0]
                message = f"duplicate key {quoted(name)}, first given in line {line}"
                self.source.problem(_start(key), message, trail)
            else:
                found[name] = Place(self.source, trail, value, key)
        return found


def read_source(path: Path) -> Source:
    """The file's root place, or the reasons why there is none; never raises.

    Reports what makes the file unreadable as YAML, and everything that is more than plain data.
    """
    source = Source(_displayed(path))
    try:
        raw = path.read_bytes()
    except OSError as error:
        source.problem((0, 0), f"cannot be read: {error.strerror or error}")
        return source
    text = _decoded(raw, source)
    if text is None or not _is_plain(text, source):
        return source
    node = yaml.compose(text, Loader=LOADER)
    if node is None:
        source.problem((1, 1), "the file is empty")
    else:
        source.root = Place(source, (), node)
    return source


def _displayed(path: Path) -> str:
    # People click on these: short where that is possible, whole where it is not.
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def _start(node: Node) -> Position:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _decoded(raw: bytes, source: Source) -> str | None:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        source.problem((1, 1), "the file is UTF-16 - save it as UTF-8")
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
                message = f"byte 0x{line[error.start]:02x} is not UTF-8 - save the file as UTF-8"
                source.problem((number, column), message)
        return None


def _is_plain(text: str, source: Source) -> bool:
    """Whether the text is one YAML document of plain data; reports why not."""
    for found in _UNPRINTABLE.finditer(text):
        message = f"the character U+{ord(found[0]):04X} is not allowed - delete it"
        source.problem(_position(text, found.start()), message)
    for found in _TAB.finditer(text):
        message = "a tab is not allowed here - use spaces (inside double quotes: \\t)"
        source.problem(_position(text, found.start(1)), message)
    if not source.problems:
        try:
            for position, message in _refusals(text):
                source.problem(position, message)
        except MarkedYAMLError as error:
            source.problem(*_syntax_problem(_in_stable_words(text, error)))
    return not source.problems


def _position(text: str, index: int) -> Position:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _refusals(text: str) -> Iterator[tuple[Position, str]]:
    """What YAML allows and we do not.

    Reads events, not nodes: an alias bomb or a tower of brackets costs its length and no more.
    """
    depth = documents = 0
    for event in yaml.parse(text, Loader=LOADER):
        mark = event.start_mark
        position = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if isinstance(event, AliasEvent):
            yield position, f"aliases are refused: write out what '*{event.anchor}' stands for"
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                yield position, "a second document begins here: expected one - delete this '---'"
        elif isinstance(event, CollectionEndEvent):
            depth -= 1
        if isinstance(event, ScalarEvent | CollectionStartEvent) and event.tag:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            yield position, f"tags are refused: delete {quoted(tag)}"
        if isinstance(event, CollectionStartEvent):
            depth += 1
            if depth == MAX_DEPTH + 1:
                yield position, f"nested more than {MAX_DEPTH} levels deep"


def _in_stable_words(text: str, error: MarkedYAMLError) -> MarkedYAMLError:
    """The pure parser's account of the error: the compiled one words it differently."""
    try:
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except MarkedYAMLError as stable:
        return stable
    return error


_BLAME_CONTEXT = True
_SYNTAX: tuple[tuple[str, bool, str], ...] = (
    (r"mapping values are not allowed", False,
     "a ':' is not expected here - check the indentation, or quote text that holds ': '"),
    (r"could not find expected ':'", _BLAME_CONTEXT, "expected ':' after this key"),
    (r"expected ',' or '([]}])'", _BLAME_CONTEXT, r"this bracket is not closed: no '\1' before "
     "line {line}, column {column}"),
    (r"found unexpected end of stream", _BLAME_CONTEXT, "this quote is never closed"),
    (r"expected <block end>", False,
     "this line does not fit the ones above - check the indentation and for a missing ':' or '-'"),
    (r"found character '(.)' that cannot start", False,
     r"a value cannot begin with '\1' - quote it"),
)  # fmt: skip
"""What the parser says; whether the fault is where its context began; what we say."""


def _syntax_problem(error: MarkedYAMLError) -> tuple[Position, str]:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem = error.problem or "cannot be parsed"
    for pattern, blame_context, words in _SYNTAX:
        if found := re.search(pattern, problem):
            message = found.expand(words.format(line=line, column=column))
            if blame_context and (begun := error.context_mark):
                line, column = begun.line + 1, begun.column + 1
            return (line, column), message
    return (line, column), f"not valid YAML: {problem}"
