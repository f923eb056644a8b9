"""Builds docs/ as a site in each language, with every link checked: `make docs`.

`--translate PAGE` begins the catalogue of a page, or brings it up to date; `--check` says which
catalogue is stale. A page without one is shown in English, and one with a text of its own, such as
guide-student.ko.md, needs none.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.text.language import ENGLISH, LANGUAGES  # noqa: E402
from tools import reference_pages  # noqa: E402
from tools.catalogues import Domain, Found, as_mo, as_po, stale, updated  # noqa: E402
from tools.site_reading import mend  # noqa: E402

DOCS = ROOT / "docs"
LOCALE = DOCS / "locale"
SITE = ROOT / "build" / "docs"
_FRONT = """\
<!doctype html>
<meta charset="utf-8">
<title>grader</title>
<meta http-equiv="refresh" content="0; url=en/index.html">
<a href="en/index.html">English</a> <a href="ko/index.html">한국어</a>
"""


class CannotBuild(Exception):
    """The reason why there is no site: warnings of Sphinx, or links to nowhere."""


# ---- catalogues -------------------------------------------------------------------------------


def templates(folder: Path) -> Path:
    """Have Sphinx write the sentences of every page that can be translated, and return where."""
    _sphinx("gettext", folder / "pot", folder / "trees-pot", LANGUAGES[-1])
    return folder / "pot"


def domains(pot: Path) -> list[Domain]:
    """The pages that have a catalogue, as sets of sentences to be translated."""
    pages = {path.stem for path in LOCALE.glob("*/LC_MESSAGES/*.po")}
    return [domain(pot, page) for page in sorted(pages)]


def domain(pot: Path, page: str) -> Domain:
    return Domain(page, LOCALE, lambda: _sentences(pot / f"{page}.pot", page))


def _sentences(file: Path, page: str) -> Iterator[Found]:
    for message in read_po(io.BytesIO(file.read_bytes())):
        if message.id:
            assert isinstance(message.id, str)
            yield message.id, f"docs/{page}.md"


def translate(page: str) -> list[Path]:
    """Write the catalogues of a page as they should be."""
    with tempfile.TemporaryDirectory() as folder:
        one = domain(templates(Path(folder)), page)
        for language in LANGUAGES:
            if language != ENGLISH:
                one.po(language).parent.mkdir(parents=True, exist_ok=True)
                one.po(language).write_bytes(as_po(updated(one, language)))
    return [one.po(language) for language in LANGUAGES if language != ENGLISH]


def stale_catalogues(folder: Path) -> list[Path]:
    """The catalogues that are not as they should be."""
    every = domains(templates(folder))
    return [path for path in stale(every) if path.suffix == ".po"]


def compiled(folder: Path) -> Path:
    """Compile every catalogue into a folder of the build: nothing is written beside the pages."""
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
        language = path.parent.parent.name
        target = (folder / path.relative_to(LOCALE)).with_suffix(".mo")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(as_mo(read_po(io.BytesIO(path.read_bytes()), locale=language)))
    return folder


# ---- the site ---------------------------------------------------------------------------------


def build(site: Path, scratch: Path) -> None:
    """Write the site in every language. Raises CannotBuild at a warning or a link to nowhere."""
    shutil.rmtree(site, ignore_errors=True)
    locale = compiled(scratch / "locale")
    for language in LANGUAGES:
        _sphinx("html", site / language, scratch / f"trees-{language}", language, locale)
        mend(site / language, language)
    (site / "index.html").write_text(_FRONT, encoding="utf-8")
    broken = list(links_to_nowhere(site))
    if broken:
        raise CannotBuild("\n".join(broken))


def _sphinx(
    builder: str, out: Path, trees: Path, language: str, locale: Path | None = None
) -> None:
    settings = ["-D", f"language={language}", *(["-D", f"locale_dirs={locale}"] if locale else [])]
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", builder]
    done = subprocess.run(
        [*command, "-d", str(trees), *settings, str(DOCS), str(out)],
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise CannotBuild(done.stderr or done.stdout)


@dataclass
class _Page(HTMLParser):
    """The places of a page, and where it links to."""

    places: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.places |= {place for key in ("id", "name") if (place := values.get(key))}
        link = values.get("href") or values.get("src")
        if link:
            self.links.append(link)


def links_to_nowhere(site: Path) -> Iterator[str]:
    """Yield each link within a site whose file or place is not there; others are not followed."""
    pages = {path.resolve(): _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or not _has(pages, target, unquote(parts.fragment)):
                yield f"{path.relative_to(site.resolve())}: links to {link}, which is not there"


def _has(pages: Mapping[Path, _Page], target: Path, place: str) -> bool:
    return not place or target not in pages or place in pages[target].places


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--translate"] and len(arguments) == 2:
        print(*(path.relative_to(ROOT) for path in translate(arguments[1])), sep="\n")
        return 0
    try:
        with tempfile.TemporaryDirectory() as scratch:
            if arguments == ["--check"]:
                found = stale_catalogues(Path(scratch))
                print(*(f"stale: {path.relative_to(ROOT)}" for path in found), sep="\n")
                return 1 if found else 0
            reference_pages.main([])
            build(SITE, Path(scratch))
    except CannotBuild as reason:
        print(reason, file=sys.stderr)
        return 1
    print(f"{(SITE / 'index.html').relative_to(ROOT)}: open it in a browser")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
