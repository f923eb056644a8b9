"""Values of meta tensors read as zero, all others as they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from grader.worker import dynamo, meta_values


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in meta_values.READERS:
            patch.setattr(torch.Tensor, name, getattr(torch.Tensor, name))
        meta_values.install()
        yield


def test_meta_tensors_read_as_zero() -> None:
    with torch.device("meta"):
        rates = [rate.item() for rate in torch.linspace(0, 0.1, 3)]
    assert rates == [0.0, 0.0, 0.0]
    lengths = torch.tensor([3, 1]).to("meta")
    assert lengths.tolist() == [0, 0] and int(lengths[0]) == 0 and not bool(lengths[0])
    assert [4, 5][lengths[1]] == 4


def test_a_mask_on_the_meta_device_chooses_nothing() -> None:
    with torch.device("meta"):
        keys, mask = torch.empty(2, 4, 3), torch.ones(4, dtype=torch.bool)
        keys[:, mask] = 0.0
    assert keys[:, mask].shape == (2, 0, 3)
    assert keys.masked_select(keys > 0).shape == (0,)
    assert torch.equal(mask, mask) and not torch.equal(mask, keys)


def test_masks_with_values_choose_as_ever() -> None:
    mask = torch.tensor([True, False])
    assert torch.tensor([1, 2])[mask].tolist() == [1]
    assert not torch.equal(mask, ~mask)


def test_all_other_tensors_read_as_they_are() -> None:
    assert torch.tensor([[1, 2]]).tolist() == [[1, 2]]
    assert torch.tensor(2.5).item() == 2.5 and bool(torch.tensor(True))


def test_nothing_is_compiled() -> None:
    def double(x: int) -> int:
        return 2 * x

    assert dynamo.uncompiled(double) is double
    assert dynamo.uncompiled(fullgraph=True)(double) is double
