"""When a known mistake is named, and when what was seen does not say which one it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

from grader.course.misconceptions import Misconception, Origin
from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import CheckTrace
from grader.judge.checks.checks import Check
from grader.judge.diagnose.dictionary import Case, Dictionary
from grader.judge.mutants.mutants import KnownMistake

Traces = Mapping[str, CheckTrace]
X = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
OURS, THEIRS = (("qkv", (9, 3)),), (("q", (3, 3)), ("k", (3, 3)), ("v", (3, 3)))
CHECKS = ("one", "two", "checkpoint", "modes")
RIGHT = {name: CheckTrace(Outcome.PASSED, (X,)) for name in CHECKS}


class OneCheck:
    """As much of a check as naming looks at."""

    fresh = alone = False

    def __init__(self, name: str) -> None:
        self.id = name


ALL = {name: cast(Check, OneCheck(name)) for name in CHECKS}


def failed(*seen: object, drawn: tuple[object, ...] = ()) -> CheckTrace:
    return CheckTrace(Outcome.FAILED, seen, "", drawn)


class Bank:
    """Mistakes by id, and what each check sees of them; `imported` are on no record."""

    def __init__(self, made: Mapping[str, Traces], imported: Mapping[str, Traces] = {}) -> None:
        self._made, self._imported = made, imported

    def of(self, *asked: Any) -> Any:
        if asked == ("slug",):
            return {
                id: frozenset(n for n, t in traces.items() if t.outcome is Outcome.FAILED)
                for id, traces in self._made.items()
            }
        if len(asked) == 1:
            return [known(id) for id in self._made]
        mistake, check = asked[:2]
        return {**self._made, **self._imported}[mistake.entry.id].get(check.id, RIGHT[check.id])

    def imported(self, stem: str) -> Any:
        return [known(id) for id in self._imported]

    def right(self, check: Check, *draw: object) -> CheckTrace:
        return RIGHT[check.id]


def known(id: str) -> KnownMistake:
    fails = ("policy",) if id.startswith("torchs") else ()
    return KnownMistake("a1", Misconception(id, (), "f", (), fails, id), Origin("", {}))


def named(bank: Bank, student: Traces) -> dict[str, list[str]]:
    traces = {ALL[name]: student.get(name, RIGHT[name]) for name in CHECKS}
    failing = {c: t for c, t in traces.items() if t.outcome is Outcome.FAILED}
    passing = {c: t for c, t in traces.items() if c not in failing}
    case = Case("slug", "a1", "", failing, passing, lambda check: None)
    causes = Dictionary(*cast(Any, (bank, bank, bank))).causes(case, ())
    return {check: [cause.id for cause in own] for check, own in causes.items()}


WRONG = {"one": failed(X / 2), "two": failed(X / 3)}


def test_a_mistake_that_gives_all_numbers_is_named() -> None:
    assert named(Bank({"m": WRONG}), WRONG) == {"one": ["m"], "two": ["m"]}


def test_a_mistake_that_gives_another_number_is_not() -> None:
    assert named(Bank({"m": WRONG}), {**WRONG, "two": failed(X / 4)}) == {}


def test_weights_under_other_names_speak_neither_for_a_mistake_nor_against_it() -> None:
    mistake = {**WRONG, "checkpoint": failed(X + 1, drawn=OURS)}
    student = {**WRONG, "checkpoint": failed(X + 2, drawn=THEIRS)}
    assert named(Bank({"m": mistake}), student)["one"] == ["m"]
    alike = {**WRONG, "checkpoint": failed(X + 2, drawn=OURS)}
    assert named(Bank({"m": mistake}), alike) == {}


def test_a_check_that_goes_by_names_may_fail_besides() -> None:
    student = {**WRONG, "checkpoint": failed(X + 2, drawn=THEIRS)}
    assert named(Bank({"m": WRONG}), student) == {"one": ["m"], "two": ["m"]}


def test_right_numbers_before_a_refusal_are_no_wider_mistake() -> None:
    """Dropout on the scores was named as dropout that is never applied."""
    refused = {"one": failed(X, "no change"), "two": failed(X, "no change")}
    assert named(Bank({"unused": {**refused, "modes": failed(X / 2)}}), refused) == {}


REFUSED = {
    "one": failed(X + 1, "0 directions", drawn=OURS),
    "two": failed(X + 2, "the same twice", drawn=OURS),
}
OWN = {
    "one": failed(X + 3, "0 directions", drawn=THEIRS),
    "two": failed(X + 4, "the same twice", drawn=THEIRS),
}


def test_without_numbers_the_reasons_of_the_checks_tell() -> None:
    assert named(Bank({"unused": REFUSED}), OWN) == {"one": ["unused"], "two": ["unused"]}
    other = {**OWN, "one": failed(X + 3, "9 directions", drawn=THEIRS)}
    assert named(Bank({"unused": REFUSED}), other) == {}


def test_one_reason_is_too_few() -> None:
    assert named(Bank({"m": {"one": REFUSED["one"]}}), {"one": OWN["one"]}) == {}


def test_reasons_that_two_mistakes_share_name_neither() -> None:
    assert named(Bank({"unused": REFUSED, "rate": REFUSED}), OWN) == {}


def test_a_mistake_that_the_text_tells_is_none_of_them() -> None:
    bank = Bank({"unused": REFUSED, "torchs_own": REFUSED})
    assert named(bank, OWN) == {"one": ["unused"], "two": ["unused"]}


def test_a_mistake_of_what_the_reference_imports_is_tried_as_well() -> None:
    assert named(Bank({}, {"earlier": WRONG}), WRONG) == {"one": ["earlier"], "two": ["earlier"]}
    passed = replace(RIGHT["modes"], compared=(X,))
    narrower = {**WRONG, "modes": failed(X / 5)}
    assert named(Bank({}, {"earlier": narrower}), {**WRONG, "modes": passed}) == {}


@pytest.mark.parametrize("mistake", [{}, {"one": failed(X / 2)}])
def test_what_is_right_or_seen_once_is_no_cause(mistake: Traces) -> None:
    assert named(Bank({"m": mistake}), WRONG) == {}
