"""Encode tensors as bytes: storages once each, tensors as views of them.

A tensor passed three times stays one tensor, two views of one storage stay views of one
storage, and strides survive. Everything a received table claims is checked against the
payload before a tensor is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.autograd import forward_ad

from .faults import TooLarge, Unsupported, Violation
from .frame import MAX_PAYLOAD_BYTES

ALIGNMENT = 16
MAX_TENSORS = 4096
MAX_DIMENSIONS = 8
MAX_NUMBERS = 1 << 24
"""Limit on the numbers of all tensors of a message, as their shapes say: a view of a few bytes can
have a huge shape. To be compared, all become float64, which is 128 MiB at this limit."""
MAX_COUNT = 1 << 40
"""Limit on one length or stride of a tensor."""
MAX_EXTENT = 1 << 48
"""Limit on the elements of a tensor without bytes, and on the span of strides: torch must not
overflow."""

DTYPES: dict[str, torch.dtype] = {
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float32": torch.float32,
    "float64": torch.float64,
    "complex64": torch.complex64,
    "complex128": torch.complex128,
    "int8": torch.int8,
    "int16": torch.int16,
    "int32": torch.int32,
    "int64": torch.int64,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

NO_GRAD, LEAF, INNER = 0, 1, 2


def device_in_use() -> str:
    """Return the type of the device on which new tensors are made, such as `cpu` or `meta`.

    Asked of a tensor: `torch.get_default_device` takes longer, and in torch 2.6 it does not
    know of `with torch.device(...)`.
    """
    return torch.empty(0).device.type


def refuse_transforms(tensor: torch.Tensor) -> None:
    """Raise `Unsupported` inside vmap, torch.func transforms and forward-mode autograd."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        raise Unsupported("vmap and torch.func are not supported across the process boundary")
    # The level is asked for first: unpacking costs more than all the rest of a small tensor.
    if forward_ad._current_level < 0 or not torch.is_floating_point(tensor):
        return
    if forward_ad.unpack_dual(tensor).tangent is not None:  # type: ignore[no-untyped-call]
        raise Unsupported("forward-mode autograd is not supported across the boundary")


def is_plain(tensor: torch.Tensor) -> bool:
    """Tell whether shape, strides, dtype and bytes describe the tensor completely.

    They do not for a subclass, a sparse layout or another device than CPU and meta.
    """
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout == torch.strided
        and tensor.dtype in NAMES
        and tensor.device.type in ("cpu", "meta")
    )


@dataclass
class _Storage:
    flat: torch.Tensor
    low: int
    high: int


@dataclass
class TensorWriter:
    """Collects the tensors of one message."""

    tensors: list[torch.Tensor] = field(default_factory=list)
    _index: dict[int, int] = field(default_factory=dict)

    def add(self, tensor: torch.Tensor) -> int:
        """Add a tensor unless it is there, and return its index in the message.

        Raises `Unsupported` inside a transform.
        """
        refuse_transforms(tensor)
        known = self._index.get(id(tensor))
        if known is not None:
            return known
        self._index[id(tensor)] = len(self.tensors)
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def tables(self) -> tuple[dict[str, Any], list[memoryview]]:
        """Return the tables that describe the tensors, and the buffers to send.

        The tables are `{"storages": [bytes...], "tensors": [[dtype, shape, stride, storage, offset,
        grad]...]}`; each buffer is padded to `ALIGNMENT`. Raises `TooLarge`.
        """
        if not self.tensors:  # of most messages
            return {"storages": [], "tensors": []}, []
        entries, buffers = self._entries()
        rows = [
            [NAMES[dtype], list(shape), list(stride), storage, offset, grad]
            for dtype, shape, stride, storage, offset, grad in entries
        ]
        sizes = [buffer.nbytes for buffer in buffers]
        return {"storages": sizes, "tensors": rows}, list(_padded(buffers))

    def copies(self) -> Copies:
        """Return the tensors as the other side would get them, copied without a message.

        Raises:
            TooLarge, Violation: as the two ends of a channel would.
        """
        if not self.tensors:
            return NO_COPIES
        entries, buffers = self._entries()
        require_few(len(entries))
        size = 0
        for buffer in buffers:
            size += buffer.nbytes + -buffer.nbytes % ALIGNMENT
        if size > MAX_PAYLOAD_BYTES:
            raise TooLarge(f"tensors of {size} bytes, more than {MAX_PAYLOAD_BYTES}")
        for entry in entries:
            require_extent(entry.shape, entry.stride)
        blocks = tuple(map(bytearray, buffers))
        return Copies(tuple(entries), views(entries, blocks), blocks)

    def _entries(self) -> tuple[list[TensorEntry], list[memoryview]]:
        """Return an entry for each tensor, and the part that is used of each storage."""
        count = sum(tensor.numel() for tensor in self.tensors if tensor.device.type != "meta")
        if count > MAX_NUMBERS:
            raise TooLarge(f"tensors of {count} numbers, more than {MAX_NUMBERS}")
        storages: dict[int, _Storage] = {}
        plain = [tensor.detach().resolve_conj().resolve_neg() for tensor in self.tensors]
        keys = [_register(storages, tensor) for tensor in plain]
        order = {key: number for number, key in enumerate(storages)}
        entries = []
        for tensor, bare, key in zip(self.tensors, plain, keys, strict=True):
            number, offset = None, 0
            if key is not None:
                start = bare.storage_offset() * bare.element_size() - storages[key].low
                number, offset = order[key], start // bare.element_size()
            flag = _grad_flag(tensor)
            shape, stride = tuple(bare.shape), bare.stride()
            entries.append(TensorEntry(tensor.dtype, shape, stride, number, offset, flag))
        return entries, [_raw(storage) for storage in storages.values()]


