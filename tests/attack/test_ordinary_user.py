"""The attacks as an ordinary user: they hold, and each succeeds where what stops it is left out."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.attack.__main__ import chosen
from tests.attack.ablation import RUNS, ablate, shown, takes_part
from tests.attack.attack import STEM, Family
from tests.attack.catalogue import ATTACKS
from tests.attack.test_attacks import IS_ROOT, ROOT
from tests.attack.test_attacks import pytestmark as pytestmark

LIMIT_S = 900


@pytest.mark.skipif(not IS_ROOT, reason="the tests run as an ordinary user already")
def test_no_attack_succeeds_against_an_ordinary_user() -> None:
    """Of the families in which it matters who one is; `make attack` tries them all."""
    families = [Family.SECRETS, Family.ESCAPE]
    done = as_ordinary_user("--quiet", *(f"--family={family}" for family in families))
    assert done.returncode == 0, done.stdout + done.stderr
    held = re.findall(r"(full|partial), as an ordinary user: (\d+) attacks, 0 do", done.stdout)
    count = str(len(chosen(families, None)))
    assert dict(held) == {"full": count, "partial": count}


def test_every_attack_succeeds_where_what_stops_it_is_left_out() -> None:
    """As an ordinary user: root could do more than any submission of a class."""
    if IS_ROOT:
        arguments = [arg for one in FOR_CONTROLS for arg in ("--only", one)]
        done = as_ordinary_user(
            "--quiet", "--controls", "--tier", "none", "--only", "loop", *arguments
        )
        assert " 0 not as they must be" in done.stdout, done.stdout + done.stderr
    else:
        found = [(s.tried.attack.id, s.problem) for s in ablate(ATTACKS) if s.problem]
        assert found == []


FOR_CONTROLS = [attack.id for attack in ATTACKS if takes_part(attack)]


def as_ordinary_user(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.support.ordinary_user", sys.executable]
    return subprocess.run(
        [*command, "-m", "tests.attack", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )


def test_every_attack_of_the_ablation_is_to_succeed_somewhere() -> None:
    part = [attack for attack in ATTACKS if takes_part(attack)]
    assert [attack.id for attack in part if not shown(attack)] == []
    assert len(part) >= 100
    assert len({str(run) for run in RUNS}) == len(RUNS)
    assert {f"{STEM}.py"} <= {name for attack in ATTACKS for name in attack.files}
