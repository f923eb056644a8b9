"""Put public checks into the kit: suites, a rubric of what is public, and recorded answers.

With them `grader check` runs in the kit, without the reference and on no network.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..course.course import Course
from ..course.public_view import public_rubric
from ..course.question_text import ANSWERS_FILE, answers_file
from ..course.rubric_place import RUBRIC_FILE
from ..course.translations import BEFORE, DOMAIN
from ..handouts.translated_handout import paragraphs
from ..text.catalogue import chosen_texts
from ..text.language import LANGUAGES
from .secrets import squeezed

RECORDED = "reference/recorded.json.gz"
_ROLES = "reference/roles.py"
_CATALOGUE = "reference/locale/{}/LC_MESSAGES/course.mo"
_HANDOUTS = f"reference/locale/{{}}/LC_MESSAGES/{DOMAIN}.mo"
_EARLIER = f"reference/locale/{{}}/{BEFORE}"


class UnrecordedError(Exception):
    """A course whose answers cannot be recorded; the text says which check it is."""


def pack_seed(course: Course) -> str:
    """Return the seed of the kit's checks, from which nobody gets to that of the course."""
    key = course.rubric.seed.encode()
    return hmac.new(key, b"public pack", hashlib.sha256).hexdigest()[:24]


def recorded(course: Course) -> bytes:
    """Run the public checks on the reference and on known mistakes, in a process of its own.

    Raises UnrecordedError.
    """
    command = [sys.executable, "-P", "-m", "grader.judge.recorded", str(course.root)]
    # One thread: the order of a sum decides on its last digits.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [*command, pack_seed(course)], capture_output=True, env=environment, check=False
    )
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UnrecordedError(lines[-1] if lines else f"exit code {done.returncode}")
    return done.stdout


def pack_files(course: Course, recording: bytes) -> dict[str, bytes]:
    """Return the files of a kit by which its checks run, by their paths in it."""
    suites = dict(_public_suites(course))
    slugs = [
        slug for slug, one in course.rubric.exercises.items()
        if f"tests/suites/{one.assignment}/public/{one.suite}" in suites
    ]  # fmt: skip
    text = (course.root / RUBRIC_FILE).read_text(encoding="utf-8")
    rubric = public_rubric(text, course.rubric, slugs, pack_seed(course)).encode()
    files = {RUBRIC_FILE: rubric, RECORDED: recording, **suites}
    if course.paths.roles.is_file():
        files[_ROLES] = course.paths.roles.read_bytes()
    return {**files, **dict(_translations(course, files)), **dict(_questions(course))}


def _public_suites(course: Course) -> Iterator[tuple[str, bytes]]:
    for path in sorted(course.root.glob("tests/suites/*/public/*.py")):
        yield path.relative_to(course.root).as_posix(), path.read_bytes()


def _translations(course: Course, files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the catalogues with what the kit says itself, and nothing else of the course."""
    plain = (gzip.decompress(data) if name == RECORDED else data for name, data in files.items())
    words = squeezed(
        "".join(data.decode("utf-8") for data in plain).replace("\\n", "").replace('\\"', '"')
    )
    for language in LANGUAGES:
        path: Path = course.root / _CATALOGUE.format(language)
        if path.is_file():
            is_in_words = lambda text: squeezed(text) in words  # noqa: E731
            yield _CATALOGUE.format(language), chosen_texts(path.read_bytes(), is_in_words)


def _questions(course: Course) -> Iterator[tuple[str, bytes]]:
    """Yield the questions in other languages: without them nobody knows an empty answer."""
    texts = {*paragraphs(ANSWERS_FILE, answers_file(course.rubric.written.values()))}
    for language in LANGUAGES:
        path: Path = course.root / _HANDOUTS.format(language)
        earlier: Path = course.root / _EARLIER.format(language)
        if course.rubric.written and path.is_file():
            yield _HANDOUTS.format(language), chosen_texts(path.read_bytes(), texts.__contains__)
            if earlier.is_file():
                yield _EARLIER.format(language), earlier.read_bytes()
