"""A stretch of a hand-out that becomes one cell of a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class HandoutPiece:
    """A stretch of the stub, or of what stands beside it, that becomes one cell."""

    kind: Literal["markdown", "code"]
    source: str
    name: str
    """The text that its id is made from."""
    is_demo: bool = False
    tag: str = ""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """The name of each picture in its text, and the PNG in base64."""
