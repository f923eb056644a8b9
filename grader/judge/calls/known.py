"""Keep what was found out about a submission's modules from one check to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Known:
    """Findings about one submission's modules; a key says how each module was made."""

    choices: dict[Any, Any] = field(default_factory=dict)
