"""All attacks of all families."""

from __future__ import annotations

from tests.attack import (
    carrying,
    escape,
    forging,
    operators,
    reports,
    resources,
    secrets,
    unknowns,
)
from tests.attack.attack import Attack

CATALOGUES = (
    secrets.CATALOGUE,
    forging.CATALOGUE,
    carrying.CATALOGUE,
    operators.CATALOGUE,
    resources.CATALOGUE,
    escape.CATALOGUE,
    reports.CATALOGUE,
    unknowns.CATALOGUE,
)
ATTACKS: tuple[Attack, ...] = tuple(
    attack for catalogue in CATALOGUES for attack in catalogue.attacks.values()
)
