"""`python -m tests.attack`: every attack in every tier this machine has, as a table.

    python -m tests.attack --tier partial --family escape --only mount

As root it goes on as an ordinary user. With `--controls` it also shows every attack succeed where
what stops it is left out. Exit code 1 if anything is not as it must be.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.engine.engine import EngineError
from tests.attack.ablation import RUNS, ablate, takes_part
from tests.attack.arena import Tried, arena
from tests.attack.attack import TIERS, Attack, Family
from tests.attack.catalogue import ATTACKS
from tests.attack.naive import fooled

ROOT = Path(__file__).resolve().parents[2]
JAILED = ("full", "partial")


def main(arguments: Sequence[str]) -> int:
    # What is planted outside is taken away again, whoever ends us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    wanted = _parsed(arguments)
    attacks = chosen(wanted.family, wanted.only)
    if not attacks:
        print("no attack is called that")
        return 2
    broken, reached = 0, 0
    for tier in wanted.tier or JAILED:
        try:
            broken += _table(tier, attacks, quiet=wanted.quiet)
            reached += 1
        except EngineError as error:
            print(f"tier {tier} cannot be had here: {error}")
    if wanted.controls and os.geteuid() != 0:
        broken += _controls(attacks)
    if os.geteuid() == 0 and not wanted.root_only:
        command = [sys.executable, "-m", "tests.support.ordinary_user"]
        again = [sys.executable, "-m", "tests.attack", *arguments]
        broken += subprocess.run([*command, *again], cwd=ROOT).returncode != 0
    return int(bool(broken) or not reached)


def chosen(families: Sequence[str] | None, ids: Sequence[str] | None) -> tuple[Attack, ...]:
    machine = os.uname().machine
    return tuple(
        attack
        for attack in ATTACKS
        if (not families or attack.family in families)
        and (not ids or attack.id in ids)
        and (machine == "x86_64" or not attack.x86_only)
    )


def run(tier: str, attacks: Sequence[Attack]) -> Iterator[Tried]:
    """Each attack in a tier, and an honest submission after it. Raises EngineError."""
    with arena(tier) as place:
        for attack in attacks:
            yield place.attempt(attack)


def _table(tier: str, attacks: Sequence[Attack], *, quiet: bool) -> int:
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    started, count, broken = time.monotonic(), 0, 0
    for tried in run(tier, attacks):
        count += 1
        broken += bool(tried.problems)
        if tried.problems or not quiet:
            print(_row(tried, tier), flush=True)
    took = time.monotonic() - started
    print(f"{tier}, as {who}: {count} attacks, {broken} do not hold, {took:.0f} s\n", flush=True)
    return broken


def _row(tried: Tried, tier: str) -> str:
    attack = tried.attack
    layers = " ".join(attack.stops(tier)) or "-"
    leak = "leaks, as documented" if tier in attack.leaks else f"holds: {_ends(tried)}"
    result = f"DOES NOT HOLD: {' | '.join(tried.problems)[:300]}" if tried.problems else leak
    return f"{attack.id:26} {attack.family:10} {tier:8} {layers:36} {result}"


def _ends(tried: Tried) -> str:
    return ", ".join(sorted(tried.ends))


def _controls(attacks: Sequence[Attack]) -> int:
    """Whether each attack succeeds where what stops it is gone."""
    naive = [attack for attack in attacks if attack.naive]
    found = fooled(naive) if naive else frozenset()
    broken = [f"{a.id}: a plain pytest run is not fooled" for a in naive if a.id not in found]
    tried = tuple(attack for attack in attacks if takes_part(attack))
    runs = 0
    for shown in ablate(tried) if tried else ():
        runs += 1
        if shown.problem:
            broken.append(f"{shown.tried.attack.id}: {shown.problem}")
    print("\n".join(broken))
    print(
        f"controls: {len(tried)} attacks in {len(RUNS)} runs with less, {runs} in all; "
        f"{len(naive)} on a plain pytest run; {len(broken)} not as they must be\n"
    )
    return len(broken)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attack")
    parser.add_argument("--tier", action="append", choices=TIERS)
    parser.add_argument("--family", action="append", choices=list(Family))
    parser.add_argument("--only", action="append", metavar="ATTACK")
    parser.add_argument("--controls", action="store_true")
    parser.add_argument("--quiet", action="store_true", help="only what does not hold")
    parser.add_argument("--root-only", action="store_true", help="not as an ordinary user too")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
