"""Read a course's explanations of mistakes and exercises: why, an equation, a ladder of hints.

They hold words and no code of the reference, and stand in `reference/`:

    mistakes/scores.toml, masks.toml, ...   by id of the list of mistakes: [scores_not_scaled]
    mistakes/criteria.toml                  by criterion, a sentence each
    mistakes/observations.toml              what is seen where no mistake is known: [nan]
    mistakes/shared.toml                    for mistakes that the list does not have, each entry
                                            with `causes`, the ids that share it
    exercises/a1.sdpa/explanations.toml     the exercise, ["a1.sdpa"], and those of its own mistakes
                                            of which the list says too little: ["sdpa.unscaled"],
                                            or [a_mask_read_as_bool] with `causes`; hints for one of
                                            its targets, ["softmax_naive"]. Both may leave equation
                                            and source to the exercise, a target the why as well
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..text.language import _, course_text
from ..text.problem import closest, did_you_mean
from .misconceptions import Misconception, MisconceptionError
from .mistake_diff import read_families, read_mistakes
from .mistake_list import topics
from .paths import CoursePaths
from .rubric import Exercise, Rubric

STEPS = 3


class ExplanationError(Exception):
    """An explanation that is missing or not valid; the message says what to do next."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of a mistake or an exercise, with hints for finding out oneself."""

    name: str
    """The name that was asked for: `sdpa.unscaled`, `a1.sdpa`, `a1.sdpa/masking`."""
    what: str
    """The mistake in a sentence, to the student; empty for an exercise."""
    why: str
    equation: str
    source: str
    hints: tuple[str, str, str]
    """A nudge, a concept, and nearly the answer."""


@dataclass(frozen=True)
class Explanations:
    """All explanations of a course."""

    by_mistake: Mapping[str, Explanation]
    by_exercise: Mapping[str, Explanation]
    by_criterion: Mapping[str, str]
    by_cause: Mapping[str, Explanation] = field(default_factory=dict)
    entries: Mapping[str, tuple[Misconception, str]] = field(default_factory=dict)
    """Misconceptions by id, each with the slug of its exercise."""
    by_target: Mapping[str, Explanation] = field(default_factory=dict)

    def of(self, name: str) -> Explanation:
        """Return the explanation of a cause, an exercise, or a check.

        Raises ExplanationError if nothing has this name.
        """
        result = self._of_cause(name) or self.by_target.get(name) or self._of_check(name)
        if result is None:
            message = _("nothing is called '{name}'", name=name)
            raise ExplanationError(f"{message}{self._meant(name)}")
        return _translated(replace(result, name=name))

    def _of_cause(self, name: str) -> Explanation | None:
        entry, slug = self.entries.get(name, (None, ""))
        own = self.by_cause.get(name)
        if entry is None:
            return own or self.by_cause.get(name.partition(".")[0])
        if own is not None:
            return replace(own, what=entry.cause)
        listed = next((each for each in entry.mistakes if each in self.by_mistake), None)
        if listed is not None:
            return replace(self.by_mistake[listed], what=entry.cause)
        return self._of_unlisted(entry, slug)

    def _of_unlisted(self, entry: Misconception, slug: str) -> Explanation | None:
        """Explain a mistake by its target, else by exercise and the first criterion it fails."""
        if (target := self.by_target.get(entry.target.partition(".")[0])) is not None:
            return replace(target, what=entry.cause)
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
        known = [*self.entries, *self.by_cause, *self.by_exercise, *self.by_target]
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


def _translated(explanation: Explanation) -> Explanation:
    """Translate an explanation into the reader's language, including words in equations."""
    nudge, idea, answer = map(course_text, explanation.hints)
    return replace(
        explanation,
        what=course_text(explanation.what),
        why=course_text(explanation.why),
        equation=course_text(explanation.equation),
        source=course_text(explanation.source),
        hints=(nudge, idea, answer),
    )


