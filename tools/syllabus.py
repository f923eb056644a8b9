"""Writes docs/syllabus.md, and docs/syllabus.ko.md, from the course: `make syllabus`.

With `--check`, says if one is stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course.misconceptions import criteria_named  # noqa: E402
from grader.course.mistake_diff import read_families, read_mistakes  # noqa: E402
from grader.course.mistake_list import load_mistakes  # noqa: E402
from grader.course.paths import CoursePaths  # noqa: E402
from grader.course.questions import WrittenItem  # noqa: E402
from grader.course.rubric import Criterion, Exercise, Rubric, Scoring, Visibility  # noqa: E402
from grader.course.rubric_file import load_rubric  # noqa: E402
from grader.course.rubric_place import RUBRIC_FILE  # noqa: E402
from grader.course.source_notebooks import load_notebooks  # noqa: E402
from grader.text.points import shown  # noqa: E402
from tools.frame import ExerciseFrame, Frame, load_frame  # noqa: E402
from tools.frame_page import effort, korean_page, other_courses, tracks  # noqa: E402

SYLLABUS = ROOT / "docs" / "syllabus.md"
IN_KOREAN = ROOT / "docs" / "syllabus.ko.md"
_HEAD = """\
# Syllabus

What each exercise asks for, what it is worth, and which mistakes it is known to catch. Made by
`make syllabus` from `rubric.yaml` and `reference/`; a test keeps it fresh. Numbers in brackets are
the [notebooks](notebooks-map.md) that the course was made from. Minutes are the authors' estimate
for somebody who knows the basics of PyTorch and heard one lecture. Of the parts, *core* is in every
track, *more* from eight weeks on, *optional* in the last one. [한국어](syllabus.ko.md)
"""


@dataclass(frozen=True)
class Catches:
    """The known mistakes that cost points in an exercise."""

    listed: tuple[str, ...]
    """Titles of those of the course's list."""
    others: int
    """How many more are not in the list."""


def syllabus(root: Path) -> str:
    """The page, from the course at `root`."""
    rubric, notebooks = load_rubric(root / RUBRIC_FILE), load_notebooks(root)
    sources = {
        slug: tuple(one.name for one in notebooks if slug in one.teaches)
        for slug in [*rubric.exercises, *rubric.written]
    }
    caught, frame = catches(root, rubric), load_frame(root, rubric)
    parts = [_HEAD, _overview(rubric), *tracks(frame, _linked)]
    for stem in rubric.assignments.values():
        parts += _assignment(rubric, stem, sources, caught, frame)
    parts += other_courses(frame, _linked)
    rows = ((one.name, one.title, _linked(one.teaches)) for one in notebooks)
    parts += ["\n## Notebooks\n", _table(("Notebook", "Title", "What came of it"), rows, numbers=0)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts))


def catches(root: Path, rubric: Rubric) -> dict[str, Catches]:
    """What each exercise catches, by slug."""
    paths = CoursePaths(root)
    families, mistakes = read_families(paths), load_mistakes(paths).mistakes
    caught: dict[str, set[str]] = {slug: set() for slug in rubric.exercises}
    others: dict[str, int] = dict.fromkeys(rubric.exercises, 0)
    for own in rubric.exercises:
        found = read_mistakes(paths, own, families)
        for entry in found.entries:
            named = criteria_named(entry.fails, entry, rubric, found.origin)
            for slug in {slug for slug, _ in named}:
                caught[slug].update(entry.mistakes)
                others[slug] += not entry.mistakes
    return {
        slug: Catches(tuple(m.title for m in mistakes if m.id in caught[slug]), others[slug])
        for slug in rubric.exercises
    }


def _overview(rubric: Rubric) -> str:
    rows = []
    for prefix, stem in rubric.assignments.items():
        exercises, items = _own(rubric, stem)
        rows.append(
            (f"[{prefix}](#{stem})", f"`{stem}`", str(len(exercises)), _sum(exercises), _sum(items))
        )
    all_exercises, all_items = rubric.exercises.values(), rubric.written.values()
    total = ("**all**", "", str(len(all_exercises)), _sum(all_exercises), _sum(all_items))
    head = ("Assignment", "Hand-out", "Exercises", "Points, automatic", "Points, by a person")
    return _table(head, [*rows, total], numbers=3)


