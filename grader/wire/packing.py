"""Put the values of many parameters into one tensor, which crosses the boundary as fast as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

Packed = Sequence[tuple[list[str], torch.Tensor]]
"""Names, and the numbers of all of them in a row: (N,)."""


def pack(values: Mapping[str, torch.Tensor], dtype: torch.dtype | None = None) -> Packed:
    """Return the numbers of tensors of any shape, in a row for each dtype and device.

    `dtype`: that of the parameters that will hold them; they are sent in it if it is shorter.
    """
    groups: dict[tuple[torch.dtype, torch.device], dict[str, torch.Tensor]] = {}
    for name, value in values.items():
        group = groups.setdefault((value.dtype, value.device), {})
        group[name] = value.detach().reshape(-1)
    return [
        (list(group), _rounded(torch.cat(list(group.values())), dtype)) for group in groups.values()
    ]


def unpack(rows: Packed, into: Mapping[str, torch.Tensor]) -> None:
    """Copy the numbers to the tensors of any shape that have these names.

    Raises:
        KeyError, RuntimeError: one of them is missing, or they hold another count of numbers.
    """
    for names, row in rows:
        tensors = [into[name] for name in names]
        parts = torch.split(row, [tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view(tensor.shape))


def _rounded(row: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    """Return numbers (N,) as parameters of that dtype will hold them, if that is shorter."""
    if dtype is None or not (dtype.is_floating_point and row.is_floating_point()):
        return row
    return row.to(dtype) if dtype.itemsize < row.dtype.itemsize else row
