"""Put live objects back as they were before a check, if the code under test can change them.

A file is run anew for each check; live objects can't be. Names, attributes of classes, defaults and
caches of functions, and the data that they use are put back instead.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

_ATOMS = (type(None), bool, int, float, complex, str, bytes)
_WRITTEN_BY_PYTHON = frozenset({"__dict__", "__weakref__", "__doc__", "__module__"})


class SavedState:
    """The state of live objects before the first check.

    `restore` costs next to nothing if nothing was changed.
    """

    def __init__(self, spaces: Iterable[dict[str, Any]], targets: Iterable[object]) -> None:
        self._spaces = [(space, dict(space)) for space in spaces]
        known = {id(space) for space, _ in self._spaces}
        functions, classes, data = _reached(targets, known)
        self._functions = [
            (one, one.__defaults__, one.__kwdefaults__, dict(one.__dict__)) for one in functions
        ]
        self._caches: list[Callable[[], object]] = [
            clear
            for space, _ in self._spaces
            for value in space.values()
            if callable(clear := getattr(value, "cache_clear", None))
        ]
        self._classes = [(one, dict(vars(one))) for one in classes]
        self._data = [(space, name, _copied(space[name])) for space, name in data]
        self._defaults = [(one, _copied(one.__defaults__)) for one in functions if _is_data(one)]

    def restore(self) -> None:
        """Put everything back as it was."""
        for space, before in self._spaces:
            if len(space) != len(before) or any(space.get(n) is not v for n, v in before.items()):
                space.clear()
                space.update(before)
        for space, name, value in self._data:
            space[name] = _copied(value)
        for function, defaults, keywords, own in self._functions:
            function.__defaults__, function.__kwdefaults__ = defaults, keywords
            function.__dict__.clear()
            function.__dict__.update(own)
        for function, defaults in self._defaults:
            function.__defaults__ = _copied(defaults)
        for one, before in self._classes:
            _restore_class(one, before)
        for clear in self._caches:
            with suppress(Exception):
                clear()


def _restore_class(one: type, before: dict[str, Any]) -> None:
    now = dict(vars(one))
    for name in now.keys() - before.keys() - _WRITTEN_BY_PYTHON:
        delattr(one, name)
    for name, value in before.items():
        if name not in _WRITTEN_BY_PYTHON and now.get(name) is not value:
            with suppress(AttributeError, TypeError):
                setattr(one, name, value)


def _reached(
    targets: Iterable[object], spaces: set[int]
) -> tuple[list[FunctionType], list[type], list[tuple[dict[str, Any], str]]]:
    """Collect the student's functions, classes and data that the targets lead to."""
    functions: list[FunctionType] = []
    classes: list[type] = []
    data: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}
    waiting, seen = list(targets), set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        value = getattr(value, "__func__", value)
        if isinstance(value, type):
            if any(id(f.__globals__) in spaces for f in _functions_in(value)):
                classes.append(value)
                waiting += [*_functions_in(value), *value.__bases__]
        elif isinstance(value, FunctionType) and id(value.__globals__) in spaces:
            functions.append(value)
            waiting += [*_wrapped(value), *_cells(value)]
            for name in _names(value.__code__):
                referred = value.__globals__.get(name)
                waiting.append(referred)
                if name in value.__globals__ and not _is_code(referred):
                    data[id(value.__globals__), name] = (value.__globals__, name)
        else:
            waiting += _wrapped(value)
    return functions, classes, list(data.values())


def _wrapped(value: object) -> Iterator[object]:
    """Yield the functions that a decorator's result wraps."""
    for name in ("__wrapped__", "func"):
        inner = getattr(value, name, None) if callable(value) else None
        if inner is not None:
            yield inner


def _functions_in(one: type) -> list[FunctionType]:
    values = (
        getattr(value, "fget", getattr(value, "__func__", value)) for value in vars(one).values()
    )
    return [value for value in values if isinstance(value, FunctionType)]


def _cells(function: FunctionType) -> Iterator[object]:
    for cell in function.__closure__ or ():
        with suppress(ValueError):
            yield cell.cell_contents


def _names(code: CodeType) -> set[str]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return {*code.co_names}.union(*map(_names, inner))


def _is_code(value: object) -> bool:
    if isinstance(value, (*_ATOMS, type, FunctionType, ModuleType)) or hasattr(
        value, "__wrapped__"
    ):
        return True
    return callable(value) and not getattr(value, "__dict__", None)


def _is_data(function: FunctionType) -> bool:
    return any(not isinstance(value, _ATOMS) for value in function.__defaults__ or ())


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except BaseException:
        return value  # generators, locks, tensors inside a graph: shared between checks
