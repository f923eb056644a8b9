"""Read `scheme` of a question in a rubric: what a person can tick, and what that gives or takes.

scheme: {variance: 1, saturates: 1, not_the_root: -1/2}

What a tick says to the student stands in the marking guide, which students do not get with the
rubric, as a point of a list: `- variance: The variance of a dot product grows with the width.`
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.course.schema import Form, described, table
from grader.course.yaml_source import Place
from grader.text.language import _, marked
from grader.text.points import signed

_ID = r"[a-z][a-z0-9_]{0,39}"
# Bounded in length, as every number of a rubric is.
_POINTS = re.compile(r"[+-]?(?:[0-9]{1,9}(?:\.[0-9]{1,9})?|[0-9]{1,9}/[1-9][0-9]{0,8})")
_SAYS = re.compile(rf"[-*][ \t]+`?({_ID})`?:[ \t]+(\S.*)")
_GOES_ON = re.compile(r"[ \t]{2,}(?![-*][ \t])(\S.*)")


@dataclass(frozen=True)
class SchemeItem:
    """One item of a mark scheme."""

    id: str
    points: Fraction
    """Below 0 for what takes points."""
    comment: str = ""
    """The words for the student; empty if the guide has none."""

    @property
    def remark(self) -> str:
        """Return what a student reads where this item was ticked."""
        return f"{self.comment or self.id} ({signed(self.points)})"


def scheme() -> Form[tuple[SchemeItem, ...]]:
    """Return the form for a mark scheme: a table of points by the id of an item."""
    points = table(
        marked("an id of small letters, digits and '_', such as 'names_root', as the key"),
        _ID,
        _worth,
        at_least_one=marked("at least one item"),
    )

    def read(at: Place | None) -> tuple[SchemeItem, ...]:
        return tuple(SchemeItem(id, worth) for id, worth in points(at).items())

    return described(read, "a mapping of items to points, such as {names_root: 1, guess: -1/2}")


def _worth(at: Place | None) -> Fraction:
    if at is None:
        return Fraction(0)
    known = at.kind in ("int", "float", "str") and _POINTS.fullmatch(at.text or "")
    points = Fraction(at.text or "0") if known else Fraction(0)
    if not points:
        shown = at.shown
        at.problem(_("expected points such as 1, 1/2 or -1, and not 0, got {value}", value=shown))
    return points


def most_of(items: Iterable[SchemeItem]) -> Fraction:
    """Return what all items together give that take nothing."""
    return sum((one.points for one in items if one.points > 0), Fraction(0))


def earned(items: Iterable[SchemeItem], ticked: Collection[str], most: Fraction) -> Fraction:
    """Return the points for the items that were ticked: never below 0 or above `most`.

    >>> items = [SchemeItem("root", Fraction(1)), SchemeItem("guess", Fraction(-2))]
    >>> earned(items, ["root"], Fraction(3)), earned(items, ["root", "guess"], Fraction(3))
    (Fraction(1, 1), Fraction(0, 1))
    """
    total = sum((one.points for one in items if one.id in ticked), Fraction(0))
    return min(max(total, Fraction(0)), most)


def comments_in(guide: str) -> Mapping[str, str]:
    """Return what the points of lists in a guide say, by the id before the colon; the first counts.

    >>> comments_in("- root: Names the root\\n  of the width.\\n- 1 point: because.")
    {'root': 'Names the root of the width.'}
    """
    comments: dict[str, list[str]] = {}
    under: list[str] = []
    for line in guide.splitlines():
        if says := _SAYS.fullmatch(line):
            under = [says[2].rstrip()]
            comments.setdefault(says[1], under)
        elif goes_on := _GOES_ON.fullmatch(line):
            under.append(goes_on[1].rstrip())
        else:
            under = []
    return {id: " ".join(lines) for id, lines in comments.items()}


def with_comments(items: Iterable[SchemeItem], guide: str) -> tuple[SchemeItem, ...]:
    """Return the items with what the guide says to students about each."""
    comments = comments_in(guide)
    return tuple(replace(one, comment=comments.get(one.id, "")) for one in items)
