"""All attacks of all families."""

from __future__ import annotations

from tests.attack import escape, forging, reports, resources, secrets
from tests.attack.attack import Attack

CATALOGUES = (
    secrets.CATALOGUE,
    forging.CATALOGUE,
    resources.CATALOGUE,
    escape.CATALOGUE,
    reports.CATALOGUE,
)
ATTACKS: tuple[Attack, ...] = tuple(
    attack for catalogue in CATALOGUES for attack in catalogue.attacks.values()
)
