"""Something that is seen in what a student's code gave: an observation, and no guess."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What is the matter with one answer."""

    id: str
    text: str
    in_short: str = ""
    """The same without a number, for hidden checks; if empty, the text has none to hide."""

    def told(self, hidden: bool) -> str:
        return self.in_short or self.text if hidden else self.text
