"""Write points as people read them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def shown(points: Fraction) -> str:
    """Return the points with at most two decimals, half to even, without trailing zeros.

    >>> shown(Fraction(15, 2)), shown(Fraction(10)), shown(Fraction(1, 3))
    ('7.5', '10', '0.33')
    """
    return two_decimals(points).rstrip("0").rstrip(".")


def exact(points: Fraction) -> str:
    """Return the exact value as a decimal if it has one, else as a fraction.

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
    """Return the points for programs that read no fractions.

    Exact if six decimals are enough, else rounded.

    >>> decimal(Fraction(10)), decimal(Fraction(5, 2)), decimal(Fraction(2, 9))
    ('10', '2.5', '0.222222')
    """
    return f"{round(points * 10**6) / Decimal(10**6):.6f}".rstrip("0").rstrip(".")


def two_decimals(points: Fraction) -> str:
    """Return the points as text, rounded half to even: the only rounding there is.

    >>> two_decimals(Fraction(17, 3))
    '5.67'
    >>> two_decimals(Fraction("0.125")), two_decimals(Fraction("0.135"))
    ('0.12', '0.14')
    >>> two_decimals(Fraction(-5, 2)), two_decimals(Fraction(-1, 1000))
    ('-2.50', '0.00')
    """
    rounded = round(points * 100)
    whole, hundredths = divmod(abs(rounded), 100)
    return f"{'-' * (rounded < 0)}{whole}.{hundredths:02d}"


def signed(points: Fraction) -> str:
    """Return a difference of points as `shown` does, with `+` before one that is above 0.

    >>> signed(Fraction(5, 2)), signed(Fraction(-5, 2)), signed(Fraction(0))
    ('+2.5', '-2.5', '0')
    """
    return f"+{shown(points)}" if points > 0 else shown(points)
