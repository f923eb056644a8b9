"""Makes a large class out of the corpus and of mutants of the reference: `tools/large_class.py`.

Nobody in it exists. Students differ in names of files, form of the text, archives and mistakes;
some hand in what is broken or hostile. A seed says all.
"""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.validate.edits.generation import mutants  # noqa: E402
from tools.malformed import KINDS, packed  # noqa: E402

Files = dict[str, bytes]
CORPUS, REFERENCE = ROOT / "tests" / "corpus", ROOT / "reference"
HOSTILE = ("infinite_loop", "prints_200_mb", "exit_at_import", "exit_in_call", "malformed_reply")
KINDS_OF_STUDENT = {"mutant": 45, "corpus": 33, "right": 10, "broken": 10, "hostile": 2}
"""How many of 100."""


def stems(only: Collection[str] = ()) -> tuple[str, ...]:
    """The hand-outs of these assignments, such as `a1`; of all without any."""
    known = sorted(path.stem for path in REFERENCE.glob("a?_*.py"))
    assignments = {name.partition(".")[0] for name in only}
    return tuple(stem for stem in known if not only or stem.partition("_")[0] in assignments)


@cache
def _reference(stem: str) -> str:
    return (REFERENCE / f"{stem}.py").read_text("utf-8")


@cache
def _mutants(stem: str) -> tuple[str, ...]:
    return tuple(mutant.source for mutant in mutants(_reference(stem)))


@cache
def _corpus(stems: tuple[str, ...]) -> Mapping[str, Files]:
    """Every submission of the corpus that has one of these hand-outs."""
    result: dict[str, Files] = {}
    for folder in sorted(path for path in CORPUS.iterdir() if (path / "expect.yaml").is_file()):
        files = (path for path in folder.rglob("*") if path.suffix in (".py", ".ipynb"))
        own = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
        if any(Path(name).stem in stems for name in own):
            result[folder.name] = own
    return result


def _mutant(chance: random.Random, stems: tuple[str, ...]) -> Files:
    stem = chance.choice(stems)
    return {f"{stem}.py": chance.choice(_mutants(stem)).encode()}


def _right(chance: random.Random, stems: tuple[str, ...]) -> Files:
    chosen = chance.sample(stems, min(len(stems), chance.randrange(1, 3)))
    return {f"{stem}.py": _reference(stem).encode() for stem in chosen}


def _of_corpus(chance: random.Random, stems: tuple[str, ...]) -> Files:
    known = _corpus(stems)
    return dict(known[chance.choice([name for name in known if name not in HOSTILE])])


def _hostile(chance: random.Random, stems: tuple[str, ...]) -> Files:
    known = _corpus(stems)
    return dict(known[chance.choice([name for name in HOSTILE if name in known] or [*known])])


SOURCES: Mapping[str, Callable[[random.Random, tuple[str, ...]], Files]] = {
    "mutant": _mutant,
    "corpus": _of_corpus,
    "right": _right,
    "hostile": _hostile,
}


# ---- the same work in other people's files ----------------------------------------------------


def _unparsed(text: bytes) -> bytes:
    """Return code without its comments, laid out anew."""
    try:
        return (ast.unparse(ast.parse(text)) + "\n").encode()
    except (SyntaxError, ValueError, RecursionError):
        return text


FORMS: tuple[Callable[[bytes], bytes], ...] = (
    lambda text: text,
    _unparsed,
    lambda text: text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    lambda text: b"\xef\xbb\xbf" + text.removeprefix(b"\xef\xbb\xbf"),
    lambda text: text.replace(b"\n", b"  \n"),
    lambda text: text + b"\n\nif __name__ == '__main__':\n    print('finished')\n",
)
NAMES: tuple[Callable[[str, str], str], ...] = (
    lambda name, student: name,
    lambda name, student: f"{student}_{name}",
    lambda name, student: name.replace(".", " (1).", 1),
    lambda name, student: name.title().replace(".Py", ".py").replace(".Ipynb", ".ipynb"),
    lambda name, student: f"과제/{name}",
)


def _in_other_hands(files: Files, student: str, chance: random.Random) -> Files:
    form, named = chance.choice(FORMS), chance.choice(NAMES)
    return {
        named(name, student): form(data) if name.endswith(".py") else data
        for name, data in files.items()
    }


def _write(files: Files, place: Path, chance: random.Random) -> None:
    """Writes a folder, or one time in six an archive of it."""
    if chance.random() < 1 / 6:
        place.with_name(f"{place.name}.zip").write_bytes(packed(files))
        return
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def make_class(
    folder: Path, students: int, seed: int, only: Collection[str] = ()
) -> dict[str, str]:
    """Writes a class of that size that hands in these assignments; maps students to what they are.

    So much of it has work in it that is graded as of a real class, also if one assignment is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kinds, given_out = {}, stems(only)
    for number in range(students):
        student, chance = f"student-{number:05}", random.Random(f"{seed} {number}")
        [kind] = chance.choices(list(KINDS_OF_STUDENT), list(KINDS_OF_STUDENT.values()))
        kinds[student] = kind
        if kind == "broken":
            KINDS[chance.choice(list(KINDS))](folder / student, chance)
        else:
            files = _in_other_hands(SOURCES[kind](chance, given_out), student, chance)
            _write(files, folder / student, chance)
    return kinds
