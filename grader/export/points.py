"""Say points as another system reads them."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.report.cleaning import one_line
from grader.text.points import shown, two_decimals

_NUMBER = re.compile(r"\d{1,9}(?:[.,]\d{1,9})?")


def number_in(text: str) -> Fraction | None:
    """Return the number in a cell; None if it holds none.

    >>> number_in(" 12,50 "), number_in("EX")
    (Fraction(25, 2), None)
    """
    text = text.strip()
    return Fraction(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


def scaled(points: Fraction, most: Fraction, possible: Fraction | None, scale: bool) -> Fraction:
    """Return the points, or their share of what is possible in the other system."""
    if not scale or not possible or not most:
        return points
    return points * possible / most


def like(points: Fraction, example: str) -> str:
    """Return the points with the decimal sign of an example such as `100,00`.

    >>> like(Fraction(5, 2), "100,00"), like(Fraction(5, 2), "100")
    ('2,50', '2.5')
    """
    if "," in example:
        return two_decimals(points).replace(".", ",")
    return two_decimals(points) if "." in example else shown(points)


def other_maximum(most: Fraction, possible: Fraction | None, scale: bool) -> tuple[str, ...]:
    """Return a remark if the other system counts with another maximum than the course."""
    if possible is None or possible == most or scale:
        return ()
    there, here = shown(possible), shown(most)
    return (
        f"the maximum there is {there}, and here {here}: points are written as they are; "
        "--scale makes them points of the maximum there",
    )


def names(all: tuple[str, ...]) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(all) - 5} more" if len(all) > 5 else ""
    return ", ".join(one_line(name) for name in all[:5]) + more
