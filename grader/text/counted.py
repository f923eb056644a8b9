"""Write how many things there are, in the commands that speak English only."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """Return the number and the noun, which is regular, as people write them.

    >>> counted(1, "folder"), counted(2, "folder")
    ('1 folder', '2 folders')
    """
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
