"""Python values as a JSON tree. Nothing is ever unpickled or evaluated.

Leaves that JSON has are themselves; the rest are lists that start with a kind:
`["i", n] ["f", hex] ["c", hex, hex] ["T", tensor] ["l", ...] ["t", ...] ["d", [[key, value], ...]]
["D", dtype] ["V", device] ["S", start, stop, step] ["e"]`, and by reference
`["A", argument tensor]`, `["P", object, parameter]`, `["H", object of the receiver]`,
`["O", object of the sender, description]`, `["F", callable of the sender]`, and `["x", type name]`
for what can't be sent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

import torch

from .faults import Violation
from .tensors import DTYPES, NAMES, TensorWriter, is_plain

MAX_NODES = 100_000
MAX_DEPTH = 24
MAX_TEXT = 1 << 20
MAX_NAME = 256

Node = Any


class Opaque:
    """A value that could not be sent; only the name of its type came across."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name

    def __repr__(self) -> str:
        return f"<object of type {self.type_name}>"


class ObjectCodec(Protocol):
    """The names a side gives to objects that stay in its process: object to node and back."""

    def name(self, value: Any) -> Node | None:
        """Return a reference node for `value`, or None if this side has no name for it."""

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        """Return the value of a reference node. Raises `Violation` if there is none."""


class Encoder:
    """The encoder of one message: turns values into nodes and collects their tensors."""

    def __init__(self, objects: ObjectCodec) -> None:
        self.writer = TensorWriter()
        self._objects = objects
        self._nodes = 0

    def node(self, value: Any, depth: int = 0) -> Node:
        self._nodes += 1
        if depth >= MAX_DEPTH or self._nodes > MAX_NODES:
            return ["x", "deeply nested value"]
        if type(value) in _SCALARS:
            return _scalar(value)
        if type(value) in (tuple, list, dict):
            return self._container(value, depth)
        reference = self._objects.name(value)
        if reference is not None:
            return reference
        if isinstance(value, torch.Tensor):
            if not is_plain(value):
                return ["x", _tensor_name(value)]
            return ["T", self.writer.add(value)]
        if isinstance(value, (list, tuple, dict)):
            return self._container(value, depth)
        return _scalar(value)

    def _container(self, value: Any, depth: int) -> Node:
        if type(value) is list:
            return ["l", *(self.node(item, depth + 1) for item in value)]
        if isinstance(value, tuple):
            return ["t", *(self.node(item, depth + 1) for item in value)]
        if isinstance(value, dict):
            pairs = [[_scalar(key), self.node(item, depth + 1)] for key, item in value.items()]
            return ["d", pairs]
        return ["x", type_name(value)]


_SCALARS = frozenset([type(None), bool, str, int, float, complex])
"""Exact types that are sent by value and never need a reference."""


def type_name(value: Any) -> str:
    return type.__getattribute__(type(value), "__name__")[:MAX_NAME]  # type: ignore[no-any-return]


def _tensor_name(tensor: torch.Tensor) -> str:
    name = type_name(tensor)
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return f"{name} (a Tensor subclass)"
    return f"{name} ({tensor.dtype}, {tensor.layout}, {tensor.device.type})".replace("torch.", "")


def _scalar(value: Any) -> Node:
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return value.encode("utf-8", "replace").decode()[:MAX_TEXT]
    if kind is int:
        return ["i", value] if -(1 << 63) <= value < 1 << 63 else ["x", "int beyond 64 bits"]
    if kind is float:
        return ["f", value.hex()]
    if kind is complex:
        return ["c", value.real.hex(), value.imag.hex()]
    if kind is torch.dtype:
        return ["D", NAMES[value]] if value in NAMES else ["x", "dtype"]
    if kind is torch.device:
        return ["V", value.type]
    if kind is slice:
        return ["S", _scalar(value.start), _scalar(value.stop), _scalar(value.step)]
    if kind is torch.Generator:
        return _generator_node(value)
    if value is Ellipsis:
        return ["e"]
    number = _number_in(value)
    return ["x", type_name(value)] if number is None else _scalar(number)


def _number_in(value: Any) -> bool | int | float | complex | None:
    """Return what a number of another type is worth, such as NumPy's or a subclass of float.

    Whoever computes a rate with `np.cos` returns a float by all that Python says.
    """
    kind = type(value)  # no isinstance: that believes an object which claims to be a float
    if issubclass(kind, float):
        return float.__float__(value)
    if issubclass(kind, int):
        return int.__int__(value)
    scalars: Any = getattr(sys.modules.get("numpy"), "generic", None)
    is_scalar = isinstance(scalars, type) and issubclass(kind, scalars)
    number = scalars.item(value) if is_scalar else None
    return number if type(number) in (bool, int, float, complex) else None


def _generator_node(generator: torch.Generator) -> Node:
    """Send a generator by its seed; one that was drawn from already has a state of its own."""
    seed = generator.initial_seed()
    if generator.device.type != "cpu" or seed >= 1 << 63:
        return ["x", "Generator of another device, or of a seed beyond 63 bits"]
    fresh = torch.Generator().manual_seed(seed)
    if not torch.equal(fresh.get_state(), generator.get_state()):
        return ["x", "Generator that was drawn from"]
    return ["G", seed]


