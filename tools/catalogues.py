"""Keeps the catalogues of translations up to date: `make catalogues`; `--check` says what is stale.

A catalogue is a .po file, which people edit, and the .mo file made of it, which programs read.
What is translated stays; a sentence that was reworded keeps its old translation, marked fuzzy,
until somebody has looked at it.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course.course import find_course  # noqa: E402
from grader.course.explanations import load_explanations  # noqa: E402
from grader.course.mistake_diff import read_families, read_mistakes  # noqa: E402
from grader.handouts.generation import render  # noqa: E402
from grader.handouts.translated_handout import paragraphs  # noqa: E402
from grader.text.language import ENGLISH, LANGUAGES  # noqa: E402

PLURALS = {"ko": "nplurals=1; plural=0;"}
"""How many forms a language has: a new one needs its line here."""
KEYWORDS: Mapping[str, tuple[int, ...] | None] = {"_": None, "marked": None, "ngettext": (1, 2)}
_LONG_WORD = re.compile(r"(?<!\S)[A-Za-z',]{2,}(?!\S)")
_IN_WORDS = re.compile(r"[A-Za-z]{2,}[ ,]+[A-Za-z]{3,}")
"""An equation that is not only signs."""
_SHORTEST_SENTENCE = 15
REASON = "Reason"
"""Holds a sentence of a suite's, too: why a check failed."""
SHARED = "expect_"
"""How the names of expectations begin that several checks share."""
_SENTENCES = ("what", "observed", "expected")
"""Arguments of those that hold words."""
_NO_SENTENCE = ("mentions", "id")
"""Arguments of `expect` or a reason that hold code and no words."""

Id = str | tuple[str, str]
Found = tuple[Id, str]
"""A sentence, or one and many, and where it is from: a file, without a line."""


@dataclass(frozen=True)
class Domain:
    """A set of sentences with catalogues of its own."""

    name: str
    folder: Path
    found: Callable[[], Iterator[Found]]

    def po(self, language: str) -> Path:
        return self.folder / language / "LC_MESSAGES" / f"{self.name}.po"

    def mo(self, language: str) -> Path:
        return self.po(language).with_suffix(".mo")


# ---- what there is to be translated -----------------------------------------------------------


def of_the_tool() -> Iterator[Found]:
    """Whatever stands in `_("…")` and `ngettext`."""
    for path in sorted((ROOT / "grader").rglob("*.py")):
        with path.open("rb") as file:
            for _, text, _, _ in extract("python", file, KEYWORDS):
                yield (text if isinstance(text, str) else (text[0], text[1])), _shown(path)


def of_the_course() -> Iterator[Found]:
    """What a student meets of the course: checks and what they say, causes, explanations."""
    yield from _checks()
    yield from _causes()
    yield from _explanations()
    yield from _marked("diagnosis.py", ("AXES", "EMPTY_ROW"), ("text",))
    yield from _marked("axis_words.py", ("AXIS_WORDS",), ())
    yield from _marked("roles.py", (), ("name",))
    yield from _layouts()


def of_the_handouts() -> Iterator[Found]:
    """Every paragraph of the English hand-outs."""
    for name, text in render(ROOT).items():
        if "/" not in name:
            for paragraph in paragraphs(name, text):
                yield paragraph, f"assignments/{name}"


def _checks() -> Iterator[Found]:
    for path in sorted((ROOT / "tests" / "suites").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                title = ast.get_docstring(node) or ""
                yield " ".join(title.split("\n\n")[0].split()), _shown(path)
        for text in _said(tree):
            yield text, _shown(path)


def _said(tree: ast.Module) -> Iterator[str]:
    """Words that a suite gives to `expect` or to a reason, directly or through a variable."""
    names: set[str] = set()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in calls:
        called = ast.unparse(call.func)
        if called.rpartition(".")[2].startswith(SHARED):
            yield from (t for k in call.keywords if k.arg in _SENTENCES for t in _texts(k.value))
        if called != REASON and (not called.startswith("expect.") or called == "expect.call"):
            continue  # what `expect.call` holds is for the student's code
        given = [*call.args, *(k.value for k in call.keywords if k.arg not in _NO_SENTENCE)]
        for value in given:
            yield from _texts(value)
            names |= {value.id} if isinstance(value, ast.Name) else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in names:
            yield from _texts(node.value)
        elif isinstance(node, ast.For) and names & _names(node.target):
            for part in ast.walk(node.iter):
                if isinstance(part, ast.Constant) and " " in str(part.value):
                    yield str(part.value)


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _texts(value: ast.expr) -> Iterator[str]:
    """The texts in an expression, f-strings with their places: `output of {count} tokens`."""
    if isinstance(value, ast.JoinedStr):
        text = template(value)
        if any(character.isalpha() for character in text[0]):
            yield text[1]
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.IfExp):
        yield from (*_texts(value.body), *_texts(value.orelse))


