"""Read points in time and spans of time as people write them. Nothing here looks at a clock."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone

DAY_S = 24 * 60 * 60
_SECONDS = {"m": 60, "h": 60 * 60, "d": DAY_S}
_SPAN = re.compile(r"([0-9]{1,5})([mhd])")
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?"
    r"(?P<offset>Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, order=True)
class Moment:
    """A point in time to the second, and the offset from UTC that it was written with."""

    seconds: int
    """Since the beginning of 1970 in UTC."""
    offset_s: int = field(default=0, compare=False)

    @property
    def iso(self) -> str:
        """Return it as ISO 8601 writes it.

        >>> read_moment("2026-11-20 23:59Z").iso
        '2026-11-20T23:59:00+00:00'
        """
        return self._local().isoformat()

    def __str__(self) -> str:
        """Return day and time to the minute.

        >>> str(read_moment("2026-11-20T23:59:30+09:00"))
        '2026-11-20 23:59'
        """
        return self._local().strftime("%Y-%m-%d %H:%M")

    def later(self, seconds: int) -> Moment:
        """Return the moment so many seconds after this one."""
        return Moment(self.seconds + seconds, self.offset_s)

    def as_seen_from(self, other: Moment) -> Moment:
        """Return this moment with the offset of another one, to show both side by side.

        >>> deadline = read_moment("2026-11-20T23:59+09:00")
        >>> str(read_moment("2026-11-20T15:30:00Z").as_seen_from(deadline))
        '2026-11-21 00:30'
        """
        return Moment(self.seconds, other.offset_s)

    def _local(self) -> datetime:
        zone = timezone(timedelta(seconds=self.offset_s))
        return (_EPOCH + timedelta(seconds=self.seconds)).astimezone(zone)


def read_moment(text: str) -> Moment:
    """Return the moment in a text such as `2026-11-20T23:59:00+09:00`.

    Raises ValueError for anything else, also for a time that does not say its offset from UTC.
    """
    match = _MOMENT.fullmatch(text.strip())
    if match is None or match["offset"] is None:
        raise ValueError(text)
    offset = match["offset"].replace("Z", "+00:00")
    moment = datetime.fromisoformat(f"{match['day']}T{match['time']}{offset}")
    if not 1970 < moment.year < 9000:
        raise ValueError(text)
    zone = moment.utcoffset() or timedelta()
    return Moment((moment - _EPOCH) // timedelta(seconds=1), zone // timedelta(seconds=1))


def lacks_offset(text: str) -> bool:
    """Tell whether a text would be a moment if an offset stood behind it.

    >>> lacks_offset("2026-11-20 23:59"), lacks_offset("2026-11-20"), lacks_offset("2026-13-20 1:1")
    (True, False, False)
    """
    try:
        read_moment(f"{text.strip()}Z")
    except ValueError:
        return False
    return True


def read_span(text: str) -> int | None:
    """Return the seconds in a span such as `10m`, `2h` or `7d`; None if it is none.

    >>> read_span("10m"), read_span("2h"), read_span("1d"), read_span("soon")
    (600, 7200, 86400, None)
    """
    match = _SPAN.fullmatch(text.strip())
    return None if match is None else int(match[1]) * _SECONDS[match[2]]


def span_in_short(seconds: int) -> str:
    """Return a span in the largest unit that has no rest, as it is written.

    >>> span_in_short(600), span_in_short(86400), span_in_short(90000)
    ('10m', '1d', '25h')
    """
    unit = next(one for one in "dhm" if seconds % _SECONDS[one] == 0)
    return f"{seconds // _SECONDS[unit]}{unit}"