def _register(storages: dict[int, _Storage], tensor: torch.Tensor) -> int | None:
    if tensor.device.type == "meta":
        return None
    storage = tensor.untyped_storage()
    low = int(tensor.storage_offset()) * tensor.element_size()
    high = low
    if tensor.is_contiguous():
        high = low + tensor.numel() * tensor.element_size()
    elif tensor.numel():
        span = sum((n - 1) * int(s) for n, s in zip(tensor.shape, tensor.stride(), strict=True))
        high = low + (span + 1) * tensor.element_size()
    low -= low % ALIGNMENT
    key: int = storage._cdata
    known = storages.get(key)
    if known is None:
        flat = torch.empty(0, dtype=torch.uint8).set_(storage)
        storages[key] = _Storage(flat, low, high)
    else:
        known.low, known.high = min(known.low, low), max(known.high, high)
    return key


def _raw(storage: _Storage) -> memoryview:
    flat = storage.flat
    if storage.low or storage.high != len(flat):
        flat = flat[storage.low : storage.high]
    return flat.numpy().data.cast("B")


def _padded(buffers: list[memoryview]) -> Iterator[memoryview]:
    for buffer in buffers:
        yield buffer
        if pad := -buffer.nbytes % ALIGNMENT:
            yield memoryview(bytes(pad))


def _grad_flag(tensor: torch.Tensor) -> int:
    if not tensor.requires_grad:
        return NO_GRAD
    return LEAF if tensor.is_leaf else INNER


