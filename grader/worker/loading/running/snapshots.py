"""Keep the values that a slow statement made, so that a reset need not run it again."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any

_ATOMS = (type(None), bool, int, float, complex, str, bytes)


class Snapshot:
    """Copies of the names a statement set or changed, restorable into a fresh namespace.

    Objects that the values refer to and the statement did not make (classes, functions, earlier
    objects) are not copied: on restoring, the object of the same name in the fresh namespace takes
    their place.
    """

    def __init__(
        self, before: Mapping[str, Any], after: Mapping[str, Any], touched: Collection[str]
    ) -> None:
        new = {n: v for n, v in after.items() if n not in before or before[n] is not v}
        new |= {name: after[name] for name in touched if name in after}
        self._removed = [name for name in before if name not in after]
        self._older = {
            name: value
            for name, value in before.items()
            if name not in new and not isinstance(value, _ATOMS)
        }
        self.copied = True
        try:
            memo = {id(value): value for value in self._older.values()}
            self._values: dict[str, Any] = copy.deepcopy(new, memo)
        except BaseException:
            # generators, locks, tensors inside a graph: shared between checks, as they are
            self.copied, self._values = False, new

    def restore(self, namespace: dict[str, Any]) -> None:
        """Give the namespace its own copy of the values."""
        for name in self._removed:
            namespace.pop(name, None)
        values = self._values
        if self.copied:
            memo = {id(v): namespace[n] for n, v in self._older.items() if n in namespace}
            values = copy.deepcopy(values, memo)
        namespace.update(values)