def template(value: ast.JoinedStr) -> tuple[str, str]:
    """What an f-string says whatever its values, and the same with names for them.

    >>> template(ast.parse("f'{x} of {n + 1}'", mode="eval").body)
    (' of ', '{x} of {value2}')
    """
    plain, whole = "", ""
    for number, piece in enumerate(value.values):
        if isinstance(piece, ast.Constant):
            plain, whole = plain + str(piece.value), whole + str(piece.value)
        elif isinstance(piece, ast.FormattedValue):
            is_name = isinstance(piece.value, ast.Name)
            whole += f"{{{ast.unparse(piece.value) if is_name else f'value{number}'}}}"
    return plain, whole


def _causes() -> Iterator[Found]:
    paths = find_course(ROOT).paths
    families = read_families(paths)
    for exercise in paths.all_exercises():
        for entry in read_mistakes(paths, exercise.slug, families).entries:
            yield entry.cause, _shown(exercise.mistakes)


def _explanations() -> Iterator[Found]:
    found = load_explanations(ROOT, find_course(ROOT).rubric)
    place = "reference/mistakes"
    for one in (
        *found.by_mistake.values(),
        *found.by_exercise.values(),
        *found.by_cause.values(),
        *found.by_target.values(),
    ):
        for text in (one.what, one.why, one.source, *one.hints):
            yield text, place
        if _IN_WORDS.search(one.equation):
            yield one.equation, place
    for text in found.by_criterion.values():
        yield text, place


def _marked(file: str, constants: Iterable[str], keywords: Iterable[str]) -> Iterator[Found]:
    """Words among a module of course data: those of some constants and of some arguments."""
    path = ROOT / "reference" / file
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        values: list[ast.expr] = []
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in constants:
            values = list(node.value.values) if isinstance(node.value, ast.Dict) else [node.value]
        elif isinstance(node, ast.keyword) and str(node.arg) in keywords:
            values = [node.value]
        for value in values:
            for text in _texts(value):
                yield text, _shown(path)


def _layouts() -> Iterator[Found]:
    """Ways of storing parameters: every sentence among the patterns of roles.py."""
    path = ROOT / "reference" / "roles.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inner = {id(part) for node in joined for part in node.values}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in inner | docs:
            for text in _texts(node):
                if len(_LONG_WORD.findall(text)) > 1 and len(text) > _SHORTEST_SENTENCE:
                    yield text, _shown(path)


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


DOMAINS = (
    Domain("grader", ROOT / "grader" / "locale", of_the_tool),
    Domain("course", ROOT / "reference" / "locale", of_the_course),
    Domain("handouts", ROOT / "reference" / "locale", of_the_handouts),
)


# ---- catalogues -------------------------------------------------------------------------------


class _Plain(Catalog):
    """Without what differs from day to day and from one version of Babel to the next."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        language = str(self.locale)
        return [
            ("Language", language),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", PLURALS[language]),
        ]


def template_of(domain: Domain) -> Catalog:
    """Every sentence of a domain, with none translated."""
    catalog = Catalog(fuzzy=False)
    for text, place in domain.found():
        if text and any(map(str.isalpha, "".join(text))):
            catalog.add(text, locations=[(place, 0)])
    return catalog


def updated(domain: Domain, language: str) -> Catalog:
    """The catalogue as it should be: the sentences of today with the translations there are."""
    known = Catalog(locale=language)
    if domain.po(language).is_file():
        known = read_po(io.BytesIO(domain.po(language).read_bytes()), locale=language)
    known.update(template_of(domain))
    plain = _Plain(locale=language, fuzzy=False, header_comment="")
    for message in known:
        if message.id:
            places = sorted(set(message.locations))
            plain.add(message.id, message.string, places, message.flags - {"python-brace-format"})
    return plain


def as_po(catalog: Catalog) -> bytes:
    page = io.BytesIO()
    write_po(page, catalog, width=0, sort_output=True, include_lineno=False)
    return page.getvalue()


def as_mo(catalog: Catalog) -> bytes:
    page = io.BytesIO()
    write_mo(page, catalog)
    return page.getvalue()


def files(domains: Iterable[Domain] = DOMAINS) -> Iterator[tuple[Path, bytes]]:
    """Every file of every catalogue as it should be."""
    for domain in domains:
        for language in LANGUAGES:
            if language != ENGLISH:
                catalog = updated(domain, language)
                yield domain.po(language), as_po(catalog)
                yield domain.mo(language), as_mo(catalog)


def stale(domains: Iterable[Domain] = DOMAINS) -> list[Path]:
    """The files that are not as they should be."""
    return [
        path for path, data in files(domains) if not path.is_file() or path.read_bytes() != data
    ]


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        found = [_shown(path) for path in stale()]
        print(f"stale, run `make catalogues`: {', '.join(found)}" if found else "up to date")
        return 1 if found else 0
    for path, data in files():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for domain in DOMAINS:
        for language in LANGUAGES[1:]:
            catalog = updated(domain, language)
            open_ = sum(not all(_strings(m.string)) or m.fuzzy for m in catalog if m.id)
            print(f"{_shown(domain.po(language))}: {len(catalog)} sentences, {open_} to translate")
    return 0


def _strings(string: str | Iterable[str] | None) -> list[str]:
    return [string or ""] if string is None or isinstance(string, str) else list(string)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
