"""What grading must have shown of a course: each rule gives the gaps it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..evidence import Outcome
from ..hello import CheckFacts
from ..misconceptions import BlankAnswer, Misconception
from ..rubric import POLICY
from .data import BLANK_ANSWERS, CourseData
from .gap import Gap, gap_at
from .rubric_lines import rubric_gap
from .trials import DRAWING, LOOP, Evidence, Graded, Kind, Points

Rule = Callable[[CourseData, Evidence], Iterator[Gap]]


def rule_gaps(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """The gaps of all rules."""
    for rule in RULES:
        yield from rule(data, evidence)


def unchecked(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Checks that could not be made, each told once. With any of them nothing is proven."""
    told: set[str] = set()
    for each in evidence.graded.values():
        for observation in each.observations:
            if observation.outcome is Outcome.COULD_NOT_CHECK and observation.check not in told:
                told.add(observation.check)
                message = f"{observation.check} could not be checked on {each.trial.id}: "
                next = "mend the check or the reference, and try again"
                yield _at(evidence, observation.check, message + observation.observed, next)


def _reference(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """The reference gets everything."""
    for observation in evidence.graded["the reference"].observations:
        if observation.outcome not in (Outcome.PASSED, Outcome.COULD_NOT_CHECK):
            message = f"the reference does not pass {observation.check}: {observation.observed}"
            yield _at(evidence, observation.check, message, "mend the check or the reference")


def _drawing(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Another global seed and random draws in constructors and calls change nothing."""
    for each in _of(evidence, Kind.DRAWING):
        id = each.trial.id.removesuffix(DRAWING)
        calm = evidence.graded[id].outcomes
        for check, outcome in each.outcomes.items():
            if outcome != calm[check]:
                message = f"{check} is '{calm[check]}' for {id}, but '{outcome}' once it draws"
                next = "let nothing hang on random draws: take inputs and weights from `probe`"
                yield _at(evidence, check, f"{message} at random", next)


def _stub(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Nothing is earned by what was handed out, and it is called what it is."""
    if "the stub" not in evidence.graded:
        return
    for observation in evidence.graded["the stub"].observations:
        if observation.outcome not in (Outcome.NOT_ATTEMPTED, Outcome.COULD_NOT_CHECK):
            message = f"{observation.check} is '{observation.outcome}' for the untouched stub"
            next = "let the check call every target it judges, or fence more of the reference"
            yield _at(evidence, observation.check, message, next)


def _needed(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Every check is failed by a mistake or by a blank answer."""
    killers = killers_by_check(evidence)
    for check in evidence.checks:
        if not killers.get(check.id):
            stem = data.course.rubric.exercises[check.exercise].assignment
            message = f"{check.id}: nobody fails it, no known mistake and no blank answer"
            next = f"add its mistake to reference/misconceptions/{stem}.py, or delete the check"
            yield _at(evidence, check.id, message, next)


def _killed(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Every misconception loses points in each criterion that it names."""
    for each in _of(evidence, Kind.MISCONCEPTION):
        edited = each.trial.edited
        assert edited is not None and isinstance(edited.entry, Misconception)
        for key in edited.named:
            if key in each.points and each.points[key] == full_points(data)[key]:
                slug, criterion = key
                message = f"{edited.entry.id}: costs nothing in {slug}/{criterion}"
                next = f"add a check to {criterion} that it fails, or take {criterion} off `fails`"
                yield gap_at(edited.place, message, next)
        # Where only others than the exercises it names were graded, it need not show.
        if not each.killers and any(key in each.points for key in edited.named):
            message = f"{edited.entry.id}: no check fails it"
            yield gap_at(edited.place, message, "add a check that it fails, or take it out")


def _variants(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Every variant earns in full what it states."""
    for each in _of(evidence, Kind.VARIANT):
        edited = each.trial.edited
        assert edited is not None
        for slug, criterion in edited.named:
            if (slug, criterion) not in each.points:
                continue
            if each.points[slug, criterion] != full_points(data)[slug, criterion]:
                failing = [c for c in each.killers if c.startswith(f"{slug}/{criterion}/")]
                message = f"{edited.entry.id}: loses points in {slug}/{criterion}"
                message += f", by {failing[0]}" if failing else ""
                next = "a right answer is judged wrong: mend the check, or state less in `earns`"
                yield gap_at(edited.place, message, next)


def _blank(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Answers without understanding earn nothing, but where the course says they may."""
    passing: dict[str, list[str]] = {}
    for each in _of(evidence, Kind.BLANK):
        allowed = _may_earn(data, each)
        for o in each.observations:
            key = (o.exercise, o.criterion)
            if o.outcome is Outcome.PASSED and each.points.get(key) and key not in allowed:
                blank = each.trial.id.removesuffix(f" in {o.exercise}")
                passing.setdefault(o.check, []).append(blank)
    for check, blanks in passing.items():
        message = f"{check} is passed by answers that know nothing: {', '.join(blanks)}"
        next = "compare values in it, or let the criterion be earned: MAY_EARN in"
        yield _at(evidence, check, message, f"{next} {BLANK_ANSWERS}")


def _may_earn(data: CourseData, each: Graded) -> set[tuple[str, str]]:
    edited = each.trial.edited
    own = edited.entry.may_earn if edited and isinstance(edited.entry, BlankAnswer) else ()
    names = {*data.may_earn, *own}
    return {
        (slug, criterion)
        for slug, criterion in each.points
        if criterion in names or f"{slug}/{criterion}" in names
    }


def _forbidden(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Everything that the rubric bans is found where it is used."""
    for each in _of(evidence, Kind.FORBIDDEN):
        (slug,) = each.trial.slugs
        name = each.trial.forbidden
        told = [o.observed for o in each.observations if o.criterion == POLICY]
        told += [note for note in each.notes if note.startswith(f"{slug} ")]
        if not any(name.partition(":")[0].rstrip(". ") in text for text in told):
            key = "no_loops" if name == LOOP else "banned"
            message = f"exercises.{slug}.{key}: nothing is told of an answer with {name}"
            trail = ("exercises", slug, key)
            yield rubric_gap(data.course, trail, message, "write the name as torch documents it")


def _order(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """In reverse order every check ends the same."""
    for id, reverse in evidence.again.items():
        forward = evidence.graded[id].outcomes
        for check, outcome in reverse.outcomes.items():
            if outcome != forward.get(check):
                message = f"{check} is '{forward.get(check)}' for {id}, but in reverse order"
                next = "let no check leave anything behind for another"
                yield _at(evidence, check, f"{message} '{outcome}'", next)


def _globals(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Running checks leaves the globals of suites as they were."""
    found = {place for each in evidence.graded.values() for place in each.written}
    for file, name in sorted(found):
        message = f"running its checks changes the global {name}"
        yield Gap(file, 1, message, "make it anew in each check, by a function")


RULES: tuple[Rule, ...] = (
    unchecked, _reference, _drawing, _stub, _needed, _killed, _variants, _blank, _forbidden,
    _order, _globals,
)  # fmt: skip


def killers_by_check(evidence: Evidence) -> dict[str, list[str]]:
    """Check -> the ids of the mistakes and blank answers that fail it, sorted."""
    found: dict[str, list[str]] = {check.id: [] for check in evidence.checks}
    for each in evidence.graded.values():
        if each.trial.kind in (Kind.MISCONCEPTION, Kind.BLANK):
            for check in each.killers:
                found[check].append(each.trial.id)
    return {check: sorted(ids) for check, ids in found.items()}


def full_points(data: CourseData) -> Points:
    return {
        (slug, name): criterion.points
        for slug, exercise in data.course.rubric.exercises.items()
        for name, criterion in exercise.criteria.items()
    }


def _of(evidence: Evidence, kind: Kind) -> list[Graded]:
    return [each for each in evidence.graded.values() if each.trial.kind is kind]


def _at(evidence: Evidence, check: str, message: str, next: str) -> Gap:
    found: CheckFacts | None = next_of(evidence, check)
    return Gap(found.file, found.line, message, next) if found else Gap(check, 1, message, next)


def next_of(evidence: Evidence, check: str) -> CheckFacts | None:
    return next((each for each in evidence.checks if each.id == check), None)
