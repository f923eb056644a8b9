"""The rules of `rubric.yaml` on how an answer may be written, applied to what its text says.

What is said here is the student's own code and was read before any of it ran: it can carry no
hidden input.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ..course import RUBRIC_FILE
from ..evidence import Note, Observation, Outcome, Where
from ..language import _, joined
from ..rubric import POLICY
from .checks import ExercisePlan
from .faults import NotDefined, StudentFault
from .student import SubmissionClient
from .survey import Found, Survey

BANNED, LOOPS = "banned", "no_loops"
_MOST_NAMED = 3

Use = tuple[str, Where]
"""What is used, and where."""


def rules(exercise: ExercisePlan) -> dict[str, str]:
    """The rules that an exercise has, each with the line that people see."""
    found = {}
    if exercise.banned:
        found[BANNED] = _("Nothing is used that does the exercise's own work.")
    if exercise.no_loops:
        found[LOOPS] = _("{targets} without Python loops.", targets=joined(exercise.no_loops))
    return found


def asked(rule: str) -> str:
    """What a rule wants instead."""
    if rule == BANNED:
        return _("code of your own for it: writing it is the exercise")
    return _("operations on whole tensors: no loop, no comprehension, no map")


def facts(exercise: ExercisePlan) -> Iterator[list[str | int | bool]]:
    """The checks that its rules are, where the rubric has points for them: as `checks.facts`."""
    for rule, title in rules(exercise).items() if exercise.policy else ():
        yield [_id(exercise, rule), title, RUBRIC_FILE, 1, False, ""]


def observations(
    exercises: Sequence[ExercisePlan], client: SubmissionClient
) -> Iterator[Observation]:
    """One for each rule that has points. Raises Starved, SourceGone."""
    graded = {exercise.slug: exercise for exercise in exercises if exercise.policy}
    for exercise in graded.values():
        for rule, title in rules(exercise).items():
            passed = Observation(_id(exercise, rule), title, Outcome.PASSED)
            yield _observation(exercise, rule, passed, client, graded)


def _observation(
    exercise: ExercisePlan,
    rule: str,
    passed: Observation,
    client: SubmissionClient,
    graded: Mapping[str, ExercisePlan],
) -> Observation:
    survey = client.survey
    fault = client.why_not_loaded or _why_not_written(exercise, client)
    if fault is not None or survey is None:
        outcome = fault.outcome if fault is not None else Outcome.NOT_ATTEMPTED
        observed = fault.observed if fault is not None else _("not read")
        return replace(passed, outcome=outcome, observed=observed)
    if survey.fault is not None:
        why = survey.fault.observed
        observed = _("the code could not be read for what it uses: {why}", why=why)
        return replace(passed, outcome=survey.fault.outcome, observed=observed)
    paid = _paid_for(exercise, graded, survey) if rule == BANNED else {}
    found = _offences(exercise, rule, survey, paid)
    if not found:
        return _carried(passed, paid, _offences(exercise, rule, survey))
    return replace(
        passed,
        outcome=Outcome.FAILED,
        observed=_in_words(rule, found),
        expected=asked(rule),
        where=found[0].where,
    )


def _paid_for(
    exercise: ExercisePlan, graded: Mapping[str, ExercisePlan], survey: Survey
) -> dict[Use, str]:
    """What breaks the rule of another exercise that this one uses -> where it costs its points."""
    found: dict[Use, str] = {}
    for name, slug in exercise.calls.items():
        if slug in graded:
            further = _paid_for(graded[slug], graded, survey)
            for use in survey.uses(graded[slug].assignment, name):
                if use.what in graded[slug].banned:
                    key = use.what, use.where
                    found[key] = further.get(key, slug)
    return found


def _carried(
    passed: Observation, paid: Mapping[Use, str], offences: Sequence[Found]
) -> Observation:
    """The rule is kept but for what is used from elsewhere."""
    if not offences:
        return passed
    notes = []
    payers = [paid[one.what, one.where] for one in offences]
    for slug in dict.fromkeys(payers):
        own = [one for one, payer in zip(offences, payers, strict=True) if payer == slug]
        found = _in_words(BANNED, own)
        notes.append(_("{slug} {found}, and pays for it", slug=slug, found=found))
    return replace(passed, outcome=Outcome.CARRIED, notes=tuple(notes))


def notes(exercises: Sequence[ExercisePlan], client: SubmissionClient) -> Iterator[Note]:
    """Rules that were broken where the rubric has no points for them, and what a person may want
    to look at."""
    survey = client.survey
    if survey is None or survey.fault is not None:
        return
    for exercise in exercises:
        for rule in rules(exercise) if not exercise.policy else ():
            if found := _offences(exercise, rule, survey):
                text = _(
                    "{slug} {found}; it asks for {asked}",
                    slug=exercise.slug,
                    found=_in_words(rule, found),
                    asked=asked(rule),
                )
                yield Note("problem", text, found[0].where)
        yield from _advice(exercise, survey)
        yield from _ran(exercise, survey, client.ran.of(exercise.slug))


def _ran(exercise: ExercisePlan, survey: Survey, ran: Mapping[str, Where | None]) -> Iterator[Note]:
    """What ran although the text does not name it: put together at run time, perhaps."""
    if ran and not _offences(exercise, BANNED, survey):
        name, where = next(iter(ran.items()))
        text = _(
            "{slug}: {name} ran when {targets} was called, though the text does not name it",
            slug=exercise.slug,
            name=name,
            targets=joined(exercise.targets),
        )
        yield Note("note", text, where)


def _advice(exercise: ExercisePlan, survey: Survey) -> Iterator[Note]:
    stem = exercise.assignment
    for target in exercise.targets:
        for found in survey.numbers(stem, target):
            text = _(
                "{slug}: {target} has {what} written down in one place; results are to be computed",
                slug=exercise.slug,
                target=target,
                what=found.text,
            )
            yield Note("note", text, found.where)
            break
        for found in survey.opaque(stem, target) if rules(exercise) else ():
            text = _(
                "{slug}: {target} uses `{name}`, which nobody can look into",
                slug=exercise.slug,
                target=target,
                name=found.text,
            )
            yield Note("note", text, found.where)
            break


def _offences(
    exercise: ExercisePlan, rule: str, survey: Survey, but: Collection[Use] = ()
) -> list[Found]:
    """The first use of each thing that is not allowed, of others than those."""
    stem, found = exercise.assignment, dict[object, Found]()
    if rule == BANNED:
        for target in exercise.targets:
            for use in survey.uses(stem, target):
                if use.what in exercise.banned and (use.what, use.where) not in but:
                    found.setdefault(use.what, use)
    else:
        for target in exercise.no_loops:
            for loop in survey.loops(stem, target):
                found.setdefault(loop.where, loop)
    return list(found.values())


def _in_words(rule: str, found: Sequence[Found]) -> str:
    """What was found, without its places but for those after the first."""
    pieces = []
    for number, one in enumerate(found[:_MOST_NAMED]):
        text = f"`{one.text}`"
        if rule == BANNED and one.what not in one.text:
            text = _("{used}, which is {name}", used=text, name=one.what)
        pieces.append(text if number == 0 else f"{text} ({_spot(one.where)})")
    more = len(found) - len(pieces)
    told = ", ".join(pieces)
    told = _("{these} and {count} more", these=told, count=more) if more else told
    return _("uses {what}", what=told) if rule == BANNED else _("loops: {what}", what=told)


def _spot(where: Where) -> str:
    if where.cell is None:
        return _("line {line}", line=where.line)
    return _("cell {cell}, line {line}", cell=where.cell, line=where.line)


def _why_not_written(exercise: ExercisePlan, client: SubmissionClient) -> StudentFault | None:
    """What keeps every target from being there; None if one is."""
    last: StudentFault | None = None
    for target in exercise.targets:
        try:
            client.kind(exercise.assignment, target)
        except StudentFault as fault:
            # one that is there and broken says more than one that was never written
            last = fault if last is None or isinstance(last, NotDefined) else last
        else:
            return None
    return last


def _id(exercise: ExercisePlan, rule: str) -> str:
    return f"{exercise.slug}/{POLICY}/{rule}"
