"""Every attack holds, in every tier and for every user; and every attack can succeed."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.attack import operators
from tests.attack.__main__ import chosen, run
from tests.attack.ablation import words
from tests.attack.arena import Tried, arena
from tests.attack.attack import Catalogue, End, Family
from tests.attack.catalogue import ATTACKS
from tests.attack.forging import SAY
from tests.attack.naive import fooled
from tests.support.turns import in_turn

ROOT = Path(__file__).resolve().parents[2]
TRIED = {"full": chosen(None, None), "partial": in_turn(chosen(None, None), 2)}
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a jail"),
    pytest.mark.skipif(
        os.environ.get("GRADER_NO_JAIL") == "1", reason="this machine was said to have none"
    ),
]


@cache
def tried(tier: str) -> Mapping[str, Tried]:
    return {one.attack.id: one for one in run(tier, TRIED[tier])}


@pytest.mark.parametrize(("tier", "id"), [(tier, a.id) for tier in TRIED for a in TRIED[tier]])
def test_no_attack_succeeds(tier: str, id: str) -> None:
    found = tried(tier)[id]
    assert found.tier == tier
    assert found.problems == ()


def test_a_plain_pytest_run_is_fooled_by_what_topology_stops() -> None:
    naive = [attack for attack in ATTACKS if attack.naive]
    assert len(naive) >= 18
    assert {attack.id for attack in naive} - fooled(naive) == set()


def test_what_is_not_counted_underneath_keeps_its_points() -> None:
    """The ablation of `operators`; what torch does in Python is counted without them."""
    wanted = [a for id, a in operators.CATALOGUE.attacks.items() if id != "own-module"]
    with arena("none", operators="") as place:
        kept = {attack.id for attack in wanted if place.try_only(attack).succeeded}
    assert kept == {attack.id for attack in wanted}


@pytest.mark.skipif(not IS_ROOT, reason="only root may do it outside a jail")
def test_what_only_root_may_do_root_does_without_a_jail() -> None:
    wanted = [attack for attack in chosen(None, None) if attack.root_only]
    with arena("none") as place:
        done = {attack.id for attack in wanted if place.try_only(attack).succeeded}
    assert done == {attack.id for attack in wanted}
    assert len(wanted) >= 5


def test_a_forged_reply_with_the_right_values_is_an_answer() -> None:
    """The control of the wire: a forged reply with the right values is an answer like any other."""
    right = "struct.pack('<%dd' % len(x), *(x * 3 - 1).tolist())"
    more = "[['float64', [len(x)], [1], 0, 0, 0]], [8 * len(x) + pad], DATA + bytes(pad)"
    source = f"{SAY}\n\ndef work(x):\n    DATA = {right}\n    pad = -len(DATA) % 16\n"
    source += f"    say(tensors({more}).replace(b'PAD', b''))\n    os._exit(0)\n"
    catalogue = Catalogue(Family.FORGING)
    catalogue.points("right", "send the right values itself", source)
    with arena("none") as place:
        found = place.try_only(catalogue.attacks["right"])
    assert End.SUCCEEDED in found.ends, found.said


TWICE = """
def halves(x):
    return x.reshape(2, -1) * 3

def middle(x):
    return (x.reshape(2, -1) * 3).mean(0)
"""


def test_a_mistake_that_was_made_twice_costs_once() -> None:
    """The control of carrying: wrong numbers that a known mistake gives, in both exercises."""
    catalogue = Catalogue(Family.FORGING)
    catalogue.points("twice", "make one mistake twice", TWICE)
    with arena("none") as place:
        found = place.try_only(catalogue.attacks["twice"])
    assert found.ends == {End.SUCCEEDED}, found.said


def test_the_catalogue_is_large_enough_and_says_what_stops_each_attack() -> None:
    families = Counter(attack.family for attack in ATTACKS)
    assert sum(families.values()) >= 110
    assert all(families[family] >= 20 for family in (*Family,) if family is not Family.INTAKE)
    named = {word for attack in ATTACKS for word in (*attack.full, *attack.partial)}
    assert named <= words()
    assert [a.id for a in ATTACKS if not a.full] == []