class Decoder:
    """The decoder of one message: turns nodes back into values.

    Raises `Violation` on any other node.
    """

    def __init__(self, tensors: tuple[torch.Tensor, ...], objects: ObjectCodec) -> None:
        self._tensors = tensors
        self._objects = objects
        self._nodes = 0

    def value(self, node: Node, depth: int = 0) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise Violation("value too large or too deep")
        if node is None or type(node) is bool:
            return node
        if type(node) is str:
            return _text(node, MAX_TEXT)
        if type(node) is not list or not node or type(node[0]) is not str:
            raise Violation("malformed value")
        kind, parts = node[0], node[1:]
        if kind == "l":
            return [self.value(part, depth + 1) for part in parts]
        if kind == "t":
            return tuple(self.value(part, depth + 1) for part in parts)
        if kind == "d":
            return self._dict(parts, depth)
        if kind == "T":
            return self._tensors[index(parts, len(self._tensors))]
        if kind in ("A", "P", "H", "O", "F"):
            return self._objects.resolve(kind, parts)
        reader = _READERS.get(kind)
        if reader is None:
            raise Violation("unknown kind of value")
        return reader(self, parts)

    def _dict(self, parts: list[Any], depth: int) -> dict[Any, Any]:
        if len(parts) != 1 or type(parts[0]) is not list:
            raise Violation("dict")
        decoded: dict[Any, Any] = {}
        for pair in parts[0]:
            if type(pair) is not list or len(pair) != 2:
                raise Violation("dict entry")
            key = self.value(pair[0], depth + 1)
            if not isinstance(key, (str, int, float, bool, type(None), Opaque)):
                raise Violation("dict key")
            decoded[key] = self.value(pair[1], depth + 1)
        return decoded


def items(value: Any) -> list[Any]:
    """Return an untrusted value if it is a list, else an empty list."""
    return value if type(value) is list else []


def index(parts: list[Any], count: int) -> int:
    """Return the single non-negative integer in `parts`, below `count`. Raises `Violation`."""
    if len(parts) != 1 or type(parts[0]) is not int or not 0 <= parts[0] < count:
        raise Violation("index")
    return parts[0]


def text(value: Any, limit: int) -> str:
    """Return an untrusted text, cut at `limit` characters; an empty one if the value is no text.

    Never use `str(value)` here: it fails on deeply nested lists.
    """
    return value[:limit] if type(value) is str else ""


def _text(text: Any, limit: int) -> str:
    if type(text) is not str or len(text) > limit:
        raise Violation("text")
    return text


def _int(_: Decoder, parts: list[Any]) -> int:
    if len(parts) != 1 or type(parts[0]) is not int or not -(1 << 63) <= parts[0] < 1 << 63:
        raise Violation("int")
    return parts[0]


def _hex(part: Any) -> float:
    try:
        return float.fromhex(_text(part, 40))
    except (ValueError, OverflowError):
        raise Violation("float") from None


def _float(_: Decoder, parts: list[Any]) -> float:
    if len(parts) != 1:
        raise Violation("float")
    return _hex(parts[0])


def _complex(_: Decoder, parts: list[Any]) -> complex:
    if len(parts) != 2:
        raise Violation("complex")
    return complex(_hex(parts[0]), _hex(parts[1]))


def _dtype(_: Decoder, parts: list[Any]) -> torch.dtype:
    name = _text(parts[0], MAX_NAME) if len(parts) == 1 else ""
    if name not in DTYPES:
        raise Violation("dtype")
    return DTYPES[name]


def _device(_: Decoder, parts: list[Any]) -> torch.device:
    if len(parts) != 1 or parts[0] not in ("cpu", "meta"):
        raise Violation("device")
    return torch.device(parts[0])


def _slice(decoder: Decoder, parts: list[Any]) -> slice:
    if len(parts) != 3:
        raise Violation("slice")
    start, stop, step = (decoder.value(part, MAX_DEPTH) for part in parts)
    return slice(start, stop, step)


def _generator(_: Decoder, parts: list[Any]) -> torch.Generator:
    if len(parts) != 1 or type(parts[0]) is not int or not 0 <= parts[0] < 1 << 63:
        raise Violation("generator")
    return torch.Generator().manual_seed(parts[0])


def _ellipsis(_: Decoder, parts: list[Any]) -> Any:
    if parts:
        raise Violation("ellipsis")
    return Ellipsis


def _opaque(_: Decoder, parts: list[Any]) -> Opaque:
    if len(parts) != 1:
        raise Violation("opaque value")
    return Opaque(_text(parts[0], MAX_NAME))


_READERS: dict[str, Callable[[Decoder, list[Any]], Any]] = {
    "i": _int,
    "f": _float,
    "c": _complex,
    "D": _dtype,
    "V": _device,
    "S": _slice,
    "G": _generator,
    "e": _ellipsis,
    "x": _opaque,
}
