"""Find unknown names in rubric.yaml.

Only the judge can look them up: it has the reference, and torch.
"""

from __future__ import annotations

import builtins
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, ModuleType

from ...messages.answers import UnknownName
from ...messages.exercise_plan import ExercisePlan
from ...text.problem import closest

_USUAL = ("torch", "numpy", "einops", "math", "random", "torchvision", "scipy")


def unknown_names(
    exercises: Iterable[ExercisePlan], references: Mapping[str, ModuleType]
) -> Iterator[UnknownName]:
    """Find targets that the reference lacks, and banned names that mean nothing."""
    for exercise in exercises:
        module = references[exercise.assignment]
        for number, target in enumerate(exercise.targets):
            if not hasattr(module, target):
                yield _row(
                    ("exercises", exercise.slug, "targets", number),
                    f"reference/{exercise.assignment}.py",
                    target,
                    _defined(module),
                    "define it there, or take it out",
                )
        for number, name in enumerate(exercise.banned):
            yield from _banned(("exercises", exercise.slug, "banned", number), name, references)


def _row(
    trail: tuple[str | int, ...], owner: str, name: str, options: Iterable[str], next: str
) -> UnknownName:
    return UnknownName(trail, owner, name, tuple(sorted(options)), next)


def _defined(module: ModuleType) -> list[str]:
    own = (type, FunctionType)
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, own) and value.__module__ == module.__name__
    ]


def _banned(
    trail: tuple[str | int, ...], name: str, references: Mapping[str, ModuleType]
) -> Iterator[UnknownName]:
    """Report a banned name that means nothing.

    A library that is not installed here may be a submission's all the same: a dotted name of one
    is reported only if its root resembles a usual library's name.
    """
    root, *steps = name.split(".")
    if root in references or (hasattr(builtins, root) and not steps):
        return
    module = _module(root)
    if module is None:
        if not steps:
            next = "write it with the module that has it, or take it out"
            yield _row(trail, "Python", root, (), next)
        elif closest(root, _USUAL):
            yield _row(trail, "this machine", root, _USUAL, "write the name as it is imported")
        return
    value, owner = module, root
    for step in steps:
        if not hasattr(value, step) and _module(f"{owner}.{step}") is None:
            next = f"write the name as {root} documents it, or take it out"
            yield _row(trail, owner, step, _public(value), next)
            return
        value = getattr(value, step, None) or sys.modules[f"{owner}.{step}"]
        owner = f"{owner}.{step}"


def _module(name: str) -> ModuleType | None:
    """Return a module that is loaded or can be imported; None otherwise."""
    if name in sys.modules:
        return sys.modules[name]
    try:
        return importlib.import_module(name) if importlib.util.find_spec(name) else None
    except Exception:  # a library that does not load here, or an owner that is no package
        return None


def _public(value: object) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]
