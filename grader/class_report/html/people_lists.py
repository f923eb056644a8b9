"""Keep the lists of students that numbers link to, each of them once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LONGEST = 60
"""The most students of a list on the page; the files of the tables have all."""


class PeopleLists:
    """The lists of one page, filled while it is made."""

    def __init__(self, ids: Sequence[str], mails: Sequence[str] = ()) -> None:
        self._ids, self._mails = ids, mails
        self._names: dict[tuple[int, ...], str] = {}

    def name_of(self, people: tuple[int, ...]) -> str:
        """Return the name by which a list is linked to."""
        return self._names.setdefault(people, f"students-{len(self._names) + 1}")

    def all(self) -> Iterator[tuple[str, int, str, str, int]]:
        """Yield the name of each list, its length, ids, mails, and how many are left out."""
        for people, name in self._names.items():
            shown = ", ".join(self._ids[one] for one in people[:LONGEST])
            known = [self._mails[one] for one in people[:LONGEST]] if self._mails else []
            mails = ", ".join(filter(None, known))
            yield name, len(people), shown, mails, max(0, len(people) - LONGEST)
