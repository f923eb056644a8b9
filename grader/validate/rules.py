"""Check what grading showed of a course against rules; each rule yields the gaps it finds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from ..course.misconceptions import BlankAnswer, Misconception
from ..course.rubric import POLICY
from ..grade.evidence import Outcome
from ..messages.answers import CheckFacts
from .data import CourseData
from .gap import Gap, gap_at
from .rubric_lines import rubric_gap
from .trials import DRAWING, LOOP, Evidence, GradedTrial, Kind, Points, kills
from .worth import worth

_WRONG = frozenset({Kind.MISCONCEPTION, Kind.BLANK})
_FORM = frozenset({"shape", "floats", "dtype", "items"})
"""Methods of `expect` that check an answer's form, and none of its values."""
Rule = Callable[[CourseData, Evidence], Iterator[Gap]]


def rule_gaps(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield the gaps of all rules."""
    for rule in RULES:
        yield from rule(data, evidence)


def unchecked(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield the checks that could not be made, each once.

    With any of them nothing is proven.
    """
    reported: set[str] = set()
    for each in evidence.graded.values():
        for observation in each.observations:
            if observation.outcome is Outcome.COULD_NOT_CHECK and observation.check not in reported:
                reported.add(observation.check)
                message = f"{observation.check} could not be checked on {each.trial.id}: "
                next = "mend the check or the reference, and try again"
                yield _at(evidence, observation.check, message + observation.for_staff, next)


def _without_a_reason(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each check whose `why` ended in an error of its own, each once.

    The check has failed all the same: whoever reads it is told less than there is to tell.
    """
    reported: set[str] = set()
    for each in evidence.graded.values():
        for observation in each.observations:
            failed = observation.outcome is Outcome.FAILED
            if failed and observation.staff and observation.check not in reported:
                reported.add(observation.check)
                message = f"{observation.check} fails on {each.trial.id}, and cannot say why: "
                next = "mend what `why` computes, for answers of any shape"
                yield _at(evidence, observation.check, message + observation.staff, next)


def _reference(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each check that the reference does not pass."""
    for observation in evidence.graded["the reference"].observations:
        if observation.outcome not in (Outcome.PASSED, Outcome.COULD_NOT_CHECK):
            message = f"the reference does not pass {observation.check}: {observation.observed}"
            yield _at(evidence, observation.check, message, "mend the check or the reference")


def _drawing(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each outcome that another global seed and more random draws change.

    The draws are in constructors and calls.
    """
    for each in _of(evidence, Kind.DRAWING):
        id = each.trial.id.removesuffix(DRAWING)
        calm = evidence.graded[id].outcomes
        for check, outcome in each.outcomes.items():
            if outcome != calm[check]:
                message = f"{check} is '{calm[check]}' for {id}, but '{outcome}' once it draws"
                next = "let nothing hang on random draws: take inputs and weights from `probe`"
                yield _at(evidence, check, f"{message} at random", next)


def _stub(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each check that does not call the untouched stub `not_attempted`."""
    if "the stub" not in evidence.graded:
        return
    for observation in evidence.graded["the stub"].observations:
        if observation.outcome not in (Outcome.NOT_ATTEMPTED, Outcome.COULD_NOT_CHECK):
            message = f"{observation.check} is '{observation.outcome}' for the untouched stub"
            next = "let the check call every target it judges, or fence more of the reference"
            yield _at(evidence, observation.check, message, next)


def _needed(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each check that no wrong answer fails.

    If a check compares values, an answer must fail it by its values: a crash, or an answer in
    another shape, says nothing about what the check asks.
    """
    killers, reshaped = _killers(evidence), _of(evidence, Kind.SHAPE)
    for check in evidence.checks:
        paths = data.course.paths
        mistakes = paths.shown(paths.exercise(check.exercise).mistakes)
        values = _value_methods(evidence, check.id)
        if not killers[check.id]:
            message = f"{check.id}: nobody fails it, no known mistake and no blank answer"
            next = f"add its mistake to {mistakes}, or delete the check"
            yield _at(evidence, check.id, message, next)
        elif not any(
            _is_wrong_in(each, check.id, values) for each in (*killers[check.id], *reshaped)
        ):
            shape = ", or answers in another shape" if values else ""
            message = f"{check.id}: whoever fails it crashes in it{shape}; no wrong answer does"
            called = " and ".join(f"expect.{name}" for name in sorted(values))
            next = f"{called} never fails: " if called else ""
            next += "compare what a known mistake gets wrong, or add a mistake that answers wrongly"
            yield _at(evidence, check.id, message, f"{next} to {mistakes}")


def _killers(evidence: Evidence) -> dict[str, list[GradedTrial]]:
    """Return check -> the wrong answers that do not pass it.

    A forbidden answer breaks a rule; it counts for `policy` only, as it says nothing about values.
    """
    killers: dict[str, list[GradedTrial]] = {check.id: [] for check in evidence.checks}
    for each in evidence.graded.values():
        for o in each.observations:
            # What is forbidden breaks a rule; of values it says nothing.
            wrong = each.trial.kind in _WRONG
            wrong |= each.trial.kind is Kind.FORBIDDEN and o.criterion == POLICY
            if wrong and kills(o):
                killers[o.check].append(each)
    return killers


def _value_methods(evidence: Evidence, check: str) -> frozenset[str]:
    """Return the methods of `expect` that the check calls, except those that check the form."""
    return frozenset(evidence.graded["the reference"].called.get(check, ())) - _FORM


def _is_wrong_in(each: GradedTrial, check: str, values: Collection[str]) -> bool:
    """Tell whether the check refused the answer, and for its values if the check asks for any."""
    refused = each.outcomes.get(check) is Outcome.FAILED
    return refused and (not values or each.refused_by.get(check) in values)


def _killed(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each misconception that loses no points in a criterion that it names."""
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
    """Yield a gap for each variant that does not earn in full what it states."""
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
    """Yield a gap for each check that earns points for answers without understanding.

    `MAY_EARN` and the entries of blank answers name the criteria that are exempt.
    """
    passing: dict[str, list[str]] = {}
    paths = data.course.paths
    for each in _of(evidence, Kind.BLANK):
        allowed = _may_earn(data, each)
        for o in each.observations:
            key = (o.exercise, o.criterion)
            # A rule on how to write says nothing of values: who writes none breaks none.
            allowed_here = o.criterion == POLICY or key in allowed
            if o.outcome is Outcome.PASSED and each.points.get(key) and not allowed_here:
                blank = each.trial.id.removesuffix(f" in {o.exercise}")
                passing.setdefault(o.check, []).append(blank)
    for check, blanks in passing.items():
        message = f"{check} is passed by answers that know nothing: {', '.join(blanks)}"
        next = "compare values in it, or let the criterion be earned: MAY_EARN in"
        yield _at(evidence, check, message, f"{next} {paths.shown(paths.blank_answers)}")


def _may_earn(data: CourseData, each: GradedTrial) -> set[tuple[str, str]]:
    edited = each.trial.edited
    own = edited.entry.may_earn if edited and isinstance(edited.entry, BlankAnswer) else ()
    names = {*data.may_earn, *own}
    return {
        (slug, criterion)
        for slug, criterion in each.points
        if criterion in names or f"{slug}/{criterion}" in names
    }


def _forbidden(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each rule of the rubric that is not noticed in an answer that breaks it."""
    for each in _of(evidence, Kind.FORBIDDEN):
        (slug,) = each.trial.slugs
        name = each.trial.forbidden
        reported = [o.observed for o in each.observations if o.criterion == POLICY]
        reported += [note for note in each.notes if note.startswith(f"{slug} ")]
        if not any(name.partition(":")[0].rstrip(". ") in text for text in reported):
            key = "no_loops" if name == LOOP else "banned"
            message = f"exercises.{slug}.{key}: nothing is told of an answer with {name}"
            trail = ("exercises", slug, key)
            yield rubric_gap(data.course, trail, message, "write the name as torch documents it")


def _order(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each check that ends differently in reverse order."""
    for id, reverse in evidence.again.items():
        forward = evidence.graded[id].outcomes
        for check, outcome in reverse.outcomes.items():
            if outcome != forward.get(check):
                message = f"{check} is '{forward.get(check)}' for {id}, but in reverse order"
                next = "let no check leave anything behind for another"
                yield _at(evidence, check, f"{message} '{outcome}'", next)


def _globals(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each global of a suite that running checks changes."""
    changed = {place for each in evidence.graded.values() for place in each.written}
    for file, name in sorted(changed):
        message = f"running its checks changes the global {name}"
        yield Gap(file, 1, message, "make it anew in each check, by a function")


RULES: tuple[Rule, ...] = (
    unchecked, _without_a_reason, _reference, _drawing, _stub, _needed, _killed, _variants,
    _blank, _forbidden, _order, _globals, worth,
)  # fmt: skip


def killers_by_check(evidence: Evidence) -> dict[str, list[str]]:
    """Return check -> the ids of the mistakes and blank answers that fail it, sorted."""
    by_check: dict[str, list[str]] = {check.id: [] for check in evidence.checks}
    for each in evidence.graded.values():
        if each.trial.kind in (Kind.MISCONCEPTION, Kind.BLANK):
            for check in each.killers:
                by_check[check].append(each.trial.id)
    return {check: sorted(ids) for check, ids in by_check.items()}


def full_points(data: CourseData) -> Points:
    return {
        (slug, name): criterion.points
        for slug, exercise in data.course.rubric.exercises.items()
        for name, criterion in exercise.criteria.items()
    }


def _of(evidence: Evidence, kind: Kind) -> list[GradedTrial]:
    return [each for each in evidence.graded.values() if each.trial.kind is kind]


def _at(evidence: Evidence, check: str, message: str, next: str) -> Gap:
    facts: CheckFacts | None = next_of(evidence, check)
    return Gap(facts.file, facts.line, message, next) if facts else Gap(check, 1, message, next)


def next_of(evidence: Evidence, check: str) -> CheckFacts | None:
    return next((each for each in evidence.checks if each.id == check), None)
