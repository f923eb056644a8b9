"""Define a finding: something seen in a student's answers, not guessed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that is seen to be wrong with an answer, in words."""

    id: str
    text: str
    in_short: str = ""
    """The same without a number, for hidden checks; if empty, the text has none to hide."""

    def in_words(self, hidden: bool) -> str:
        return self.in_short or self.text if hidden else self.text
