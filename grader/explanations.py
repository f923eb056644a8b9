"""What a course says about its mistakes and exercises: why, an equation, and a ladder of hints.

Read from `reference/explanations/*.toml`, which hold words and no code of the reference:

    scores.toml, masks.toml, ...   by number of the list of mistakes: [26]
    exercises.toml                 by exercise: ["a1.sdpa"]
    criteria.toml                  by criterion, a sentence each
    causes.toml                    by id, where the number says too little: ["sdpa.unscaled"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .language import _, course_text
from .misconceptions import Misconception, MisconceptionError, load_entries
from .problem import closest, did_you_mean
from .rubric import Rubric

FOLDER = "reference/explanations"
STEPS = 3
_OTHERS = ("exercises", "criteria", "causes")


class ExplanationError(Exception):
    """There is nothing to explain it with. Says what to do next."""


@dataclass(frozen=True)
class Explanation:
    """Why something is a mistake, or what an exercise is about, and how to find out oneself."""

    name: str
    """What was asked for: `sdpa.unscaled`, `a1.sdpa`, `a1.sdpa/masking`."""
    what: str
    """The mistake in a sentence, to the student; empty for an exercise."""
    why: str
    equation: str
    source: str
    hints: tuple[str, str, str]
    """A nudge, a concept, and nearly the answer."""


@dataclass(frozen=True)
class Explanations:
    """All that a course explains."""

    by_number: Mapping[str, Explanation]
    by_exercise: Mapping[str, Explanation]
    by_criterion: Mapping[str, str]
    by_cause: Mapping[str, Explanation] = field(default_factory=dict)
    entries: Mapping[str, tuple[Misconception, str]] = field(default_factory=dict)
    """Misconceptions by id, each with the slug of its exercise."""

    def of(self, name: str) -> Explanation:
        """What is known of a cause, an exercise, or a check. Raises ExplanationError."""
        found = self._of_cause(name) or self._of_check(name)
        if found is None:
            told = _("nothing is called '{name}'", name=name)
            raise ExplanationError(f"{told}{self._meant(name)}")
        return _translated(replace(found, name=name))

    def _of_cause(self, name: str) -> Explanation | None:
        entry, slug = self.entries.get(name, (None, ""))
        own = self.by_cause.get(name)
        if entry is None:
            return own or self.by_cause.get(name.partition(".")[0])
        if own is not None:
            return replace(own, what=entry.cause)
        numbered = next((n for n in map(str, entry.mistakes) if n in self.by_number), None)
        if numbered is not None:
            return replace(self.by_number[numbered], what=entry.cause)
        return self._of_unnumbered(entry, slug)

    def _of_unnumbered(self, entry: Misconception, slug: str) -> Explanation | None:
        """By its exercise, and the criterion that it fails first."""
        about = self.by_exercise.get(slug)
        criterion = entry.fails[0].rpartition("/")[2] if entry.fails else ""
        if about is None:
            return None
        nudge = self.by_criterion.get(criterion, about.hints[0])
        return replace(about, what=entry.cause, hints=(nudge, *about.hints[1:]))

    def _of_check(self, name: str) -> Explanation | None:
        # The name of a test is never looked at: whether there is one is not for everybody to know.
        slug, _other, rest = name.partition("/")
        criterion = rest.partition("/")[0]
        about = self.by_exercise.get(slug)
        if about is None or not criterion:
            return about
        if criterion not in self.by_criterion:
            return None
        return replace(about, hints=(self.by_criterion[criterion], *about.hints[1:]))

    def _meant(self, name: str) -> str:
        known = [*self.entries, *self.by_cause, *self.by_exercise]
        if "/" in name and name.partition("/")[0] in self.by_exercise:
            slug, _other, rest = name.partition("/")
            known = [f"{slug}/{criterion}" for criterion in self.by_criterion]
            return did_you_mean(f"{slug}/{rest.partition('/')[0]}", known)
        near = closest(name, known) or closest(name.partition(".")[2] or name, _tails(known))
        near = next((one for one in known if one.endswith(near)), near) if near else None
        if near:
            return _(" - did you mean {name}?", name=f"'{near}'")
        slugs = ", ".join(list(self.by_exercise)[:STEPS])
        return _(": expected a cause, or one of {names}, …", names=slugs)


def _translated(found: Explanation) -> Explanation:
    """In the reader's language, with equations as far as they hold words."""
    nudge, idea, answer = map(course_text, found.hints)
    return replace(
        found,
        what=course_text(found.what),
        why=course_text(found.why),
        equation=course_text(found.equation),
        source=course_text(found.source),
        hints=(nudge, idea, answer),
    )


def load_explanations(root: Path, rubric: Rubric) -> Explanations:
    """The explanations of the course at `root`. Raises ExplanationError, MisconceptionError."""
    folder = root / FOLDER
    if not folder.is_dir():
        raise ExplanationError(
            _(
                "{folder}: explanations come with the course, and this copy has none. "
                "Name a full one: --course DIR",
                folder=folder,
            )
        )
    tables = {path.stem: _table(path) for path in sorted(folder.glob("*.toml"))}
    criteria = {name: str(text) for name, text in tables.get("criteria", {}).items()}
    numbered = (items for stem, items in tables.items() if stem not in _OTHERS)
    return Explanations(
        by_number={key: one for items in numbered for key, one in _explanations(items)},
        by_exercise=dict(_explanations(tables.get("exercises", {}))),
        by_criterion=criteria,
        by_cause=dict(_explanations(tables.get("causes", {}))),
        entries=dict(_entries(root, rubric)),
    )


def _table(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ExplanationError(f"{path}: not valid TOML: {error}. Mend it") from None


def _explanations(items: Mapping[str, object]) -> Iterator[tuple[str, Explanation]]:
    for key, values in items.items():
        if not isinstance(values, dict):
            raise ExplanationError(f"{FOLDER}: {key}: expected why, equation, source and hints")
        texts = {name: _one_line(values.get(name, "")) for name in ("what", "why")}
        texts |= {name: _one_line(values.get(name, "")) for name in ("equation", "source")}
        hints = [_one_line(hint) for hint in values.get("hints", ())]
        if len(hints) != STEPS or not all([*hints, texts["why"]]):
            raise ExplanationError(f"{FOLDER}: {key}: expected a `why` and {STEPS} hints")
        yield key, Explanation(key, **texts, hints=(hints[0], hints[1], hints[2]))


def _entries(root: Path, rubric: Rubric) -> Iterator[tuple[str, tuple[Misconception, str]]]:
    for stem in dict.fromkeys(rubric.assignments.values()):
        try:
            entries = load_entries(root / "reference" / "misconceptions" / f"{stem}.py")[0]
        except MisconceptionError:
            continue  # `grader validate` says so, to whom it is a matter
        for entry in entries:
            if isinstance(entry, Misconception):
                yield entry.id, (entry, _slug(entry, stem, rubric))


def _slug(entry: Misconception, stem: str, rubric: Rubric) -> str:
    """The exercise that an entry belongs to: its target's, or the first that it says it fails."""
    definition = entry.target.partition(".")[0]
    for slug, exercise in rubric.exercises.items():
        if exercise.assignment == stem and definition in exercise.targets:
            return slug
    return next((name.partition("/")[0] for name in entry.fails if "/" in name), "")


def _tails(names: Iterable[str]) -> list[str]:
    return [name.partition(".")[2] or name for name in names]


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
