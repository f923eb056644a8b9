"""Apply the rules of `rubric.yaml` on how an answer may be written to a submission's text.

All that these rules quote is the student's own code, which was read before any of it ran: it can
carry no hidden input.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ...course.rubric import POLICY
from ...course.rubric_place import RUBRIC_FILE
from ...grade.evidence import FLAG, Note, Observation, Outcome, Where, could_not_check
from ...messages.answers import CheckFacts
from ...messages.exercise_plan import ExercisePlan
from ...text.language import _, joined
from ..calls.faults import NotDefined, SourceGone, Starved, StudentFault
from ..calls.student import SubmissionClient
from ..calls.survey import Occurrence, Survey
from ..checks.observe import our_fault

BANNED, LOOPS = "banned", "no_loops"
_MOST_NAMED = 3

Use = tuple[str, Where]
"""The name of what is used, and the place of the use."""


def rules(exercise: ExercisePlan) -> dict[str, str]:
    """Return the rules of an exercise, each with the line that people see."""
    titles = {}
    if exercise.banned:
        titles[BANNED] = _("Nothing is used that does the exercise's own work.")
    if exercise.no_loops:
        titles[LOOPS] = _("{targets} without Python loops.", targets=joined(exercise.no_loops))
    return titles


def requested(rule: str) -> str:
    """Say in words what a rule wants to see instead."""
    if rule == BANNED:
        return _("code of your own for it: writing it is the exercise")
    return _("operations on whole tensors: no loop, no comprehension, no map")


def facts(exercise: ExercisePlan) -> Iterator[CheckFacts]:
    """Yield the rules of an exercise as checks, where the rubric has points for them."""
    for rule, title in rules(exercise).items() if exercise.policy else ():
        yield CheckFacts(_id(exercise, rule), title, RUBRIC_FILE, 1, False, "")


def observations(
    exercises: Sequence[ExercisePlan], client: SubmissionClient
) -> Iterator[Observation]:
    """Yield one observation for each rule that has points. Raises Starved, SourceGone."""
    graded = {exercise.slug: exercise for exercise in exercises if exercise.policy}
    for exercise in graded.values():
        for rule, title in rules(exercise).items():
            passed = Observation(_id(exercise, rule), title, Outcome.PASSED)
            try:
                yield _observation(exercise, rule, passed, client, graded)
            except (Starved, SourceGone):
                raise
            except Exception as error:
                yield _not_checked(passed, our_fault(error))


def _observation(
    exercise: ExercisePlan,
    rule: str,
    passed: Observation,
    client: SubmissionClient,
    graded: Mapping[str, ExercisePlan],
) -> Observation:
    survey = client.survey
    fault = client.why_not_loaded or _why_not_written(exercise, client)
    if fault is not None:
        unread = replace(passed, observed=fault.observed, expected=fault.expected)
        return replace(unread, outcome=fault.outcome, where=fault.where)
    if survey is None:
        return replace(passed, outcome=Outcome.NOT_ATTEMPTED, observed=_("not read"))
    if survey.ours:
        return _not_checked(passed, survey.ours)
    if survey.fault is not None:
        why = survey.fault.observed
        observed = _("the code could not be read for what it uses: {why}", why=why)
        return replace(passed, outcome=survey.fault.outcome, observed=observed)
    paid = _paid_for(exercise, graded, survey) if rule == BANNED else {}
    offences = _offences(exercise, rule, survey, paid)
    if not offences:
        carried = _carried(passed, paid, _offences(exercise, rule, survey))
        return _as_it_ran(carried, exercise, client, graded) if rule == BANNED else carried
    return replace(
        passed,
        outcome=Outcome.FAILED,
        observed=_in_words(rule, offences),
        expected=requested(rule),
        where=offences[0].where,
    )


def _not_checked(passed: Observation, why: str) -> Observation:
    message = _("the code could not be read for what it uses: {why}", why=why)
    return could_not_check(passed.check, passed.title, message)


def _paid_for(
    exercise: ExercisePlan, graded: Mapping[str, ExercisePlan], survey: Survey
) -> dict[Use, str]:
    """Return banned uses that other exercises pay for, each with the exercise that pays.

    These are the uses in code of other exercises that this one calls and that ban the same thing.
    """
    paid: dict[Use, str] = {}
    for name, slug in exercise.calls.items():
        if slug in graded:
            further = _paid_for(graded[slug], graded, survey)
            for use in survey.uses(graded[slug].assignment, name):
                if use.what in graded[slug].banned:
                    key = use.what, use.where
                    paid[key] = further.get(key, slug)
    return paid


def _carried(
    passed: Observation, paid: Mapping[Use, str], offences: Sequence[Occurrence]
) -> Observation:
    """Return the rule as carried if it is broken only by code of other exercises."""
    if not offences:
        return passed
    notes = []
    payers = [paid[one.what, one.where] for one in offences]
    for slug in dict.fromkeys(payers):
        own = [one for one, payer in zip(offences, payers, strict=True) if payer == slug]
        listing = _in_words(BANNED, own)
        notes.append(_("{slug} {found}, and pays for it", slug=slug, found=listing))
    return replace(passed, outcome=Outcome.CARRIED, notes=tuple(notes))


def is_named(exercise: ExercisePlan, client: SubmissionClient) -> bool:
    """Decide whether the text names what the exercise bans. Raises Starved.

    True as well if the text could not be read.
    """
    survey = client.survey
    return survey is None or survey.fault is not None or bool(_offences(exercise, BANNED, survey))


def _as_it_ran(
    passed: Observation,
    exercise: ExercisePlan,
    client: SubmissionClient,
    graded: Mapping[str, ExercisePlan],
) -> Observation:
    """Judge the rule on banned names by what really ran, if the text alone keeps it.

    A rule that is not kept by the text, or was paid for elsewhere, stays as it is.
    """
    ran = client.ran
    if passed.outcome is not Outcome.PASSED or not ran.is_proven(exercise.slug):
        return passed
    uses = ran.of(exercise.slug)
    where = next((place for place in uses.values() if place is not None), None)
    payer = _payer(exercise, where, client, graded)
    if payer:
        note = _("{slug} runs {name}, and pays for it", slug=payer, name=joined(uses))
        return replace(passed, outcome=Outcome.CARRIED, notes=(note,))
    observed = _("runs {name}, and your answers depend on it", name=joined(uses))
    return replace(
        passed,
        outcome=Outcome.FAILED,
        observed=observed,
        expected=requested(BANNED),
        where=where or client.loaded.definition(exercise.assignment, exercise.targets[0]),
    )


def _payer(
    exercise: ExercisePlan,
    where: Where | None,
    client: SubmissionClient,
    graded: Mapping[str, ExercisePlan],
) -> str:
    """Return the exercise that is called here and pays for what ran at that place; "" for none."""
    for slug in exercise.calls.values():
        if slug not in graded or where is None:
            continue
        guilty = client.ran.is_proven(slug) or is_named(graded[slug], client)
        if guilty and where in client.ran.of(slug).values():
            return slug
        if further := _payer(graded[slug], where, client, graded):
            return further
    return ""


def flags(exercises: Sequence[ExercisePlan], client: SubmissionClient) -> Iterator[Note]:
    """Yield notes for staff on what is likely and not certain, for a person to look into."""
    for exercise in exercises:
        slug = exercise.slug
        survey = client.survey
        if survey is not None and survey.fault is None and _offences(exercise, BANNED, survey):
            continue
        uses = client.ran.reported(slug) if client.ran.is_proven(slug) else client.ran.all(slug)
        for name, where in uses.items():
            text = _(
                "{slug}: {name} ran when {targets} was called, though the text does not name it",
                slug=slug,
                name=name,
                targets=joined(exercise.targets),
            )
            yield Note(FLAG, text, where)
    if client.ran.events:
        text = _(
            "the code reached for what counts the operators that run: {events}",
            events=", ".join(client.ran.events),
        )
        yield Note(FLAG, text)


def notes(exercises: Sequence[ExercisePlan], client: SubmissionClient) -> Iterator[Note]:
    """Yield notes on broken rules that have no points, and on code that a person may look at."""
    survey = client.survey
    if survey is None or not survey.is_read:
        return
    for exercise in exercises:
        for rule in rules(exercise) if not exercise.policy else ():
            if offences := _offences(exercise, rule, survey):
                text = _(
                    "{slug} {found}; it asks for {asked}",
                    slug=exercise.slug,
                    found=_in_words(rule, offences),
                    asked=requested(rule),
                )
                yield Note("problem", text, offences[0].where)
        yield from _advice(exercise, survey)


def _advice(exercise: ExercisePlan, survey: Survey) -> Iterator[Note]:
    stem = exercise.assignment
    for target in exercise.targets:
        for use in survey.numbers(stem, target):
            text = _(
                "{slug}: {target} has {what} written down in one place; results are to be computed",
                slug=exercise.slug,
                target=target,
                what=use.text,
            )
            yield Note("note", text, use.where)
            break
        for use in survey.opaque(stem, target) if rules(exercise) else ():
            text = _(
                "{slug}: {target} uses `{name}`, which nobody can look into",
                slug=exercise.slug,
                target=target,
                name=use.text,
            )
            yield Note("note", text, use.where)
            break


def _offences(
    exercise: ExercisePlan, rule: str, survey: Survey, but: Collection[Use] = ()
) -> list[Occurrence]:
    """Return the first use of each thing that is not allowed, leaving out the uses in `but`."""
    stem, offences = exercise.assignment, dict[object, Occurrence]()
    if rule == BANNED:
        for target in exercise.targets:
            for use in survey.uses(stem, target):
                if use.what in exercise.banned and (use.what, use.where) not in but:
                    offences.setdefault(use.what, use)
    else:
        for target in exercise.no_loops:
            for loop in survey.loops(stem, target):
                offences.setdefault(loop.where, loop)
    return list(offences.values())


def _in_words(rule: str, offences: Sequence[Occurrence]) -> str:
    """Name what was found; give a place only for those after the first."""
    pieces = []
    for number, one in enumerate(offences[:_MOST_NAMED]):
        text = f"`{one.text}`"
        if rule == BANNED and one.what not in one.text:
            text = _("{used}, which is {name}", used=text, name=one.what)
        pieces.append(text if number == 0 else f"{text} ({_spot(one.where)})")
    more = len(offences) - len(pieces)
    listing = ", ".join(pieces)
    listing = _("{these} and {count} more", these=listing, count=more) if more else listing
    return _("uses {what}", what=listing) if rule == BANNED else _("loops: {what}", what=listing)


def _spot(where: Where) -> str:
    if where.cell is None:
        return _("line {line}", line=where.line)
    return _("cell {cell}, line {line}", cell=where.cell, line=where.line)


def _why_not_written(exercise: ExercisePlan, client: SubmissionClient) -> StudentFault | None:
    """Return the fault that keeps every target from being there; None if one is."""
    last: StudentFault | None = None
    for target in exercise.targets:
        try:
            client.loaded.kind(exercise.assignment, target)
        except StudentFault as fault:
            # one that is there and broken says more than one that was never written
            last = fault if last is None or isinstance(last, NotDefined) else last
        else:
            return None
    return last


def _id(exercise: ExercisePlan, rule: str) -> str:
    return f"{exercise.slug}/{POLICY}/{rule}"
