"""Everything that is written can be read, in light and in dark, whoever reads it."""

from __future__ import annotations

import pytest

from grader.report.html.palette import DARK, HALF, LIGHT, STEPS, Scheme, contrast, properties

READABLE = 4.5
SCHEMES = pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
PAIRS = [
    (ink, ground)
    for ink in ("ink", "soft", "accent", "good", "bad", "warn")
    for ground in ("page", "card", "code")
] + [("ink", "mark"), ("soft", "mark"), ("warn", "mark")]
SCALE = [f"--w{step}" for step in range(STEPS + 1)]
BOTH_WAYS = [f"--d{step}" for step in range(-HALF, HALF + 1)]


@SCHEMES
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_words_stand_apart_from_their_ground(scheme: Scheme, ink: str, ground: str) -> None:
    assert contrast(scheme.named[ink], scheme.named[ground]) >= READABLE


@SCHEMES
@pytest.mark.parametrize("shade", SCALE + BOTH_WAYS)
def test_a_number_can_be_read_on_its_shade(scheme: Scheme, shade: str) -> None:
    found = properties(scheme)

    assert contrast(found[shade], found[f"--on-{shade[2:]}"]) >= READABLE


@SCHEMES
def test_more_weight_is_always_further_from_the_ground(scheme: Scheme) -> None:
    """Told by lightness alone: it works without any colour."""
    found = properties(scheme)
    steps = [contrast(found[shade], scheme.named["card"]) for shade in SCALE]

    assert steps == sorted(steps)
    assert steps[-1] > 5 * steps[0]


@SCHEMES
def test_both_ways_lead_away_from_the_middle(scheme: Scheme) -> None:
    found = properties(scheme)
    steps = [contrast(found[shade], scheme.named["card"]) for shade in BOTH_WAYS]

    assert steps[HALF] == min(steps)
    assert min(steps[0], steps[-1]) > 2.5 * steps[HALF]


def test_contrast_is_found_where_there_is_none() -> None:
    assert contrast("#777777", "#777777") == 1
    assert contrast("#999999", "#ffffff") < READABLE
