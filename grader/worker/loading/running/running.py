"""Run the code of one statement in a module's namespace."""

from __future__ import annotations

import inspect
from types import CodeType
from typing import Any


def execute(code: CodeType, namespace: dict[str, Any]) -> None:
    """Run a statement in `namespace`.

    A statement of a cell may await; it then runs in an event loop of its own.
    """
    if not code.co_flags & inspect.CO_COROUTINE:
        exec(code, namespace)
        return
    # Here, because few submissions need it and it takes longer to import than they to load.
    import asyncio

    asyncio.run(eval(code, namespace))
