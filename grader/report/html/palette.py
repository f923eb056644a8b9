"""The colours of a page, once for light surroundings and once for dark ones.

Shades are computed, so that a test can check that the number on each one is legible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STEPS = 10
"""Shades in the scale of weights, not counting 0; differences have half as many either way."""
HALF = STEPS // 2


@dataclass(frozen=True)
class Scheme:
    """A set of colours, each named by its use."""

    named: Mapping[str, str]
    weights: tuple[str, str, str]
    """The colours of none, half and all: one hue, told apart by lightness."""
    differences: tuple[str, str, str]
    """Too little, right, too much: blue and orange, which nearly everybody can tell apart."""


LIGHT = Scheme(
    {
        "page": "#f6f7f9",
        "card": "#ffffff",
        "ink": "#1b2130",
        "soft": "#545e70",
        "line": "#d9dee7",
        "accent": "#2450c4",
        "good": "#12704a",
        "bad": "#b3261e",
        "warn": "#875300",
        "mark": "#fff1d6",
        "code": "#f3f5f8",
    },
    ("#eef2fb", "#7f9ee8", "#182b80"),
    ("#0a5fa8", "#f2f2ef", "#b4480c"),
)
DARK = Scheme(
    {
        "page": "#12151b",
        "card": "#1a1f27",
        "ink": "#e6e9ef",
        "soft": "#a3adbd",
        "line": "#323a47",
        "accent": "#94b4ff",
        "good": "#62d29b",
        "bad": "#ff8f85",
        "warn": "#f0bd63",
        "mark": "#3a2f16",
        "code": "#14181f",
    },
    ("#232a37", "#4a6fd0", "#d3dfff"),
    ("#7cc1ff", "#2a303a", "#ffa765"),
)


def properties(scheme: Scheme) -> dict[str, str]:
    """Return every colour as a CSS custom property.

    These are the named colours, the shades of both scales (`w3`; `d-2`, `d0`, `d5`), and the colour
    of text on each shade (`on-w3`).
    """
    variables = {f"--{name}": colour for name, colour in scheme.named.items()}
    shades = {f"w{step}": _between(scheme.weights, step / STEPS) for step in range(STEPS + 1)}
    for step in range(-HALF, HALF + 1):
        shades[f"d{step}"] = _between(scheme.differences, (step + HALF) / STEPS)
    for name, colour in shades.items():
        variables[f"--{name}"] = colour
        variables[f"--on-{name}"] = max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))
    return variables


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG 2 defines it.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = (part / 255 for part in _parts(colour))
    linear = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _between(stops: tuple[str, str, str], share: float) -> str:
    first, second = stops[:2] if share <= 0.5 else stops[1:]
    along = share * 2 if share <= 0.5 else share * 2 - 1
    mixed = (
        round(left + (right - left) * along)
        for left, right in zip(_parts(first), _parts(second), strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
