"""Points as people read them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from grader.score import two_decimals


def shown(points: Fraction) -> str:
    """At most two decimals, half to even, without trailing zeros.

    >>> shown(Fraction(15, 2)), shown(Fraction(10)), shown(Fraction(1, 3))
    ('7.5', '10', '0.33')
    """
    return two_decimals(points).rstrip("0").rstrip(".")


def exact(points: Fraction) -> str:
    """The exact value as a decimal where it is one, else as a fraction.

    >>> exact(Fraction(5, 2)), exact(Fraction(1, 3))
    ('2.5', '1/3')
    """
    denominator = points.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator != 1:
        return str(points)
    text = format(Decimal(points.numerator) / Decimal(points.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def decimal(points: Fraction) -> str:
    """For programs that read no fractions: exact where six decimals are enough, else rounded.

    >>> decimal(Fraction(10)), decimal(Fraction(5, 2)), decimal(Fraction(2, 9))
    ('10', '2.5', '0.222222')
    """
    return f"{round(points * 10**6) / Decimal(10**6):.6f}".rstrip("0").rstrip(".")
