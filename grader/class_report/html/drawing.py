"""Place what the pictures of a class report are made of; templates draw it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.class_report.outline import Bars, Dot, Scatter
from grader.grade.evidence import Picture, Weights
from grader.report.html.heat import Figure, PanelNames, drawn, heat_maps
from grader.text.language import _

BARS_WIDTH, BARS_HEIGHT = 640.0, 180.0
SCATTER_WIDTH, SCATTER_HEIGHT = 640.0, 380.0
_MARGIN = 44.0
_LINE, _LETTER = 12.0, 6.2
"""The height of a line of words, and about the width of a letter."""
_LABELLED = 8
"""The most dots with a name beside them."""


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram, in the units of its picture."""

    x: float
    y: float
    width: float
    height: float
    count: int
    label: str

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True)
class Mark:
    """A value on the axis of a histogram."""

    x: float
    label: str
    row: int
    """The row of its word, so that two words do not meet."""


@dataclass(frozen=True)
class Histogram:
    """A histogram as it is drawn."""

    title: str
    words: str
    """The same, for who does not see it."""
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    floor: float


@dataclass(frozen=True)
class PlacedDot:
    """A dot of a scatter, in the units of its picture."""

    x: float
    y: float
    dot: Dot
    label_y: float | None = None
    """The line of its name; None if it has no name beside it."""

    @property
    def is_far_right(self) -> bool:
        return self.x > SCATTER_WIDTH * 0.7

    def named(self, others: list[PlacedDot]) -> PlacedDot:
        """Return it with its name on the nearest line where no other name is."""
        lines = (self.y + 4 + way * step * _LINE for step in range(9) for way in (1, -1))
        free = (y for y in lines if not any(self._meets(other, y) for other in others))
        return replace(self, label_y=next(free, self.y + 4))

    def _meets(self, other: PlacedDot, y: float) -> bool:
        if other.label_y is None or abs(other.label_y - y) >= _LINE:
            return False
        (left, right), (low, high) = self._across(), other._across()
        return left < high and low < right

    def _across(self) -> tuple[float, float]:
        width = 10 + _LETTER * len(self.dot.label)
        return (self.x - width, self.x) if self.is_far_right else (self.x, self.x + width)


@dataclass(frozen=True)
class PlacedScatter:
    """A scatter as it is drawn."""

    scatter: Scatter
    words: str
    dots: tuple[PlacedDot, ...]
    box: tuple[float, float, float, float]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]


def figure_of(drawing: Picture | Weights | None) -> Figure | None:
    """Draw what one student's code computes, in words for who did not write it."""
    if isinstance(drawing, Weights):
        names = PanelNames(_("with this mistake"), _("right"), _("difference"))
        return heat_maps(drawing, names)
    return None if drawing is None else drawn(drawing)


def histogram(bars: Bars) -> Histogram:
    """Place the bars of a histogram."""
    top, floor = 40.0, BARS_HEIGHT - 24.0
    most = max((*bars.counts, 1))
    step = BARS_WIDTH / max(len(bars.counts), 1)
    placed = []
    for at, (label, count) in enumerate(zip(bars.labels, bars.counts, strict=True)):
        height = (floor - top) * count / most
        placed.append(Bar(at * step + 3, floor - height, step - 6, round(height, 2), count, label))
    words = ", ".join(f"{bar.label}: {bar.count}" for bar in placed)
    marks = tuple(
        Mark(min(max(share, 0.0), 1.0) * BARS_WIDTH, label, row)
        for row, (label, share) in enumerate(bars.marks)
    )
    return Histogram(bars.title, f"{bars.title}. {words}", tuple(placed), marks, floor)


def placed_scatter(scatter: Scatter) -> PlacedScatter:
    """Place the dots of a scatter; the worst ones get a name."""
    worst = sorted((dot for dot in scatter.dots if dot.is_warning), key=lambda dot: (dot.y, dot.x))
    named = {dot.label for dot in worst[:_LABELLED]}
    lowest = min([-0.2, *(dot.y for dot in scatter.dots)])
    low_x, high_x, low_y = scatter.norms

    def x(value: float) -> float:
        return round(_MARGIN + value * (SCATTER_WIDTH - _MARGIN - 12), 1)

    def y(value: float) -> float:
        share = (value - lowest) / (1 - lowest)
        return round(12 + (1 - share) * (SCATTER_HEIGHT - _MARGIN - 12), 1)

    dots: list[PlacedDot] = []
    for dot in sorted(scatter.dots, key=lambda dot: (dot.y, dot.x)):
        placed = PlacedDot(x(dot.x), y(dot.y), dot)
        dots.append(placed.named(dots) if dot.label in named else placed)
    words = _(
        "{title}: {count} criteria, {outside} of them outside the box: {names}",
        title=scatter.title,
        count=len(scatter.dots),
        outside=len(worst),
        names=", ".join(dot.label for dot in worst) or "–",
    )
    ticks = tuple(number / 5 for number in range(-5, 6) if number / 5 >= lowest)
    return PlacedScatter(
        scatter,
        words,
        tuple(dots),
        (x(low_x), y(1.0), x(high_x) - x(low_x), y(low_y) - y(1.0)),
        tuple((x(one), f"{one:.0%}") for one in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        tuple((y(one), f"{one:.1f}") for one in ticks),
    )