class TensorEntry(NamedTuple):
    """One checked entry of a received tensor table."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    storage: int | None
    offset: int
    grad: int


class Received(NamedTuple):
    """The tensors of one received message, with their table rows."""

    rows: tuple[TensorEntry, ...]
    tensors: tuple[torch.Tensor, ...]


class Copies(NamedTuple):
    """Tensors copied within a process, and what they lie in, a block for each storage."""

    rows: tuple[TensorEntry, ...]
    tensors: tuple[torch.Tensor, ...]
    blocks: tuple[bytearray, ...]


NO_TENSORS = Received((), ())
NO_COPIES = Copies((), (), ())


def read_tensors(meta: dict[str, Any], payload: bytearray) -> Received:
    """Make the tensors over the payload's own memory, without gradient flags.

    Raises:
        Violation: a table entry is malformed or reaches outside its storage or the payload.
    """
    sizes = _sizes(meta.get("storages", []), len(payload))
    table = meta.get("tensors", [])
    if table == [] == sizes:
        return NO_TENSORS
    if type(table) is not list:
        raise Violation("tensor table")
    require_few(len(table))
    rows = tuple(_row(entry, sizes) for entry in table)
    if sum(map(numbers_of, rows)) > MAX_NUMBERS:
        raise Violation("tensors too large")
    blocks, start = [], 0
    for size in sizes:
        blocks.append(memoryview(payload)[start : start + size])
        start += size + -size % ALIGNMENT
    return Received(rows, views(rows, blocks))


def views(
    rows: Sequence[TensorEntry], blocks: Sequence[bytearray | memoryview]
) -> tuple[torch.Tensor, ...]:
    """Make the tensors of checked entries over the memory of their storages.

    Raises `Violation` if a bool tensor would not be one.
    """
    flats = [
        torch.frombuffer(block, dtype=torch.uint8) if len(block) else _NOTHING for block in blocks
    ]
    _check_bools(rows, flats)
    return tuple(_view(row, flats) for row in rows)


_NOTHING = torch.empty(0, dtype=torch.uint8)


def _sizes(sizes: Any, available: int) -> list[int]:
    if type(sizes) is not list or len(sizes) > MAX_TENSORS:
        raise Violation("storage table")
    # Loops and no generators, here and below: this is read for every tensor of every message.
    total = 0
    for size in sizes:
        if type(size) is not int or not 0 <= size <= available:
            raise Violation("storage size")
        total += size + -size % ALIGNMENT
    if total != available:
        raise Violation("payload and storages differ in size")
    return sizes


def _row(entry: Any, sizes: list[int]) -> TensorEntry:
    if type(entry) is not list or len(entry) != 6:
        raise Violation("tensor entry")
    name, shape, stride, storage, offset, grad = entry
    dtype = DTYPES.get(name) if type(name) is str else None
    if dtype is None:
        raise Violation("tensor dtype")
    _require_counts(shape)
    _require_counts(stride)
    span = require_extent(shape, stride)
    if type(offset) is not int or offset < 0 or grad not in (NO_GRAD, LEAF, INNER):
        raise Violation("tensor offset or gradient flag")
    if type(grad) is not int or (grad and not (dtype.is_floating_point or dtype.is_complex)):
        raise Violation("only floating-point tensors have gradients")
    if storage is not None:
        if type(storage) is not int or not 0 <= storage < len(sizes):
            raise Violation("tensor storage")
        if math.prod(shape) and (offset + span + 1) * dtype.itemsize > sizes[storage]:
            raise Violation("tensor reaches outside its storage")
    return TensorEntry(dtype, tuple(shape), tuple(stride), storage, offset, grad)


def require_few(count: int) -> None:
    """Raise `Violation` if a message has more tensors than it may."""
    if count > MAX_TENSORS:
        raise Violation("tensor table")


def require_extent(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Return how many elements the last of a tensor is from its first.

    Raises `Violation` if it has too many dimensions, or is larger than torch can count.
    """
    if len(shape) != len(stride) or len(shape) > MAX_DIMENSIONS:
        raise Violation("tensor dimensions")
    span, extent = 0, 1
    for n, s in zip(shape, stride, strict=True):
        if n:
            span += (n - 1) * s
            extent *= n
    if extent >= MAX_EXTENT or span >= MAX_EXTENT:
        raise Violation("tensor too large")
    return span


def numbers_of(row: TensorEntry) -> int:
    """Return how many numbers the tensor holds by its shape; 0 on the meta device."""
    return 0 if row.storage is None else math.prod(row.shape)


def _require_counts(values: Any) -> None:
    if type(values) is not list:
        raise Violation("tensor shape or stride")
    for value in values:
        if type(value) is not int or not 0 <= value <= MAX_COUNT:
            raise Violation("tensor shape or stride")


def _check_bools(rows: Sequence[TensorEntry], flats: list[torch.Tensor]) -> None:
    """Raise `Violation` if a bool tensor lies over a byte other than 0 and 1.

    Such a tensor is undefined behaviour.
    """
    for number in {r.storage for r in rows if r.dtype == torch.bool and r.storage is not None}:
        if flats[number].numel() and int(flats[number].max()) > 1:
            raise Violation("bool byte not 0 or 1")


def _view(row: TensorEntry, flats: list[torch.Tensor]) -> torch.Tensor:
    if row.storage is None:
        return torch.empty_strided(row.shape, row.stride, dtype=row.dtype, device="meta")
    if not math.prod(row.shape):
        return torch.empty_strided(row.shape, row.stride, dtype=row.dtype)
    storage = flats[row.storage].untyped_storage()
    base = flats[row.storage].storage_offset()
    tensor = torch.empty(0, dtype=row.dtype)
    offset = base // row.dtype.itemsize + row.offset
    return tensor.set_(storage, offset, row.shape, row.stride)


def raw_bytes(tensor: torch.Tensor) -> bytes:
    """Return the tensor's elements in order, as bytes: equal for equal bits, NaN included."""
    if tensor.device.type == "meta":
        return b""
    flat = tensor.detach().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
