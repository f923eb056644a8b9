"""Writes the pages of reference from what they describe: `make docs`; `--check` finds stale ones.

docs/commands.md comes from click, docs/rubric-keys.md from the form that reads `rubric.yaml`, and
docs/report-json.md from the published schema of a report.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.cli.cli import COMMANDS, Listed, cli  # noqa: E402
from grader.course.rubric_form import rubric_form  # noqa: E402
from grader.course.schema import Described, Form  # noqa: E402
from grader.text.language import ENGLISH, use_language  # noqa: E402

DOCS = ROOT / "docs"
REPORT_SCHEMA = DOCS / "report.schema.json"
_MADE = "Made by `make docs` from {source}; a test keeps it fresh."


# ---- commands ---------------------------------------------------------------------------------


def commands() -> str:
    """The page on the command line, as click prints its help."""
    parts = ["# Commands", _MADE.format(source="the command line itself")]
    for name in COMMANDS:
        listed = cli.commands[name]
        assert isinstance(listed, Listed)
        parts += _command(name, listed.imported())
    return "\n\n".join(parts) + "\n"


def _command(name: str, command: click.Command) -> Iterator[str]:
    group = click.Context(cli, info_name="grader", **cli.context_settings)
    context = click.Context(command, group, name, max_content_width=10_000)
    yield f"## grader {name}"
    yield from _paragraphs(command.help or "")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```text\n{usage}\n```"
    records = [one.get_help_record(context) for one in command.get_params(context)]
    rows = [(f"`{names}`", _escaped(text)) for names, text in filter(None, records) if text]
    yield _table(("option", "meaning"), rows)
    yield from _paragraphs(command.epilog or "")


def _paragraphs(text: str) -> Iterator[str]:
    """Yield Markdown of a help text: one with a backspace keeps its lines, as click has it."""
    for paragraph in re.split(r"\n[ \t]*\n", re.sub(r"(?m)^[ \t]+(?=\b|\x08)", "", text).strip()):
        kept = paragraph.removeprefix("\b\n")
        if kept != paragraph:
            yield f"```text\n{kept}\n```"
        elif paragraph:
            yield _escaped(" ".join(paragraph.split()))


# ---- rubric.yaml ------------------------------------------------------------------------------


def rubric_keys() -> str:
    """The page on `rubric.yaml`, as the form that reads it says."""
    form = rubric_form()
    parts = [
        "# The keys of rubric.yaml",
        _MADE.format(source="the types that read the file"),
        "Everything else is refused, with file, line and column. "
        "[guide-author.md](guide-author.md) leads through a whole course.",
    ]
    for title, record in _records("rubric.yaml", form):
        parts += [f"## {title}", _table(("key", "value", "meaning"), _rows(record))]
    return "\n\n".join(parts) + "\n"


def _records(title: str, form: Form[Any]) -> Iterator[tuple[str, Described[Any]]]:
    """Yield each mapping with given keys, the outer ones first, under the path that leads to it."""
    if not isinstance(form, Described):
        return
    if form.keys:
        yield title, form
    for name, key in form.keys.items():
        yield from _records(f"{title.removeprefix('rubric.yaml')} {name}".strip(), key.form)
    if form.entry is not None:
        yield from _records(f"{title} …", form.entry)


def _rows(record: Described[Any]) -> Iterator[tuple[str, ...]]:
    for name, key in record.keys.items():
        has_default = isinstance(key.default, (bool, int, str))
        left_out = f" Left out: `{str(key.default).lower()}`." if has_default else ""
        must = "" if key.required else "optional: "
        yield f"`{name}`", must + _wanted(key.form), key.meaning + left_out


def _wanted(form: Form[Any]) -> str:
    assert isinstance(form, Described), "a form of the rubric that does not say what it reads"
    if form.entry is None or (isinstance(form.entry, Described) and form.entry.keys):
        return _escaped(form.wanted)
    return _escaped(form.wanted) + f"; each {_wanted(form.entry)}"


# ---- the report as JSON -----------------------------------------------------------------------


def report_json() -> str:
    """The page on a report as JSON, from its schema."""
    schema = json.loads(REPORT_SCHEMA.read_text(encoding="utf-8"))
    parts = [
        "# The report as JSON",
        _MADE.format(source="[report.schema.json](report.schema.json)"),
        _escaped(schema["title"]) + ". " + schema["description"],
        "## The report",
        _fields(schema),
    ]
    for name, part in sorted(schema["$defs"].items()):
        if "properties" in part:
            parts += [f"## {name}", _escaped(_sentence(part["description"])), _fields(part)]
        else:
            parts += [f"## {name}", _escaped(_sentence(part["description"]))]
    return "\n\n".join(parts) + "\n"


def _fields(schema: Mapping[str, Any]) -> str:
    rows = list(_properties(schema, ""))
    return _table(("key", "type", "meaning"), rows)


def _properties(schema: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, ...]]:
    for name, one in schema.get("properties", {}).items():
        must = "" if name in schema.get("required", ()) else "optional: "
        yield f"`{prefix}{name}`", must + _type(one), _escaped(one.get("description", ""))
        inner, many = (one["items"], "[]") if one.get("type") == "array" else (one, "")
        yield from _properties(inner, f"{prefix}{name}{many}.")


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name})"
    if "oneOf" in schema:
        return " or ".join(map(_type, schema["oneOf"]))
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(f"`{json.dumps(value)}`" for value in values)
    if schema["type"] == "array":
        return f"array of {_type(schema['items'])}"
    return " or ".join([schema["type"]] if isinstance(schema["type"], str) else schema["type"])


# ---- Markdown ---------------------------------------------------------------------------------


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _escaped(text: str) -> str:
    """Return text for Markdown outside of code: what looks like a tag is none."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([<>\[\]*_])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    every = [tuple(heads), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    lines = [f"| {' | '.join(row)} |" for row in every]
    return "\n".join([lines[0], f"|{' --- |' * len(every[0])}", *lines[1:]])


# ---- files ------------------------------------------------------------------------------------

PAGES: Mapping[str, Callable[[], str]] = {
    "commands.md": commands,
    "rubric-keys.md": rubric_keys,
    "report-json.md": report_json,
}


def pages() -> dict[Path, str]:
    """Every page as it should be."""
    use_language(ENGLISH)
    return {DOCS / name: made() for name, made in PAGES.items()}


def stale() -> list[str]:
    """The names of the pages that are not as they should be."""
    return [
        path.name
        for path, text in pages().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        names = stale()
        print(f"stale, run `make docs`: {', '.join(names)}" if names else "up to date")
        return 1 if names else 0
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
