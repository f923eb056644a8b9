"""Turn frozen dataclasses into plain values for a message, and back by their annotations.

For messages between the parent and a judge, which trust each other. What comes from a worker is
decoded by hand in `grader.wire`.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ..wire.faults import Violation

Decode = Callable[[Any], Any]
Kind = TypeVar("Kind")

_PLAIN = frozenset({str, int, float, bool, type(None)})


def encoded(value: Any) -> Any:
    """Return a dataclass, or anything that it holds, as plain values."""
    # `dataclasses.asdict` copies every leaf: 40 ms for a course's checks.
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return {name: encoded(one) for name, one in vars(value).items()}
    if isinstance(value, Mapping):
        return {name: encoded(one) for name, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, (tuple, list)):
        return [encoded(one) for one in value]
    raise TypeError(f"no message can hold a {type(value).__name__}")


def decoded(kind: type[Kind], value: Any) -> Kind:
    """Return the dataclass of type `kind` that was encoded as `value`.

    Raises:
        Violation: a field is missing, unknown or of another type.
    """
    result: Kind = _decoder(cast(Hashable, kind))(value)
    return result


@functools.cache
def _decoder(kind: Hashable) -> Decode:
    """Return a function that decodes values of the annotated type `kind`."""
    if kind in (Any, object):
        return lambda value: value
    if kind is float:
        return functools.partial(_same, (float, int))
    if isinstance(kind, type) and kind in _PLAIN:
        return functools.partial(_same, (kind,))
    if dataclasses.is_dataclass(kind):
        return functools.partial(_dataclass, kind, _decoders(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if isinstance(kind, type) and issubclass(kind, tuple):  # a named one
        return functools.partial(_named_tuple, kind, tuple(_decoders(kind).values()))
    return _generic(get_origin(kind), get_args(kind))


def _generic(origin: Any, args: tuple[Any, ...]) -> Decode:
    if origin in (Union, types.UnionType):
        if _PLAIN.issuperset(args):
            return functools.partial(_same, (*args, int) if float in args else args)
        (inner,) = (_decoder(arg) for arg in args if arg is not type(None))
        return lambda value: None if value is None else inner(value)
    if origin is tuple and args[-1] is not Ellipsis:
        return functools.partial(_fixed, tuple(map(_decoder, args)))
    if origin in (tuple, frozenset, list):
        return functools.partial(_many, origin, _decoder(args[0]))
    if origin in (Mapping, dict):
        return functools.partial(_mapping, _decoder(args[1]))
    raise TypeError(f"no message can hold a {origin}")


def _decoders(kind: Any) -> dict[str, Decode]:
    hints = get_type_hints(kind)
    names = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
    return {name: _decoder(hints[name]) for name in names}


def _dataclass(kind: Any, fields: Mapping[str, Decode], value: Any) -> Any:
    if type(value) is not dict or value.keys() != fields.keys():
        raise Violation(f"fields of {kind.__name__}")
    return kind(**{name: decode(value[name]) for name, decode in fields.items()})


def _named_tuple(kind: Any, items: tuple[Decode, ...], value: Any) -> Any:
    return kind(*_fixed(items, value))


def _fixed(items: tuple[Decode, ...], value: Any) -> tuple[Any, ...]:
    if type(value) is not list or len(value) != len(items):
        raise Violation("items of a message")
    return tuple(decode(one) for decode, one in zip(items, value, strict=True))


def _many(kind: Callable[[Any], Any], decode: Decode, value: Any) -> Any:
    if type(value) is not list:
        raise Violation("list in a message")
    return kind(map(decode, value))


def _mapping(decode: Decode, value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise Violation("mapping in a message")
    return {name: decode(one) for name, one in value.items()}


def _same(accepted: tuple[type, ...], value: Any) -> Any:
    if type(value) not in accepted:
        raise Violation("value in a message")
    return value