def load_explanations(root: Path, rubric: Rubric) -> Explanations:
    """Return the explanations of the course at `root`.

    Raises ExplanationError if there are none, or if they are not valid.
    """
    paths = CoursePaths(root)
    if paths.recording.is_file():
        raise ExplanationError(
            _(
                "a kit has no explanations: its report says a cause in a sentence. For more, ask "
                "those who teach the course"
            )
        )
    if not has_explanations(paths):
        raise ExplanationError(
            _(
                "{folder}: this copy of the course has no explanations. "
                "Name a full one: --course DIR",
                folder=paths.mistakes,
            )
        )
    by_slug = {slug: dict(_of_exercise(one, paths)) for slug, one in rubric.exercises.items()}
    targets = {target for one in rubric.exercises.values() for target in one.targets}
    own = {name: one for result in by_slug.values() for name, one in result.items()}
    causes = dict(_explanations(paths.observations, paths)) | dict(_shared(paths))
    causes |= {name: own[name] for name in own if name not in by_slug and name not in targets}
    return Explanations(
        by_mistake={key: one for path in topics(paths) for key, one in _explanations(path, paths)},
        by_exercise={slug: own[slug] for slug in by_slug if slug in own},
        by_criterion={name: str(text) for name, text in _table(paths.criteria).items()},
        by_cause=causes,
        entries=dict(_entries(paths, rubric)),
        by_target={name: own[name] for name in own if name in targets},
    )


def has_explanations(paths: CoursePaths) -> bool:
    """Tell whether this copy of the course explains mistakes: a student's copy does not."""
    return paths.explains


def _table(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ExplanationError(f"{path}: not valid TOML: {error}. Mend it") from None


def _of_exercise(exercise: Exercise, paths: CoursePaths) -> Iterator[tuple[str, Explanation]]:
    path = paths.exercise(exercise.slug).explanations
    table = _table(path)
    about = table.get(exercise.slug)
    lent = about if isinstance(about, dict) else {}
    lent = {name: text for name, text in lent.items() if name != "hints"}
    sources = {name: text for name, text in lent.items() if name != "why"}
    given = dict.fromkeys(table, sources) | dict.fromkeys(exercise.targets, lent)
    for key, one in _explanations(path, paths, given):
        for id in _causes(table[key]) or [key]:
            yield id, replace(one, name=id)


def _shared(paths: CoursePaths) -> Iterator[tuple[str, Explanation]]:
    table = _table(paths.shared_causes)
    for key, one in _explanations(paths.shared_causes, paths):
        causes = _causes(table[key])
        if not causes:
            place = paths.shown(paths.shared_causes)
            raise ExplanationError(f"{place}: {key}: expected `causes`, a list of ids")
        yield from ((id, replace(one, name=id)) for id in causes)


def _causes(values: object) -> list[str]:
    """Return the ids of the mistakes that share an entry."""
    causes = values.get("causes") if isinstance(values, dict) else None
    return [str(id) for id in causes] if isinstance(causes, list) else []


def _explanations(
    path: Path, paths: CoursePaths, given: Mapping[str, Mapping[str, object]] | None = None
) -> Iterator[tuple[str, Explanation]]:
    """Yield the explanations in a file; `given` is what an entry may leave out, by its name."""
    for key, values in _table(path).items():
        if isinstance(values, dict):
            values = {**(given or {}).get(key, {}), **values}
        else:
            raise ExplanationError(
                f"{paths.shown(path)}: {key}: expected why, equation, source and hints"
            )
        texts = {name: _one_line(values.get(name, "")) for name in ("what", "why")}
        texts |= {name: _one_line(values.get(name, "")) for name in ("equation", "source")}
        hints = [_one_line(hint) for hint in values.get("hints", ())]
        if len(hints) != STEPS or not all([*hints, texts["why"]]):
            raise ExplanationError(
                f"{paths.shown(path)}: {key}: expected a `why` and {STEPS} hints"
            )
        yield key, Explanation(key, **texts, hints=(hints[0], hints[1], hints[2]))


def _entries(paths: CoursePaths, rubric: Rubric) -> Iterator[tuple[str, tuple[Misconception, str]]]:
    try:
        families = read_families(paths)
    except MisconceptionError:
        families = {}
    for slug in rubric.exercises:
        try:
            entries = read_mistakes(paths, slug, families).entries
        except MisconceptionError:
            continue  # `grader validate` says so, to whom it is a matter
        for entry in entries:
            yield entry.id, (entry, slug)


def _tails(names: Iterable[str]) -> list[str]:
    return [name.partition(".")[2] or name for name in names]


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
