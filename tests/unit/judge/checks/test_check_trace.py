"""When what a student's code gave counts as what a known mistake gives."""

from __future__ import annotations

from dataclasses import replace

import torch

from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import (
    CheckTrace,
    Match,
    frozen,
    has_numbers,
    has_other_numbers,
    has_wrong_numbers,
    in_short,
    is_same_run,
    match,
    same,
    tells_apart,
)
from grader.judge.checks.leaf_print import LeafPrint
from grader.judge.compare.compare import ValueKind, ValueSummary
from grader.wire.values import Opaque

X = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
NAN = torch.tensor([1.0, torch.nan])


def test_the_same_numbers_are_the_same() -> None:
    seen = [X, "3 of 9 patches", (X, None), {"x": X, "y": None}, NAN]
    other = [X * (1 + 1e-12), "3 of 9 patches", (X.clone(), None), {"x": X, "y": None}, NAN]
    assert same(seen, other)


def test_anything_else_is_not() -> None:
    assert not same([X], [X + 1e-6])
    assert not same([X], [X, X])
    assert not same([X], [X.float()])
    assert not same(["3 of 9 patches"], ["4 of 9 patches"])
    assert not same([{"x": X}], [{"y": X}])
    assert not same([{"x": X}], [{"x": None}])
    assert not same([NAN], [torch.tensor([1.0, 2.0])])


def test_single_precision_is_compared_as_coarsely_as_it_computes() -> None:
    single = X.float()
    assert same([single], [single * (1 + 1e-7)])
    assert not same([single], [single * (1 + 1e-4)])


def failed(*seen: object, said: str = "", drawn: tuple[object, ...] = ()) -> CheckTrace:
    return CheckTrace(Outcome.FAILED, seen, said, drawn)


def test_a_run_in_short_is_known_again_and_takes_less_room() -> None:
    large = torch.rand(9, 9, generator=torch.Generator().manual_seed(4))
    run = CheckTrace(Outcome.PASSED, [large, (X, large.half()), "words"], drew=True)
    short = in_short(run)
    first, (small, half), words = short.compared
    assert isinstance(first, LeafPrint)
    assert (small is X, words) == (True, "words") and half.dtype is torch.float16
    assert match(run, short) is match(short, run) is Match.SAME

    rounded = CheckTrace(Outcome.PASSED, [large * (1 + 1e-7), *run.compared[1:]], drew=True)
    other = CheckTrace(Outcome.PASSED, [large * (1 + 1e-4), *run.compared[1:]], drew=True)
    assert match(rounded, short) is Match.SAME
    assert match(other, short) is Match.OTHER


def test_a_run_on_a_mistake_is_the_reference_s_where_nothing_in_it_differs() -> None:
    right = CheckTrace(Outcome.PASSED, [X], drawn=["(3, 4)"], drew=True)
    assert is_same_run(replace(right, compared=[X.clone()]), right)
    assert not is_same_run(replace(right, compared=[X + 1e-3]), right)
    assert not is_same_run(replace(right, drawn=["(4, 3)"]), right)
    assert not is_same_run(replace(right, drew=False), right)


def test_two_runs_match_if_they_ended_alike_and_saw_the_same() -> None:
    assert match(failed(X), failed(X.clone())) is Match.SAME
    assert match(failed(X), failed(X + 1e-3)) is Match.OTHER
    assert match(failed(X), CheckTrace(Outcome.PASSED, (X,))) is Match.OTHER


def test_modules_that_lack_different_layers_have_nothing_in_common() -> None:
    """Nothing was compared of either: that is no agreement."""
    first, second = failed(drawn=(["norm1.weight (4,)"],)), failed(drawn=(["norm2.weight (4,)"],))
    assert match(first, first) is Match.SAME
    assert match(first, second) is Match.UNDECIDED


def test_other_words_and_other_weights_prove_nothing() -> None:
    assert (
        match(failed("ValueError", said="no"), failed("ValueError", said="yes")) is Match.UNDECIDED
    )
    packed, apart = (("qkv", (9, 3)),), (("q", (3, 3)), ("k", (3, 3)), ("v", (3, 3)))
    assert match(failed(X, drawn=packed), failed(X + 1, drawn=apart)) is Match.UNDECIDED
    assert match(failed(X, drawn=packed), failed(X + 1, drawn=packed)) is Match.OTHER


def test_a_check_tells_a_mistake_if_it_sees_something_else_than_of_the_right_answer() -> None:
    right = CheckTrace(Outcome.PASSED, (X,))
    assert tells_apart(CheckTrace(Outcome.PASSED, (X / 2,)), right)
    assert not tells_apart(CheckTrace(Outcome.PASSED, (X.clone(),)), right)


def test_numbers_that_anybody_arrives_at_are_no_evidence() -> None:
    right = CheckTrace(Outcome.PASSED, (X,))
    assert has_other_numbers(failed(X / 2), right)
    assert not has_other_numbers(failed(torch.zeros_like(X)), right)
    assert not has_other_numbers(failed(X * torch.nan), right)
    assert not has_other_numbers(failed("modified its input"), right)
    assert not has_wrong_numbers(
        failed(X, "RuntimeError"), CheckTrace(Outcome.PASSED, (X, X / 2, X))
    )
    assert not has_wrong_numbers(failed((X, ["x"])), CheckTrace(Outcome.PASSED, ((X, []),)))
    assert has_wrong_numbers(failed(X, X / 2), CheckTrace(Outcome.PASSED, (X,)))
    beside_nan, wrong_beside_nan = X.clone(), X / 2
    beside_nan[0] = wrong_beside_nan[0] = torch.nan
    assert not has_wrong_numbers(failed(beside_nan), CheckTrace(Outcome.PASSED, (X,)))
    assert has_wrong_numbers(failed(wrong_beside_nan), CheckTrace(Outcome.PASSED, (X,)))
    assert has_numbers(failed(X))
    assert not has_numbers(failed("RuntimeError", torch.ones(3)))
    mask = torch.ones(3, 3, dtype=torch.bool)
    assert has_other_numbers(failed(mask.tril()), CheckTrace(Outcome.PASSED, (mask.triu(),)))
    assert not has_other_numbers(failed(mask), CheckTrace(Outcome.PASSED, (mask.triu(),)))


def test_what_is_kept_holds_no_graph_and_no_object() -> None:
    tracked = X.clone().requires_grad_() * 2
    kept = frozen(({"a": tracked}, [None, 1.5], Opaque("Odd")))

    assert kept[0][0][0] == "a"
    assert not kept[0][0][1].requires_grad
    assert kept[1:] == [[None, 1.5], ValueSummary(ValueKind.OBJECT)]
    assert frozen(torch.empty(2, device="meta")) == ("(2,) of torch.float32 on meta")


def test_what_is_too_large_is_not_kept() -> None:
    assert frozen(torch.zeros(1 << 16)).shape == (1 << 16,)
    assert frozen(torch.zeros(2, 1 << 16)) == ("(2, 65536) of torch.float32 on cpu")
