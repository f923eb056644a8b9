"""The answer to an appeal. It stands alone, so that pages that name one read no submissions."""

from __future__ import annotations

from enum import StrEnum


class Ruling(StrEnum):
    """The answer to an appeal, as far as running the code again can give one."""

    STANDS = "stands"
    FALLS = "falls"
    CANNOT_TELL = "cannot tell"