def _assignment(
    rubric: Rubric,
    stem: str,
    sources: Mapping[str, tuple[str, ...]],
    caught: Mapping[str, Catches],
    frame: Frame,
) -> Iterator[str]:
    exercises, items = _own(rubric, stem)
    by_person = f", and {_sum(items)} by a person" if items else ""
    yield f"\n## {stem}\n\n{_sum(exercises)} points automatic{by_person}.\n"
    rows = [
        (
            f"[{exercise.slug}](#{_anchor(exercise.slug)})",
            _from(sources[exercise.slug]),
            shown(exercise.points),
            *effort(frame.exercises[exercise.slug]),
            _listed(exercise.targets),
        )
        for exercise in exercises
    ]
    rows += [
        (
            f"[{item.slug}](#{_anchor(item.slug)})",
            _from(sources[item.slug]),
            shown(item.points),
            *("", "", ""),
            "a written answer",
        )
        for item in items
    ]
    head = ("Exercise", "From", "Points", "Minutes", "Difficulty", "Part", "To write")
    yield _table(head, rows, numbers=2, first_number=2)
    for exercise in exercises:
        yield from _exercise(exercise, caught[exercise.slug], frame.exercises[exercise.slug])
    for item in items:
        yield f"\n### {item.slug}\n\nA written answer, {shown(item.points)} points by a person.\n"
        yield "\n".join(f"> {line}".rstrip() for line in item.question.split("\n")) + "\n"


def _exercise(exercise: Exercise, caught: Catches, frame: ExerciseFrame) -> Iterator[str]:
    yield f"\n### {exercise.slug}\n\n{frame.objective.en}\n"
    lines = [f"To write: {_listed(exercise.targets)}"]
    lines += [f"{kind}: {criteria}" for kind, criteria in _criteria(exercise)]
    if frame.after:
        lines.append(f"Builds on: {_linked(frame.after)}")
    if exercise.requires:
        lines.append(f"Needs first: {_linked(exercise.requires)}")
    follows = exercise.follow_through
    if follows.calls:
        used = (f"`{name}` of {_linked([slug])}" for name, slug in sorted(follows.calls.items()))
        copied = "; nor does a mistake of theirs that is made once more" if follows.copied else ""
        lines.append(f"What was wrong before costs nothing here: {', '.join(used)}{copied}")
    yield "\n".join(f"- {line}" for line in lines) + "\n"
    yield from _mistakes(caught)


def _criteria(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """The criteria with their points, those that are seen at once before hidden ones."""
    for visibility in Visibility:
        own = [c for c in exercise.criteria.values() if c.visibility is visibility]
        words = [f"{c.name} {shown(c.points)}{_conditions(c)}" for c in own]
        if own:
            points = shown(sum((c.points for c in own), Fraction(0)))
            yield f"{visibility.replace('_', ' ').capitalize()}, {points} points", ", ".join(words)


def _conditions(criterion: Criterion) -> str:
    found = ["all or nothing"] * (criterion.scoring is Scoring.ALL_OR_NOTHING)
    found += [f"after {', '.join(criterion.requires)}"] * bool(criterion.requires)
    return f" ({'; '.join(found)})" if found else ""


def _mistakes(caught: Catches) -> Iterator[str]:
    if not caught.listed and not caught.others:
        return
    counts = []
    if caught.listed:
        counts.append(f"{len(caught.listed)} mistakes of the course's list")
    if caught.others:
        counts.append(f"{caught.others} that only occur here")
    yield f"<details><summary>Catches {' and '.join(counts)}</summary>\n"
    if caught.listed:
        yield "\n".join(f"- {title}" for title in caught.listed) + "\n"
    else:
        yield "None of them is in the list.\n"
    yield "</details>\n"


def _own(rubric: Rubric, stem: str) -> tuple[list[Exercise], list[WrittenItem]]:
    exercises = [one for one in rubric.exercises.values() if one.assignment == stem]
    return exercises, [item for item in rubric.written.values() if item.assignment == stem]


def _sum(parts: Iterable[Exercise | WrittenItem]) -> str:
    return shown(sum((part.points for part in parts), Fraction(0)))


def _from(names: tuple[str, ...]) -> str:
    return f"[{' '.join(names)}]" if names else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _linked(slugs: Iterable[str]) -> str:
    return ", ".join(f"[{slug}](#{_anchor(slug.partition('/')[0])})" for slug in slugs)


def _anchor(heading: str) -> str:
    """As GitHub makes it of a heading."""
    return heading.replace(".", "")


def _table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, numbers: int, first_number: int = 0
) -> str:
    """A table in which so many columns hold numbers: from `first_number` on, else the last."""
    first = first_number or len(head) - numbers
    rule = ["--:" if first <= n < first + numbers else "---" for n in range(len(head))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *rows]) + "\n"


def pages(root: Path) -> dict[Path, str]:
    """Both pages, each with the file that it belongs into."""
    rubric = load_rubric(root / RUBRIC_FILE)
    in_korean = korean_page(rubric, load_frame(root, rubric))
    return {SYLLABUS: syllabus(root), IN_KOREAN: re.sub(r"\n{3,}", "\n\n", in_korean)}


def main() -> int:
    """Writes the pages that are stale; with `--check`, only says so, and fails."""
    stale = {
        path: text
        for path, text in pages(ROOT).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale: make syllabus")
        return 1 if stale else 0
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
